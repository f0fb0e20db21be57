import { sha256 } from '#hashing';
import { textOf } from '../../release/format/public-manifest.ts';
import {
  parseSnapshot,
  type Snapshot,
  type SnapshotEntry,
  type SnapshotFile,
} from '../../release/format/snapshot-index.ts';
import { mismatchError } from '../findings.ts';
import { type Origin, promisedBody, readPromised } from '../origin.ts';

/** A file as it is in a snapshot. */
export interface FileVersion {
  entry: SnapshotEntry;
  file: SnapshotFile;
}

/** The longest file that is assembled in a browser, in bytes; the rest of the memory is for others. */
const LONGEST_VERSION = 512 << 20;
/** Receives how many bytes there are so far. */
export type Progress = (bytes: number) => void;

/** The index of a listed snapshot. Throws mirror_mismatch, release_invalid and mirror_unreachable. */
export async function readSnapshotIndex(origin: Origin, { id, index }: SnapshotEntry): Promise<Snapshot> {
  const place = origin.placeOf(index.path);
  const bytes = await readPromised(origin, index, ', as listed');
  const snapshot = parseSnapshot(textOf(bytes, place), place);
  if (snapshot.id !== id) throw mismatchError(place, `snapshot ${id}`, snapshot.id);
  return snapshot;
}

/** The version of a file in a snapshot; null if the snapshot does not have the file. Throws like `readSnapshotIndex`. */
export async function findVersion(
  origin: Origin,
  entry: SnapshotEntry,
  path: string,
): Promise<FileVersion | null> {
  const { files } = await readSnapshotIndex(origin, entry);
  const file = files.find((one) => one.path === path);
  return file ? { entry, file } : null;
}

/** All bytes of a version, whose hash was verified. Throws mirror_mismatch and mirror_unreachable. */
export async function readVersion(origin: Origin, version: FileVersion, progress: Progress): Promise<Blob> {
  const { entry, file } = version;
  const total = file.bytes;
  if (total > LONGEST_VERSION)
    throw mismatchError(file.path, `a file of at most ${LONGEST_VERSION} bytes`, `${total}`);
  const parts: Uint8Array<ArrayBuffer>[] = [];
  const hash = sha256();
  let at = 0;
  for await (const chunk of bytesOf(origin, version)) {
    hash.update(chunk);
    parts.push(chunk as Uint8Array<ArrayBuffer>);
    at += chunk.length;
    progress(at);
  }
  const found = hash.digest();
  if (found !== file.sha256)
    throw mismatchError(`/${file.path} of ${entry.id}`, `SHA-256 ${file.sha256}, as in its snapshot`, found);
  return new Blob(parts, { type: file.media_type });
}

/** Where a history's rows are; null: they are lost. */
function placeOfRows({ entry, file }: FileVersion): string | null {
  if ('url' in file) return file.url;
  const old = entry.histories?.[file.range.of];
  return old === undefined ? file.range.of : old;
}

function headOf({ file }: FileVersion): Uint8Array {
  return new TextEncoder().encode('head' in file ? file.head : '');
}

async function* bytesOf(origin: Origin, version: FileVersion): AsyncGenerator<Uint8Array> {
  const { file, entry } = version;
  if ('url' in file) {
    const opened = await origin.openExisting(file.url);
    return yield* promisedBody(opened, file.bytes, origin.placeOf(file.url));
  }
  const { of, last } = file.range;
  const place = placeOfRows(version);
  if (place === null) {
    const expected = `the rows of /${of} as they were written at ${entry.id}`;
    throw mismatchError(`/${of}`, expected, 'the old file is lost; cathedral as-of can rebuild it');
  }
  yield headOf(version);
  // HTTP has no empty range: hosts would answer 416.
  if (last > 0) yield* endOf(origin, place, last);
}

/** The last bytes of a file; a host without ranges sends all of it. */
async function* endOf(origin: Origin, path: string, last: number) {
  const place = origin.placeOf(path);
  const opened = await origin.openExisting(path, 'a file', { last });
  const { from, total } = opened;
  if (total !== undefined) {
    if (total - from !== last) throw mismatchError(place, `the last ${last} bytes`, `${total - from}`);
    return yield* promisedBody({ ...opened, from: 0 }, last, place);
  }
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of opened.body) {
    bytes += chunk.length;
    if (bytes > LONGEST_VERSION)
      throw mismatchError(
        place,
        'a host that sends parts of files (ranges)',
        'one that sends only all of it',
      );
    parts.push(chunk);
  }
  if (bytes < last) throw mismatchError(place, `at least ${last} bytes`, `${bytes}`);
  let at = 0;
  for (const part of parts) {
    yield part.subarray(Math.max(0, bytes - last - at));
    at += part.length;
  }
}
