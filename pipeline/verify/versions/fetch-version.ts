import { CathedralError } from '../../errors.ts';
import type { Verifier } from '../../ledger/notes/note.ts';
import { SNAPSHOTS } from '../../release/format/snapshot-index.ts';
import { snapshotsAround } from '../../release/format/version-at.ts';
import type { Origin } from '../origin.ts';
import { readLatest, readSigned } from '../signed-release.ts';
import { readSignedList } from '../snapshot-list.ts';
import { type FileVersion, findVersion, type Progress, readVersion } from './file-version.ts';

export interface Fetched {
  version: FileVersion;
  content: Blob;
  /** The key that signed the release which the list belongs to. */
  signedBy: Verifier;
}

/**
 * A file as it was at a slot, from any host: the publisher's signature over the snapshot list, the list's hash of the snapshot's index
 * and the index's hash of the file are verified. `keys` null trusts the keys that the release names. Throws release_invalid for a file or
 * a version that the host does not have, and what reading a release throws.
 */
export async function fetchVersion(
  origin: Origin,
  { path, slot, keys }: { path: string; slot: string; keys: readonly Verifier[] | null },
  progress: Progress,
): Promise<Fetched> {
  const release = await readSigned(origin, await readLatest(origin), keys);
  const { index } = await readSignedList(origin, release);
  const { before, after, isExact } = snapshotsAround(index, slot);
  const [older, newer] = [
    before && (await findVersion(origin, before, path)),
    after && (await findVersion(origin, after, path)),
  ];
  const found = isExact || older?.file.sha256 === newer?.file.sha256 ? older : null;
  if (!found) throw notThere(origin, { path, slot }, isExact ? [older] : [older, newer]);
  const content = await origin.retrying(path, () => readVersion(origin, found, progress));
  return { version: found, content, signedBy: release.signedBy };
}

function notThere(
  origin: Origin,
  { path, slot }: { path: string; slot: string },
  nearest: readonly (FileVersion | null)[],
): CathedralError {
  const ids = nearest.flatMap((one) => (one ? [one.entry.id] : []));
  const expected = `a snapshot with ${path} as it was at ${slot}`;
  const found = ids.length > 0 ? `only as it was at ${ids.join(' and at ')}` : 'none';
  return new CathedralError('release_invalid', { place: origin.placeOf(SNAPSHOTS), expected, found });
}
