import { readdir, readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { asDiskErrors, exists, makeFolder, sync } from '../disk/durable.ts';
import { inParallel } from '../disk/in-parallel.ts';
import { errorOf } from '../errors.ts';
import { isSlotId } from '../ledger/events/slot.ts';
import type { Blobs, Wanted } from '../mirror/blobs.ts';
import type { ObjectStore } from '../objects/object-store.ts';
import { removeWhole, SNAPSHOT_STAGING, STAGING } from '../release/disk/remove-left-overs.ts';
import { type Blob, sha256 } from '../release/format/manifest.ts';
import {
  INDEX,
  LIST_FILES,
  LIST_PATH,
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

const invalid = errorOf('release_invalid');

export interface SnapshotsPull extends PullOptions {
  store: Pick<ObjectStore, 'name' | 'get' | 'read'>;
  /** SHA-256 of the index of each snapshot that was recorded as published, by id: the list may not have the newest yet. */
  recorded: SnapshotHashes;
}

const FETCHED = `${STAGING}fetched-snapshots`;
/** Each has few new files, so a store with a long way to it would be waited for most of the time. */
const SNAPSHOTS_AT_ONCE = 4;

/** The snapshots of a pointer, of which the newest is in its place. */
export interface PulledSnapshots {
  /** The page, the list and, last, its signature, which say what is there: by path, to be placed in this order. */
  texts: ReadonlyMap<string, Buffer>;
  /** Fetches the others, the newest first, until it is over. Returns whether all are here. */
  rest: (isOver: () => boolean) => Promise<boolean>;
  /** Removes what the list does not name, for when it is in its place. */
  clean: () => Promise<void>;
}

/**
 * Gives OUT the snapshots of a pointer, without their list. A snapshot that OUT has with the same index stays; one that the cluster has with
 * other bytes is replaced. Without a list, before the first release, only recorded ones are fetched or replaced. Throws store_failed,
 * release_invalid, publish_failed and disk_full.
 */
export async function pullSnapshots(
  { snapshots }: Pick<Pointed, 'snapshots'>,
  options: SnapshotsPull,
): Promise<PulledSnapshots> {
  const { out, alsoIn = [], store, recorded, signal } = options;
  const listed = snapshots && (await readList(snapshots, store));
  const wanted = new Map([...Object.entries(recorded), ...(listed?.hashes ?? [])]);
  if (wanted.size === 0 && !listed)
    return { texts: new Map(), rest: async () => true, clean: async () => {} };
  await asDiskErrors(out, () => makeFolder(join(out, SNAPSHOTS)));
  const here = await localSnapshots(out);
  const others = [...here].filter(([id, hash]) => wanted.has(id) && wanted.get(id) !== hash);
  await removeWhole(
    out,
    others.map(([id]) => `${SNAPSHOTS}/${id}`),
  );
  const missing = [...wanted]
    .filter(([id, hash]) => here.get(id) !== hash)
    .sort()
    .reverse();
  const blobs = await openBlobs(new StoreOrigin(store, signal), join(out, FETCHED), [...alsoIn, out]);
  for (const folder of alsoIn) for (const [id] of missing) await knowSnapshot(folder, id, blobs);
  const means = { ...options, blobs, files: listed?.files ?? {} };
  const newest = [...wanted.keys()].sort().at(-1);
  if (missing[0] && missing[0][0] === newest) await pullSnapshot(...missing.shift()!, means);
  if (listed) await pullHistories(means);
  if (missing.length === 0) await blobs.clear();
  return {
    texts: listed ? await textsOf(listed, options) : new Map(),
    async rest(isOver) {
      while (missing.length > 0 && !isOver()) {
        const some = missing.slice(0, SNAPSHOTS_AT_ONCE);
        await inParallel(some, SNAPSHOTS_AT_ONCE, ([id, hash]) => pullSnapshot(id, hash, means));
        missing.splice(0, some.length);
        if (missing.length === 0) await blobs.clear();
      }
      return missing.length === 0;
    },
    async clean() {
      if (listed) await removeOthers(out, wanted, listed.files);
    },
  };
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

/** SHA-256 of the index of each snapshot in OUT, by id; null for one without. */
async function localSnapshots(out: string): Promise<Map<string, string | null>> {
  const found = new Map<string, string | null>();
  for (const id of (await readdir(join(out, SNAPSHOTS)).catch(() => [])).filter(isSlotId)) {
    const index = await readFile(join(out, SNAPSHOTS, id, INDEX)).catch(() => null);
    found.set(id, index && sha256(index));
  }
  return found;
}

/** Removes snapshots that are not wanted, and histories of another run. */
async function removeOthers(
  out: string,
  wanted: ReadonlyMap<string, string>,
  files: SnapshotFiles['files'],
): Promise<void> {
  const ids = [...(await localSnapshots(out)).keys()].filter((id) => !wanted.has(id));
  const histories = (await readdir(join(out, OLD_HISTORIES)).catch(() => []))
    .map((name) => `${OLD_HISTORIES}/${name}`)
    .filter((path) => !files[path]);
  await removeWhole(out, [...ids.map((id) => `${SNAPSHOTS}/${id}`), ...histories]);
}

/** Notes the files of a snapshot that another folder may have. */
async function knowSnapshot(folder: string, id: string, blobs: Blobs): Promise<void> {
  const place = join(folder, SNAPSHOTS, id, INDEX);
  const snapshot = await readFile(place, 'utf8')
    .then((text) => parseSnapshot(text, place))
    .catch(() => null);
  for (const file of snapshot?.files ?? [])
    if ('url' in file) blobs.know(file.sha256, { folder, file: file.url });
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
  if (await exists(join(out, path))) return;
  const index = await readBlob(store, { sha256: hash }, LONGEST_INDEX);
  const place = `${store.name}/${blobKey(hash)}`;
  const snapshot = parseSnapshot(String(index), place);
  if (snapshot.id !== id) throw invalid(place, `the index of ${id}`, `that of ${snapshot.id}`);
  const stored = snapshot.files.flatMap((file) => ('url' in file ? [file] : []));
  const astray = stored.find(({ url }) => !url.startsWith(`${path}/`));
  if (astray) throw invalid(place, `paths below ${path}/`, astray.url);
  await blobs.fetchAll(stored.map(storedBlob), parallel);
  const folder = new StagingFolder(join(out, `${SNAPSHOT_STAGING}${id}`));
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

async function textsOf(
  { files, list }: ListedSnapshots,
  { store }: PullOptions,
): Promise<PulledSnapshots['texts']> {
  const texts = new Map<string, Buffer>();
  for (const path of LIST_FILES) {
    const blob = files[path];
    if (blob) texts.set(path, path === LIST_PATH ? list : await readBlob(store, blob, LONGEST_INDEX));
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
