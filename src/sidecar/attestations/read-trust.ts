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
  /** Time of the newest event that is known of. */
  asOf: string;
}

const READ = new WeakMap<Resource | ServedRelease, Promise<KnownTrust>>();

/**
 * Whom the service trusts and what its ledger has: as of the newest event where the ledger is followed, else of the release.
 * Throws a Problem unavailable for a release that has none of it.
 */
export function readTrust(release: ServedRelease, live: Live | null): Promise<KnownTrust> {
  const newest = live?.resource(REGISTRY_PATH) ?? null;
  const place = newest ?? release;
  const known = READ.get(place);
  if (known) return known;
  const reading = (newest ? newest.read().then(String) : releaseText(release)).then(parse);
  READ.set(place, reading);
  // What could not be read may be there the next time.
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
