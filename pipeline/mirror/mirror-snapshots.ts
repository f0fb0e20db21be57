import { createReadStream } from 'node:fs';
import { access, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { CathedralError } from '../errors.ts';
import type { TileReader } from '../ledger/log/tile-reader.ts';
import type { Verifier } from '../ledger/note.ts';
import { asDiskErrors, exists, replaceFile } from '../release/disk/durable.ts';
import type { PublicManifest } from '../release/format/public-manifest.ts';
import type { SnapshotEntry } from '../release/format/snapshot-index.ts';
import { StagingFolder } from '../release/staging/staging-folder.ts';
import { assertEnded } from '../verify/assert-ended.ts';
import { mismatch } from '../verify/mismatch.ts';
import { promisedHistories } from '../verify/old-histories.ts';
import type { Promised } from '../verify/origin/fetch-blob.ts';
import { type FetchWork, fetchBlobs } from '../verify/origin/fetch-blobs.ts';
import { FolderOrigin } from '../verify/origin/folder-origin.ts';
import type { Source } from '../verify/origin/held-blobs.ts';
import { measure } from '../verify/origin/measure.ts';
import type { Origin } from '../verify/origin/origin.ts';
import { readSignedList, type SignedList } from '../verify/signed-list.ts';
import {
  type Ended,
  readSnapshot,
  readSnapshotList,
  type Stored,
  storedFiles,
} from '../verify/snapshot-list.ts';
import { assertSigned } from '../verify/snapshot-signature.ts';

export interface SnapshotWork extends FetchWork {
  folder: string;
  reader: TileReader;
  manifest: PublicManifest;
  /** Keys that sign the release, and so the list. */
  keys: readonly Verifier[];
  /** Keys that may have signed what is new since the last run. */
  known: readonly Verifier[];
  /** Where bytes are by SHA-256; those of snapshots are added. */
  blobs: Map<string, Source>;
  /** Reads what is held, too, and brings again what is damaged. */
  recheck: boolean;
}

export interface SnapshotsBrought {
  /** As the origin has it, for when all else is in its place. */
  list: SignedList;
  added: number;
  /** Of those, the ones that no key vouches for that is known now. */
  unvouched: number;
  bytes: number;
}

/**
 * Brings the snapshots that are not here yet, the oldest first; one is here when its index is. One that is here already must
 * be the same still. Throws what `readSignedList`, `readSnapshot`, `assertSigned` and `fetchBlobs` throw.
 */
export async function mirrorSnapshots(work: SnapshotWork): Promise<SnapshotsBrought> {
  const { origin, folder, recheck } = work;
  const list = await readSignedList(origin, work);
  const before = await readSnapshotList(await FolderOrigin.at(folder));
  const held = new Map<string, string>();
  // A list that is newer than the release that was brought with it tells of one that is not here.
  for (const { id, index } of before?.index ?? [])
    if (await exists(join(folder, index.path))) held.set(id, index.sha256);
  const brought: SnapshotsBrought = { list, added: 0, unvouched: 0, bytes: 0 };
  const histories = await promisedHistories(origin, folder, list.index, work.manifest);
  const old = await fetchMissing(histories, work);
  await placeFiles(old.missing, work);
  brought.bytes += old.bytes;
  for (const entry of list.index.toReversed()) {
    const known = held.get(entry.id);
    if (known !== undefined) assertUnchanged(origin, entry, known);
    if (known !== undefined && !recheck) continue;
    const { bytes, isVouched } = await bring(entry, work, before !== null && known === undefined);
    brought.bytes += bytes;
    if (known === undefined) brought.added += 1;
    if (known === undefined && !isVouched) brought.unvouched += 1;
  }
  return brought;
}

function assertUnchanged(origin: Origin, { id, index }: SnapshotEntry, held: string): void {
  if (index.sha256 === held) return;
  const expected = `snapshot ${id} with the index ${held}, as it is held: a snapshot never changes`;
  throw mismatch(origin.placeOf(index.path), expected, index.sha256);
}

/** `isNew`: it came since the last run, so a key that is known must have signed it. */
async function bring(entry: SnapshotEntry, work: SnapshotWork, isNew: boolean) {
  const { origin, folder, reader, blobs, known } = work;
  const { snapshot, bytes } = await readSnapshot(origin, entry, reader);
  const place = origin.placeOf(entry.index.path);
  const stored = storedFiles(snapshot, work.manifest, place);
  const files = stored.map(({ url, sha256, bytes }) => ({ path: url, sha256, bytes }));
  const { missing, bytes: fetched } = await fetchMissing(files, work);
  const read = ({ sha256, url }: Stored) => readFile(pathOf(blobs.get(sha256), join(folder, url)));
  const voucher = await assertSigned(snapshot, stored, { keys: known, read, place });
  if (isNew && voucher !== 'known')
    throw new CathedralError('ledger_signature', {
      place,
      expected: 'a new snapshot that a known key has signed',
      found: voucher === 'nobody' ? 'no signature' : 'one by keys that it names itself',
    });
  for (const file of snapshot.files)
    if ('range' in file) await assertEnd(file, entry, { folder, manifest: work.manifest, blobs, place });
  // Nothing is where it is served before all of it is known to be right; the index says that it is whole.
  await placeFiles(missing, work);
  await replaceFile(join(folder, entry.index.path), bytes);
  return { bytes: fetched, isVouched: voucher === 'known' };
}

/** Of the files those that are not here; they are among the blobs then. */
async function fetchMissing(files: readonly Promised[], work: SnapshotWork) {
  const missing: Promised[] = [];
  for (const file of files) if (!(await isHeld(file, work))) missing.push(file);
  const { bytes } = await fetchBlobs(missing, work.blobs, work);
  return { missing, bytes };
}

/** Puts blobs in their places below the folder. */
async function placeFiles(files: readonly Promised[], { folder, blobs }: SnapshotWork): Promise<void> {
  const target = new StagingFolder(folder);
  for (const { path, sha256, bytes } of files) {
    const { folder: from, file } = blobs.get(sha256)!;
    if (!(await target.link(from, [{ file, bytes, as: path }])))
      throw mismatch(join(from, file), `a file of ${bytes} bytes`, 'none, or another length');
  }
  if (files.length > 0) await target.flush();
}

function pathOf(source: Source | undefined, otherwise: string): string {
  return source ? join(source.folder, source.file) : otherwise;
}

/** A file that is at its place already, from a run that did not come to its end, or of another snapshot. */
async function isHeld(
  { path, sha256, bytes }: Promised,
  { folder, recheck }: SnapshotWork,
): Promise<boolean> {
  const place = join(folder, path);
  const found = await access(place).then(
    () => measure(createReadStream(place)),
    () => null,
  );
  if (!found) return false;
  if (found.bytes === bytes && found.sha256 === sha256) return true;
  if (!recheck) throw mismatch(place, `SHA-256 ${sha256}, or no such file`, found.sha256);
  await asDiskErrors(place, () => rm(place));
  return false;
}

/** A history of then is its beginning of then and the end of what it is now, or of a file that is kept for that. */
async function assertEnd(
  file: Ended,
  { histories = {} }: SnapshotEntry,
  { folder, manifest, blobs, place }: Pick<SnapshotWork, 'folder' | 'manifest' | 'blobs'> & { place: string },
): Promise<void> {
  const { of, last } = file.range;
  const old = histories[of];
  if (old === null) return;
  const current = manifest.files.find(({ path }) => path === of);
  const source = old === undefined ? current && blobs.get(current.sha256) : { folder, file: old };
  const at = source && join(source.folder, source.file);
  const size = old === undefined ? (current?.bytes ?? 0) : (await stat(at!)).size;
  if (!at || size < last)
    throw mismatch(`${place}: ${file.path}`, `${last} bytes of ${old ?? of}`, 'none, or fewer');
  await assertEnded(file, last === 0 ? [] : createReadStream(at, { start: size - last }), place);
}
