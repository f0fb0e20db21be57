import { nearestName } from '../../../../pipeline/config/nearest-name.ts';
import { CathedralError } from '../../../../pipeline/errors.ts';
import type { Snapshot, SnapshotEntry } from '../../../../pipeline/release/format/snapshot-index.ts';
import {
  AS_OF_FORMS,
  firstSnapshotOf,
  monthOf,
  slotAsOf,
} from '../../../../pipeline/release/format/version-at.ts';
import type { Origin } from '../../../../pipeline/verify/origin.ts';
import {
  type FileVersion,
  readSnapshotIndex,
  readVersion,
} from '../../../../pipeline/verify/versions/file-version.ts';
import type { ListedSnapshots } from '../../../../pipeline/verify/versions/listed-snapshots.ts';
import { formatMonth } from '../../../../pipeline/words/moment.ts';
import { NothingToCheck } from '../../layout/steps.ts';

/** Characters of a parameter that are shown. */
const LONGEST_SHOWN = 200;
/** Enough for a header and a row, bytes. */
const BEGINNING = 4096;

/** The address of a file as it was, on any host: the page assembles it. */
export function versionAddress(path: string, asOf: string): string {
  const query = new URLSearchParams({ file: path, as_of: asOf });
  // A path is easier to read with its slashes, which a query may have.
  return `/versions/?${query.toString().replaceAll('%2F', '/')}`;
}

/** Nothing can be shown of what the address asks for; `near` has snapshots that can. */
export class NoSuchVersion extends NothingToCheck {
  readonly near: readonly SnapshotEntry[];

  constructor(place: string, expected: string, found: string, near: readonly SnapshotEntry[] = []) {
    super(
      new CathedralError('config_invalid', {
        place,
        expected,
        found: found.slice(0, LONGEST_SHOWN) || 'nothing',
      }),
    );
    this.near = near;
  }
}

/** A version, and the snapshot that has it. */
export interface FoundVersion extends FileVersion {
  snapshot: Snapshot;
}

/**
 * The version that the address asks for, of the newest snapshot where `asOf` is empty, by the rules of `?as_of=` on the service: where a snapshot
 * between was removed or never made, it is an answer only if the file is known to have been the same. Throws NoSuchVersion, and what the list and
 * the origin throw.
 */
export async function wantedVersion(
  listed: ListedSnapshots,
  origin: Origin,
  { path, asOf }: { path: string; asOf: string },
): Promise<FoundVersion> {
  const slot = asOf === '' ? '9999-12-31T18Z' : slotAsOf(asOf);
  if (slot === null) throw new NoSuchVersion('as_of', AS_OF_FORMS, asOf);
  const { before, after, isExact } = await listed.at(slot).catch(noSnapshots);
  const nearest = before ?? after;
  if (!nearest) throw new NoSuchVersion('as_of', 'a snapshot on this host', 'an empty list of snapshots');
  const older = before && (await versionIn(origin, before, path));
  if (isExact && !older) throw await unknownFile(origin, nearest, path);
  if (isExact) return older!;
  const newer = after && (await versionIn(origin, after, path));
  if (older && newer?.file.sha256 === older.file.sha256) return older;
  if (newer && (await firstSnapshotWith(origin, newer)) <= slot) return newer;
  if (!older && !newer) throw await unknownFile(origin, nearest, path);
  if (!before)
    throw new NoSuchVersion('as_of', `a time from the first snapshot on, ${nearest.id}`, asOf, [nearest]);
  const kept = `of ${formatMonth(monthOf(after!.id))} only the last snapshot is kept, ${after!.id}`;
  throw new NoSuchVersion(
    'as_of',
    `a time of which the snapshot is kept (${kept})`,
    `${asOf}, whose snapshot was removed or never made; cathedral as-of rebuilds it from the ledger`,
    [before, after!],
  );
}

/** A host without the list, such as a copy of one release, says nothing about what the file was. */
function noSnapshots(error: Error): never {
  if (!(error instanceof CathedralError) || error.code !== 'mirror_mismatch') throw error;
  throw new NoSuchVersion(error.place, error.expected, error.found);
}

async function unknownFile(origin: Origin, entry: SnapshotEntry, path: string): Promise<NoSuchVersion> {
  const { files } = await readSnapshotIndex(origin, entry);
  const near = nearestName(
    path,
    files.map((file) => file.path),
  );
  const some = near === null ? 'a file' : `${near}, or another file`;
  return new NoSuchVersion('file', `${some} that the snapshot ${entry.id} has`, path);
}

async function versionIn(origin: Origin, entry: SnapshotEntry, path: string): Promise<FoundVersion | null> {
  const snapshot = await readSnapshotIndex(origin, entry);
  const file = snapshot.files.find((one) => one.path === path);
  return file ? { entry, snapshot, file } : null;
}

/** After every snapshot if the file does not say. */
async function firstSnapshotWith(origin: Origin, version: FileVersion): Promise<string> {
  const bytes = await readVersion(origin, version, () => {});
  return firstSnapshotOf(version.file.path, await bytes.slice(0, BEGINNING).text()) ?? '~';
}
