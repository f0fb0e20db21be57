import { readdir, readFile, rename, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { asDiskErrors, exists, makeFolder, replaceFiles, sync } from '../disk/durable.ts';
import { CathedralError } from '../errors.ts';
import { isSlotId } from '../ledger/events/slot.ts';
import type { Blobs, Wanted } from '../mirror/blobs.ts';
import type { ObjectStore } from '../objects/object-store.ts';
import { STAGING } from '../release/disk/remove-left-overs.ts';
import { type Blob, sha256 } from '../release/format/manifest.ts';
import {
  INDEX,
  LIST_PATH,
  LIST_SIGNATURE_PATH,
  LONGEST_INDEX,
  OLD_HISTORIES,
  parseSnapshot,
  parseSnapshotIndex,
  SNAPSHOTS,
} from '../release/format/snapshot-index.ts';
import type { SnapshotHashes } from '../release/signing/signing-record.ts';
import { StagingFolder } from '../release/staging/staging-folder.ts';
import { blobKey } from './layout.ts';
import type { Pointed } from './pointer.ts';
import { openBlobs, PARALLEL_FETCHES, type PullOptions, storedBlob } from './pull-release.ts';
import { LONGEST_SNAPSHOT_FILES, parseSnapshotFiles, type SnapshotFiles } from './snapshot-files.ts';
import { StoreOrigin } from './store-origin.ts';
import { readPointed } from './stored-release.ts';

export interface SnapshotsPull extends PullOptions {
  store: Pick<ObjectStore, 'name' | 'get' | 'read'>;
  /** SHA-256 of the index of each snapshot that was recorded as published, by id: the list may not have the newest yet. */
  recorded: SnapshotHashes;
}

const PAGE = `${SNAPSHOTS}/index.html`;
/** Folders that are made or removed. */
const ASIDE = `${STAGING}snapshot-`;
const FETCHED = `${STAGING}fetched-snapshots`;

/**
 * Makes the snapshots of OUT those of a pointer, whole and with their list. A snapshot that OUT has with the same index stays; one that
 * the cluster does not have, or has with other bytes, is removed. Without a list, before the first release, only recorded ones are fetched
 * or replaced. Throws store_failed, release_invalid, publish_failed and disk_full.
 */
export async function pullSnapshots(
  { snapshots }: Pick<Pointed, 'snapshots'>,
  options: SnapshotsPull,
): Promise<void> {
  const { out, store, recorded } = options;
  const listed = snapshots && (await readList(snapshots, store));
  const wanted = new Map([...Object.entries(recorded), ...(listed?.hashes ?? [])]);
  if (wanted.size === 0 && !listed) return;
  await asDiskErrors(out, () => makeFolder(join(out, SNAPSHOTS)));
  await removeOthers(out, wanted, listed?.files ?? null);
  const blobs = await openBlobs(new StoreOrigin(store, options.signal), join(out, FETCHED), [out]);
  const means = { ...options, blobs, files: listed?.files ?? {} };
  for (const id of [...wanted.keys()].sort())
    if (!(await exists(join(out, SNAPSHOTS, id)))) await pullSnapshot(id, wanted.get(id)!, means);
  if (listed) {
    await pullHistories(means);
    await replaceFiles(await textsOf(listed, options));
  }
  await blobs.clear();
}

interface ListedSnapshots {
  files: SnapshotFiles['files'];
  list: Buffer;
  /** SHA-256 of each index, by id. */
  hashes: [id: string, sha256: string][];
}

async function readList(snapshots: Blob, store: PullOptions['store']): Promise<ListedSnapshots> {
  const text = await readBlob(store, snapshots, LONGEST_SNAPSHOT_FILES);
  const files = parseSnapshotFiles(String(text), `${store.name}/${blobKey(snapshots.sha256)}`);
  const list = await readBlob(store, files[LIST_PATH]!, LONGEST_INDEX);
  const entries = parseSnapshotIndex(String(list), `${store.name}/${LIST_PATH}`);
  return { files, list, hashes: entries.map(({ id, index }) => [id, index.sha256]) };
}

/** Removes snapshots that are not wanted, and files of another run beside them. `files`: null without a list. */
async function removeOthers(
  out: string,
  wanted: ReadonlyMap<string, string>,
  files: SnapshotFiles['files'] | null,
): Promise<void> {
  const folder = join(out, SNAPSHOTS);
  for (const id of (await readdir(folder)).filter(isSlotId)) {
    if (!files && !wanted.has(id)) continue;
    const index = await readFile(join(folder, id, INDEX)).catch(() => null);
    if (!index || sha256(index) !== wanted.get(id)) await removeWhole(out, `${SNAPSHOTS}/${id}`);
  }
  if (!files) return;
  for (const name of await readdir(join(out, OLD_HISTORIES)).catch(() => []))
    if (!files[`${OLD_HISTORIES}/${name}`]) await removeWhole(out, `${OLD_HISTORIES}/${name}`);
}

/** Renames it first, so that a kill leaves no part of a snapshot. */
async function removeWhole(out: string, path: string): Promise<void> {
  const aside = join(out, `${ASIDE}${basename(path)}`);
  await asDiskErrors(join(out, path), async () => {
    await rm(aside, { recursive: true, force: true });
    await rename(join(out, path), aside);
    await rm(aside, { recursive: true, force: true });
  });
}

interface Means extends SnapshotsPull {
  files: SnapshotFiles['files'];
  blobs: Blobs;
}

async function pullSnapshot(
  id: string,
  hash: string,
  { out, store, blobs, parallel = PARALLEL_FETCHES }: Omit<Means, 'files'>,
): Promise<void> {
  const path = `${SNAPSHOTS}/${id}`;
  const index = await readBlob(store, { sha256: hash }, LONGEST_INDEX);
  const place = `${store.name}/${blobKey(hash)}`;
  const snapshot = parseSnapshot(String(index), place);
  if (snapshot.id !== id) throw invalid(place, `the index of ${id}`, `that of ${snapshot.id}`);
  const stored = snapshot.files.flatMap((file) => ('url' in file ? [file] : []));
  const astray = stored.find(({ url }) => !url.startsWith(`${path}/`));
  if (astray) throw invalid(place, `paths below ${path}/`, astray.url);
  await blobs.fetchAll(stored.map(storedBlob), parallel);
  const folder = new StagingFolder(join(out, `${ASIDE}${id}`));
  const wanted = stored.map(({ url, sha256, bytes }) => ({ as: url.slice(path.length + 1), sha256, bytes }));
  await blobs.assemble(folder, wanted, [[INDEX, index]]);
  await asDiskErrors(join(out, path), async () => {
    await rename(folder.dir, join(out, path));
    await sync(join(out, SNAPSHOTS));
  });
}

async function pullHistories({ out, files, blobs, parallel = PARALLEL_FETCHES }: Means): Promise<void> {
  const missing: Wanted[] = [];
  for (const [as, blob] of Object.entries(files))
    if (as.startsWith(`${OLD_HISTORIES}/`) && !(await exists(join(out, as)))) missing.push({ as, ...blob });
  await blobs.fetchAll(missing.map(storedBlob), parallel);
  const target = new StagingFolder(out);
  await blobs.link(target, missing);
  if (missing.length > 0) await target.flush();
}

/** The page, the list and, last, its signature. */
async function textsOf(
  { files, list }: ListedSnapshots,
  { store, out }: PullOptions,
): Promise<[place: string, bytes: Buffer][]> {
  const texts: [string, Buffer][] = [];
  for (const path of [PAGE, LIST_PATH, LIST_SIGNATURE_PATH]) {
    const blob = files[path];
    if (!blob) continue;
    const bytes = path === LIST_PATH ? list : await readBlob(store, blob, LONGEST_INDEX);
    texts.push([join(out, path), bytes]);
  }
  return texts;
}

function readBlob(
  store: PullOptions['store'],
  { sha256 }: Pick<Blob, 'sha256'>,
  mostBytes: number,
): Promise<Buffer> {
  return readPointed(store, { key: blobKey(sha256), sha256 }, mostBytes);
}

function invalid(place: string, expected: string, found: string): CathedralError {
  return new CathedralError('release_invalid', { place, expected, found });
}
