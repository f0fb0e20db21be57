import { readdir, readFile, rename, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { asDiskErrors, exists, makeFolder, replaceFiles, sync } from '../disk/durable.ts';
import { CathedralError } from '../errors.ts';
import { isSlotId } from '../ledger/events/slot.ts';
import type { Source } from '../mirror/keeping-origin.ts';
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
import { fetchMissing, localBlobs, type PullOptions } from './pull-release.ts';
import { LONGEST_SNAPSHOT_FILES, parseSnapshotFiles, type SnapshotFiles } from './snapshot-files.ts';

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
  const staging = join(out, FETCHED);
  await asDiskErrors(staging, () => makeFolder(staging));
  const blobs = await localBlobs([out]);
  const means = { ...options, staging, blobs, files: listed?.files ?? {} };
  for (const id of [...wanted.keys()].sort())
    if (!(await exists(join(out, SNAPSHOTS, id)))) await pullSnapshot(id, wanted.get(id)!, means);
  if (listed) {
    await pullHistories(means);
    await replaceFiles(await textsOf(listed, options));
  }
  await asDiskErrors(staging, () => rm(staging, { recursive: true, force: true }));
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

/** What is fetched waits in `staging`; `blobs` is where all bytes are that are here, by SHA-256. */
interface Means extends SnapshotsPull {
  files: SnapshotFiles['files'];
  staging: string;
  blobs: Map<string, Source>;
}

async function pullSnapshot(
  id: string,
  hash: string,
  { blobs, ...means }: Omit<Means, 'files'>,
): Promise<void> {
  const { out, store } = means;
  const path = `${SNAPSHOTS}/${id}`;
  const index = await readBlob(store, { sha256: hash }, LONGEST_INDEX);
  const place = `${store.name}/${blobKey(hash)}`;
  const snapshot = parseSnapshot(String(index), place);
  if (snapshot.id !== id) throw invalid(place, `the index of ${id}`, `that of ${snapshot.id}`);
  const stored = snapshot.files.flatMap((file) => ('url' in file ? [file] : []));
  await fetchMissing(stored, blobs, means);
  const folder = new StagingFolder(join(out, `${ASIDE}${id}`));
  await asDiskErrors(folder.dir, () => rm(folder.dir, { recursive: true, force: true }));
  for (const { url, sha256, bytes } of stored) {
    if (!url.startsWith(`${path}/`)) throw invalid(place, `paths below ${path}/`, url);
    const { folder: from, file } = blobs.get(sha256)!;
    const as = url.slice(path.length + 1);
    if (!(await folder.link(from, [{ file, bytes, sha256: null, as }])))
      throw invalid(join(from, file), `a file of ${bytes} bytes`, 'none');
  }
  await folder.write(INDEX, index);
  await folder.flush();
  await asDiskErrors(join(out, path), async () => {
    await rename(folder.dir, join(out, path));
    await sync(join(out, SNAPSHOTS));
  });
}

async function pullHistories({ files, blobs, ...means }: Means): Promise<void> {
  const { out } = means;
  const missing: (Blob & { path: string })[] = [];
  for (const [path, blob] of Object.entries(files))
    if (path.startsWith(`${OLD_HISTORIES}/`) && !(await exists(join(out, path))))
      missing.push({ path, ...blob });
  await fetchMissing(missing, blobs, means);
  const target = new StagingFolder(out);
  for (const { path: as, sha256, bytes } of missing) {
    const { folder, file } = blobs.get(sha256)!;
    if (!(await target.link(folder, [{ file, bytes, sha256: null, as }])))
      throw invalid(join(folder, file), `a file of ${bytes} bytes`, 'none');
  }
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

async function readBlob(
  store: PullOptions['store'],
  { sha256 }: Pick<Blob, 'sha256'>,
  mostBytes: number,
): Promise<Buffer> {
  const key = blobKey(sha256);
  const found = await store.read(key, mostBytes, sha256);
  if (found) return Buffer.from(found.content);
  throw invalid(`${store.name}/${key}`, 'a blob that the pointer leads to', 'no such object');
}

function invalid(place: string, expected: string, found: string): CathedralError {
  return new CathedralError('release_invalid', { place, expected, found });
}
