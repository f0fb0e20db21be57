import { join } from 'node:path';
import { parseJsonFile } from '../../../pipeline/artifacts/format/json.ts';
import {
  PublishedRegistry,
  type PublishedTrust,
  REGISTRY_PATH,
  trustOf,
} from '../../../pipeline/attestation/published-registry.ts';
import { storedAt } from '../../../pipeline/release/format/manifest.ts';
import { Problem } from '../../api/problem.ts';
import type { ServedRelease } from '../files/releases.ts';
import type { Representation } from '../files/representation.ts';
import type { Asked, Live } from '../services.ts';

export interface KnownTrust extends PublishedTrust {
  /** Time of the newest event that is known of. */
  asOf: string;
}

const PLAIN: Asked = { method: 'GET', headers: {} };
const READ = new WeakMap<Representation | ServedRelease, Promise<KnownTrust>>();

/**
 * Whom the service trusts and what its ledger has: as of the newest event where the ledger is followed, else of the release.
 * Throws a Problem unavailable for a release that has none of it.
 */
export function readTrust(release: ServedRelease, live: Live | null): Promise<KnownTrust> {
  const newest = live?.representation(REGISTRY_PATH, PLAIN) ?? null;
  const place = newest ?? release;
  const known = READ.get(place);
  if (known) return known;
  const reading = (newest ? textOf(newest) : releaseText(release)).then(parse);
  READ.set(place, reading);
  // What could not be read may be there the next time.
  reading.catch(() => READ.delete(place));
  return reading;
}

async function textOf(newest: Representation): Promise<string> {
  return String(await newest.read(null));
}

async function releaseText({ files, small, dir }: ServedRelease): Promise<string> {
  const file = files.get(REGISTRY_PATH);
  if (!file)
    throw new Problem('unavailable', 'This release knows of no companions.', { 'Retry-After': '300' });
  return String(await small.read(join(dir, storedAt(file)), file));
}

function parse(text: string): KnownTrust {
  const file = parseJsonFile(text, PublishedRegistry, REGISTRY_PATH, 'release_invalid');
  return { ...trustOf(file), asOf: file.timestamp };
}
