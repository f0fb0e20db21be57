/** What a client may believe of a release beside its signature: TUF's rules (theupdateframework.github.io, §5.3 to §5.6). */

import { CathedralError } from '../errors.ts';
import type { Latest, PublicManifest } from '../release/format/public-manifest.ts';
import { formatTimestamp } from '../words/moment.ts';

type Release = Pick<Latest, 'version' | 'manifest' | 'log'>;

/** What a client remembers of the release that it took last. */
export interface Taken {
  manifest: Pick<Latest, 'version' | 'log'>;
  /** Of its `manifest.json`, hex. */
  sha256: string;
}

/** A release goes on from the one that is held. Throws mirror_rollback or mirror_forked. */
export function assertNoRollback(held: Taken, next: Release, place: string): void {
  const { version, log } = held.manifest;
  if (next.version < version) throw rollback(place, `version ${version} or later`, `version ${next.version}`);
  if (next.version === version && next.manifest.sha256 !== held.sha256)
    throw forked(place, `version ${version} with the manifest ${held.sha256}`, next.manifest.sha256);
  if (next.log.size < log.size)
    throw rollback(place, `a log of ${log.size} events or more`, `${next.log.size}`);
  if (next.log.size === log.size && next.log.root_hash !== log.root_hash)
    throw forked(place, `root ${log.root_hash} of ${log.size} events`, next.log.root_hash);
}

/** Throws mirror_expired. `now` in ms since 1970. */
export function assertFresh({ expires, as_of }: PublicManifest, now: number, place: string): void {
  if (now <= Date.parse(expires)) return;
  const expected = `a release that is good at ${formatTimestamp(now)}`;
  const found = `one of ${as_of}, good until ${expires}`;
  throw new CathedralError('mirror_expired', { place, expected, found });
}

function rollback(place: string, expected: string, found: string): CathedralError {
  return new CathedralError('mirror_rollback', { place, expected, found });
}

export function forked(place: string, expected: string, found: string): CathedralError {
  return new CathedralError('mirror_forked', { place, expected, found });
}
