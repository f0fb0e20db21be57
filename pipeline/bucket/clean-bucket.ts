import { inParallel } from '../disk/in-parallel.ts';
import { CathedralError } from '../errors.ts';
import { HASH_BYTES } from '../ledger/log/hash.ts';
import { bundlePath, hashesAt, newTiles, parseTilePath, TILE_WIDTH, tilePath } from '../ledger/log/tile.ts';
import type { ObjectStore } from '../objects/object-store.ts';
import type { Database } from '../postgres/database.ts';
import { assertHeld, type Lease } from '../postgres/lease.ts';
import { formatManifest, sha256 } from '../release/format/manifest.ts';
import { readCurrent } from '../release/format/release.ts';
import { INDEX, LONGEST_INDEX, parseSnapshot } from '../release/format/snapshot-index.ts';
import { DAY_MS } from '../words/day.ts';
import { markCleaned, readRecentReleases } from './current-release.ts';
import { BLOBS, blobKey, LOG, LOG_ENTRIES, logKey, logPathOf, MANIFESTS, SERVICE_KEY } from './layout.ts';
import type { Pointed } from './pointer.ts';
import { openPush } from './push.ts';
import { objectsOf, readStored, readStoredRelease } from './stored-release.ts';

export interface CleanOptions {
  out: string;
  database: Database;
  objects: ObjectStore;
  lease: Lease;
  service: string;
  /** Simultaneous requests. */
  parallel: number;
}

export interface Cleaned {
  removed: { objects: number; bytes: number };
  /** Keys of objects of the current release that the bucket lacked, or had with another length. They were sent again. */
  missing: string[];
}

/** A replica that looks again after so long fetches the current release, whatever it had begun with. */
const KEPT_MS = 7 * DAY_MS;
/** Between two questions whether this publisher still holds the lease. */
const REMOVED_AT_ONCE = 500;
/** What a push makes; anything else in these folders is not ours to remove. */
const OWN = /^(blobs\/[0-9a-f]{64}|manifests\/[0-9a-f]{64}\.json)$/;

/**
 * Sends from OUT what the current release needs and the bucket lacks, as after it was restored from a copy, so that an operator need not wait.
 * Once a day, it also removes what nobody reads any more: blobs and manifests that neither the current release nor one of the few before it refers
 * to, and partial tiles that all of them have in full. Whatever is younger than 7 days stays. The lease keeps pushes away, because one may
 * just be relying on an object that nothing refers to yet. Null before the first release. Throws locked without the lease, release_invalid if
 * neither the bucket nor OUT has the current release, and store_failed.
 */
export async function cleanBucket(options: CleanOptions): Promise<Cleaned | null> {
  const { database, objects, lease, service } = options;
  const [current, ...earlier] = await readRecentReleases(database, service);
  if (!current) return null;
  const isDue = await markCleaned(database, lease, service);
  const needed = await neededObjects(current, options);
  if (!needed) throw incomplete(current, objects);
  const kept = new Set(needed.keys());
  if (isDue)
    for (const release of earlier)
      for (const key of (await neededObjects(release, options))?.keys() ?? []) kept.add(key);
  const size = Math.min(...[current, ...earlier].map(({ log }) => log.size));
  const before = (await storeTime(options)) - KEPT_MS;
  const found = new Map<string, number>();
  const old: { key: string; bytes: number }[] = [];
  for (const prefix of [BLOBS, MANIFESTS, LOG, LOG_ENTRIES])
    for await (const object of objects.list(prefix)) {
      const { key, bytes, modified } = object;
      found.set(key, bytes);
      const isUnused = OWN.test(key) ? !kept.has(key) : isFullTile(key, size);
      if (isDue && isUnused && modified < before) old.push(object);
    }
  await remove(old, options);
  const missing = [...needed, ...logObjects(current.log.size)]
    .filter(([key, bytes]) => (bytes === null ? !found.has(key) : found.get(key) !== bytes))
    .map(([key]) => key);
  if (missing.length > 0 && !(await sendAgain(current, options)))
    throw new CathedralError('release_invalid', {
      place: `${objects.name}/${missing[0]}`,
      expected: 'an object of the current release',
      found: `none, or a different length, and ${options.out} does not have that release`,
    });
  const removed = { objects: old.length, bytes: old.reduce((sum, { bytes }) => sum + bytes, 0) };
  return { removed, missing };
}

/** Key and length of the tiles of a log, and of the bundles of their entries, whose length nobody knows. */
function* logObjects(size: number): Generator<[key: string, bytes: number | null]> {
  for (const tile of newTiles(0, size)) {
    yield [logKey(tilePath(tile)), tile.width * HASH_BYTES];
    if (tile.level === 0) yield [logKey(bundlePath(tile)), null];
  }
}

/**
 * Stores what the bucket lacks of the current release from OUT, whose bytes are verified. False: OUT does not have that release. Throws
 * log_invalid for a file of the log that differs, and store_failed.
 */
export async function sendAgain(
  { manifest }: Pick<Pointed, 'manifest'>,
  { out, objects, service, parallel, lease: { signal } }: Omit<CleanOptions, 'database'>,
): Promise<boolean> {
  const local = await readCurrent(out);
  if (!local || sha256(formatManifest(local.manifest)) !== manifest.sha256) return false;
  const push = await openPush({ out, objects, service, previous: null, parallel, signal, log: () => {} });
  await push.release(local);
  return true;
}

async function remove(
  old: readonly { key: string; bytes: number }[],
  { database, objects, lease }: CleanOptions,
): Promise<void> {
  for (let at = 0; at < old.length; at += REMOVED_AT_ONCE) {
    lease.signal.throwIfAborted();
    await database.transaction((query) => assertHeld(query, database, lease));
    await objects.delete(old.slice(at, at + REMOVED_AT_ONCE).map(({ key }) => key));
  }
}

/** Keys and lengths of everything that a release and the snapshots beside it consist of. Null if one of its lists is missing or damaged. */
async function neededObjects(release: Pointed, options: CleanOptions): Promise<Map<string, number> | null> {
  const stored = await readStoredRelease(release, options);
  if (!stored) return null;
  const needed = objectsOf(release, stored);
  const indexes = Object.entries(stored.files).filter(([path]) => SNAPSHOT.test(path));
  let isWhole = true;
  await inParallel(indexes, options.parallel, async ([path, blob]) => {
    const index = await readStored(
      { ...options, place: path, key: blobKey(blob.sha256) },
      blob,
      LONGEST_INDEX,
    );
    if (!index) isWhole = false;
    else
      for (const file of parseSnapshot(index.toString(), path).files)
        if ('url' in file) needed.set(blobKey(file.sha256), file.bytes);
  });
  return isWhole ? needed : null;
}

const SNAPSHOT = new RegExp(`^snapshots/[^/]+/${INDEX}$`);

/** Whether this is a partial tile or bundle that a tree of `size` has in full. */
function isFullTile(key: string, size: number): boolean {
  const found = parseTilePath(logPathOf(key) ?? '');
  if (!found) return false;
  const { level, index, width } = found.kind === 'tile' ? found.tile : { level: 0, ...found.bundle };
  return width < TILE_WIDTH && index < hashesAt(level + 1, size);
}

/** Ages are told by the store, so its clock counts. */
async function storeTime({ objects, database }: CleanOptions): Promise<number> {
  return (await objects.head(SERVICE_KEY))?.date ?? Date.now() + database.clock();
}

function incomplete({ release }: Pointed, { name }: ObjectStore): CathedralError {
  return new CathedralError('release_invalid', {
    place: name,
    expected: `the manifest, the snapshot files and the indexes of snapshots of ${release}`,
    found: 'a missing or damaged one (nothing was removed)',
  });
}
