import { createReadStream } from 'node:fs';
import { access, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { TileReader } from '../log/tile-reader.ts';
import { guarded, replaceFile } from '../publish/durable.ts';
import type { PublicManifest } from '../publish/public-manifest.ts';
import type { SnapshotEntry } from '../publish/snapshot-index.ts';
import { StagingFolder } from '../publish/staging-folder.ts';
import { type FetchWork, fetchBlobs } from './fetch-blobs.ts';
import { FolderOrigin } from './folder-origin.ts';
import type { Source } from './held-blobs.ts';
import { measure } from './measure.ts';
import { mismatch } from './mismatch.ts';
import type { Origin } from './origin.ts';
import {
  assertEnded,
  type Ended,
  readSnapshot,
  readSnapshotList,
  type SnapshotList,
  type Stored,
  storedFiles,
} from './snapshot-list.ts';

export interface SnapshotWork extends FetchWork {
  folder: string;
  reader: TileReader;
  manifest: PublicManifest;
  /** Where bytes are by SHA-256; those of snapshots are added. */
  blobs: Map<string, Source>;
  /** Reads what is held, too, and brings again what is damaged. */
  recheck: boolean;
}

/**
 * Brings the snapshots that are not here yet, the oldest first; one is here when its index is. One that is here already must
 * be the same still. Gives the list that the origin has, for when all else is in its place. Throws what
 * `readSnapshot` and `fetchBlobs` throw.
 */
export async function mirrorSnapshots(
  work: SnapshotWork,
): Promise<{ list: SnapshotList | null; added: number; bytes: number }> {
  const { origin, folder, recheck } = work;
  const list = await readSnapshotList(origin);
  const before = await readSnapshotList(await FolderOrigin.at(folder));
  const held = new Map(before?.index.map((entry) => [entry.id, entry.index.sha256]));
  const result = { list, added: 0, bytes: 0 };
  for (const entry of list?.index.toReversed() ?? []) {
    const known = held.get(entry.id);
    if (known !== undefined) assertUnchanged(origin, entry, known);
    if (known !== undefined && !recheck) continue;
    result.bytes += await bring(entry, work);
    result.added += known === undefined ? 1 : 0;
  }
  return result;
}

function assertUnchanged(origin: Origin, { id, index }: SnapshotEntry, held: string): void {
  if (index.sha256 === held) return;
  const expected = `snapshot ${id} with the index ${held}, as it is held: a snapshot never changes`;
  throw mismatch(origin.placeOf(index.path), expected, index.sha256);
}

async function bring(entry: SnapshotEntry, work: SnapshotWork): Promise<number> {
  const { origin, folder, reader, blobs, manifest } = work;
  const { snapshot, bytes } = await readSnapshot(origin, entry, reader);
  const place = origin.placeOf(entry.index.path);
  const stored = storedFiles(snapshot, place);
  assertBounded(stored, manifest, place);
  for (const file of snapshot.files) if ('range' in file) await assertEnd(file, work, place);
  const missing: Stored[] = [];
  for (const file of stored) if (!(await isHeld(file, work))) missing.push(file);
  const { bytes: fetched } = await fetchBlobs(
    missing.map(({ url, sha256, bytes }) => ({ path: url, sha256, bytes })),
    blobs,
    work,
  );
  const target = new StagingFolder(folder);
  for (const { url, sha256, bytes } of missing) {
    const { folder: from, file } = blobs.get(sha256)!;
    if (!(await target.link(from, [{ file, bytes, as: url }])))
      throw mismatch(join(from, file), `a file of ${bytes} bytes`, 'none, or another length');
  }
  await target.flush();
  await replaceFile(join(folder, entry.index.path), bytes);
  return fetched;
}

/** No signature covers a snapshot, so its size is bounded by that of the release, which holds all of its histories. */
function assertBounded(stored: readonly Stored[], { files }: PublicManifest, place: string): void {
  const sum = (list: readonly { bytes: number }[]) => list.reduce((total, { bytes }) => total + bytes, 0);
  const most = 2 * sum(files);
  if (sum(stored) > most) throw mismatch(place, `files of at most ${most} bytes together`, `${sum(stored)}`);
}

/** A file that is at its place already, from a run that did not come to its end, or of another snapshot. */
async function isHeld({ url, sha256, bytes }: Stored, { folder, recheck }: SnapshotWork): Promise<boolean> {
  const place = join(folder, url);
  const found = await access(place).then(
    () => measure(createReadStream(place)),
    () => null,
  );
  if (!found) return false;
  if (found.bytes === bytes && found.sha256 === sha256) return true;
  if (!recheck) throw mismatch(place, `SHA-256 ${sha256}, or no such file`, found.sha256);
  await guarded(place, () => rm(place));
  return false;
}

async function assertEnd(file: Ended, { manifest, blobs }: SnapshotWork, place: string): Promise<void> {
  const { of, last } = file.range;
  const current = manifest.files.find(({ path }) => path === of);
  const source = current && blobs.get(current.sha256);
  if (!source || current.bytes < last)
    throw mismatch(`${place}: ${file.path}`, `${last} bytes of ${of} in the release`, 'none, or fewer');
  const tail = createReadStream(join(source.folder, source.file), { start: current.bytes - last });
  await assertEnded(file, last === 0 ? [] : tail, place);
}
