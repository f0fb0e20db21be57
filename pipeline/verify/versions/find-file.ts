import type { Verifier } from '../../ledger/notes/note.ts';
import type { Origin } from '../origin.ts';
import { readLatest, readSigned } from '../signed-release.ts';
import { readSignedList } from '../snapshot-list.ts';
import { readSnapshotIndex } from './file-version.ts';

/** Where a publisher listed a file. */
interface Listing {
  /** Every path with these bytes. */
  paths: readonly string[];
  /** The current release, or the release that a snapshot keeps. */
  release: string;
  /** Null: the current release has the file. */
  snapshot: string | null;
  as_of: string;
}

export interface Search {
  /** Null: neither the current release nor a snapshot lists these bytes. */
  found: Listing | null;
  /** How many snapshots were read. */
  snapshots: number;
  signedBy: Verifier;
  /** Until when the current release is valid, ISO 8601; afterwards somebody may be withholding a newer one. */
  expires: string;
}

/** Snapshots whose indexes are read at once. */
const PARALLEL = 8;

/**
 * Finds which release lists a file with this SHA-256: the current one, or else the newest snapshot that has it. The publisher’s signatures over the
 * release and over the list of snapshots are verified. `keys` null trusts the keys that the release names. Throws what reading a release throws.
 */
export async function findFile(
  origin: Origin,
  { sha256, keys }: { sha256: string; keys: readonly Verifier[] | null },
): Promise<Search> {
  const release = await readSigned(origin, await readLatest(origin), keys);
  const { manifest, signedBy } = release;
  const about = { signedBy, expires: manifest.expires };
  const paths = pathsOf(manifest.files, sha256);
  if (paths.length > 0) {
    const { release: id, as_of } = manifest;
    return { found: { paths, release: id, snapshot: null, as_of }, snapshots: 0, ...about };
  }
  const { index } = await readSignedList(origin, release);
  for (let at = 0; at < index.length; at += PARALLEL) {
    const some = index.slice(at, at + PARALLEL);
    const snapshots = await Promise.all(some.map((entry) => readSnapshotIndex(origin, entry)));
    for (const { id, release, as_of, files } of snapshots) {
      const paths = pathsOf(files, sha256);
      if (paths.length > 0)
        return { found: { paths, release, snapshot: id, as_of }, snapshots: at + some.length, ...about };
    }
  }
  return { found: null, snapshots: index.length, ...about };
}

function pathsOf(files: readonly { path: string; sha256: string }[], wanted: string): string[] {
  return files.filter(({ sha256 }) => sha256 === wanted).map(({ path }) => path);
}
