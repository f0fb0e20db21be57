import { parseJsonFile } from '../../../pipeline/artifacts/format/json.ts';
import {
  PublishedRegistry,
  type PublishedTrust,
  REGISTRY_PATH,
  trustOf,
} from '../../../pipeline/attestation/published-registry.ts';
import { Problem } from '../../api/problem.ts';
import { readReleaseText, type ServedRelease } from '../files/releases.ts';
import type { Resource } from '../files/representation.ts';
import type { Live } from '../services.ts';

export interface KnownTrust extends PublishedTrust {
  /** Time of the newest known event. */
  asOf: string;
}

const READ = new WeakMap<Resource | ServedRelease, Promise<KnownTrust>>();

/**
 * The keys that the service trusts and the attestations in its ledger: as of the newest event if the ledger is followed,
 * otherwise of the release. Throws a Problem unavailable for a release without them.
 */
export function readTrust(release: ServedRelease, live: Live | null): Promise<KnownTrust> {
  const newest = live?.resource(REGISTRY_PATH) ?? null;
  const place = newest ?? release;
  const known = READ.get(place);
  if (known) return known;
  const reading = (newest ? newest.read().then(String) : releaseText(release)).then(parse);
  READ.set(place, reading);
  // Do not cache a failure: the next read may succeed.
  reading.catch(() => READ.delete(place));
  return reading;
}

async function releaseText(release: ServedRelease): Promise<string> {
  const text = await readReleaseText(release, REGISTRY_PATH);
  if (text !== null) return text;
  throw new Problem('unavailable', 'This release has no companions.', { 'Retry-After': '300' });
}

function parse(text: string): KnownTrust {
  const file = parseJsonFile(text, PublishedRegistry, REGISTRY_PATH, 'release_invalid');
  return { ...trustOf(file), asOf: file.timestamp };
}
