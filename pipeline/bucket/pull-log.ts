import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { asDiskErrors } from '../disk/durable.ts';
import { inParallel } from '../disk/in-parallel.ts';
import { CathedralError } from '../errors.ts';
import { parseCosignedPath } from '../ledger/log/cosigned-path.ts';
import { MAX_BUNDLE_BYTES, parseBundle } from '../ledger/log/entry-bundle.ts';
import { bytesOf, HASH_BYTES, hashesIn } from '../ledger/log/hash.ts';
import { leafHash, nodeHash } from '../ledger/log/merkle.ts';
import { consistencyProof, verifyConsistency } from '../ledger/log/proofs.ts';
import { publicBundlePath } from '../ledger/log/public-bundle.ts';
import { POLICY_PATH } from '../ledger/log/public-events.ts';
import {
  bundlePath,
  edgeTiles,
  fullTileOf,
  newTiles,
  parseTilePath,
  TILE_WIDTH,
  type Tile,
  tilePath,
} from '../ledger/log/tile.ts';
import { TileReader } from '../ledger/log/tile-reader.ts';
import type { LogFile } from '../ledger/log/tree-builder.ts';
import { type Checkpoint, parseCheckpoint } from '../ledger/notes/checkpoint.ts';
import { noteText } from '../ledger/notes/note.ts';
import type { ObjectStore } from '../objects/object-store.ts';
import { listTree } from '../release/disk/list-tree.ts';
import {
  assertHashes,
  diskTiles,
  ENTRIES_FOLDER,
  LOG_FOLDER,
  logFile,
  readEntries,
} from '../release/log/log-folder.ts';
import { publicEntry, publicFile } from '../release/log/public-bundles.ts';
import { StagedLog } from '../release/log/staged-log.ts';
import { logKey } from './layout.ts';
import { type Pointed, pointedCheckpoint } from './pointer.ts';
import { PARALLEL_FETCHES, type PullOptions } from './pull-release.ts';

interface LogPull extends Pick<PullOptions, 'out' | 'signal' | 'parallel'> {
  store: Pick<ObjectStore, 'name' | 'read' | 'list'>;
}

/**
 * Makes the log of OUT the one of a pointer, with all tiles and entry bundles. What OUT has of it stays, and what contradicts it or goes
 * beyond it is removed. Every fetched file is verified against the checkpoint, which is replaced last. Throws store_failed, log_invalid,
 * publish_failed and disk_full.
 */
export async function pullLog(pointed: Pick<Pointed, 'log'>, options: LogPull): Promise<void> {
  const head = pointedCheckpoint(pointed);
  const local = await localCheckpoint(options.out);
  try {
    if (local) return await complete(head, pointed.log.checkpoint, local, options);
  } catch (error) {
    if (!(error instanceof CathedralError) || error.code !== 'log_invalid') throw error;
    // A tile on this disk may be the one that is wrong.
  }
  for (const folder of [LOG_FOLDER, ENTRIES_FOLDER]) await remove(join(options.out, folder));
  await complete(head, pointed.log.checkpoint, null, options);
}

async function localCheckpoint(out: string): Promise<Checkpoint | null> {
  const place = logFile(out, 'checkpoint');
  const note = await readFile(place).catch(() => null);
  try {
    return note && parseCheckpoint(noteText(note, place), place);
  } catch {
    return null;
  }
}

async function complete(
  head: Checkpoint,
  note: string,
  local: Checkpoint | null,
  options: LogPull,
): Promise<void> {
  const { out, store, signal, parallel = PARALLEL_FETCHES } = options;
  const reader = await TileReader.open(head, (tile) => readTile(tile, local !== null, options), nodeHash);
  if (local) await assertSameLog(out, local, reader);
  const tiles = [...newTiles(0, head.size)];
  const wanted = new Map(tiles.map((tile) => [tilePath(tile), tile]));
  for (const tile of await earlierTiles(head.size, reader, store)) wanted.set(tilePath(tile), tile);
  // What a killed run placed beyond the checkpoint here, nothing vouches for.
  const here = await keepOnly(out, (path) => fullTileOf(path, local?.size ?? 0) !== null);
  await using staged = await StagedLog.open(out);
  await inParallel(wanted.values(), parallel, async (tile) => {
    signal?.throwIfAborted();
    const [path, bundle] = [tilePath(tile), tile.level === 0 ? bundlePath(tile) : null];
    const isPartial = tile.width < TILE_WIDTH;
    const lacksEvents = bundle !== null && !here.has(publicBundlePath(tile));
    if (here.has(path) && !isPartial && (!bundle || here.has(bundle)) && !lacksEvents) return;
    const hashes = (await reader.tile(tile.level, tile.index)).slice(0, tile.width);
    // Compares those that are here. Of the full ones, each run verifies some.
    const files: LogFile[] = !here.has(path) || isPartial ? [{ path, bytes: bytesOf(hashes) }] : [];
    if (bundle && !here.has(bundle))
      files.push({ path: bundle, bytes: await readBundle(bundle, hashes, store) });
    if (lacksEvents) {
      const entries = files.find((file) => file.path === bundle)?.bytes ?? readEntries(out, tile).entries;
      const lines = entries instanceof Uint8Array ? parseBundle(entries, tile.width, path) : entries;
      files.push(publicFile(tile, lines.map(publicEntry)));
    }
    await asDiskErrors(out, async () => staged.add(files));
  });
  await staged.flush();
  await staged.publish(note);
  // Until then, the checkpoint that was here needs its own partial tiles.
  const leaves = [...wanted.values()].filter(({ level }) => level === 0);
  const bundles = leaves.flatMap((tile) => [bundlePath(tile), publicBundlePath(tile)]);
  const all = new Set([...wanted.keys(), ...bundles]);
  await keepOnly(out, (path) => all.has(path));
}

/** Unverified: the reader does that. */
async function readTile(tile: Tile, fromDisk: boolean, { out, store }: LogPull): Promise<Uint8Array> {
  const kept = fromDisk ? await diskTiles(out)(tile).catch(() => null) : null;
  if (kept) return kept;
  const key = logKey(tilePath(tile));
  const found = await store.read(key, TILE_WIDTH * HASH_BYTES);
  if (found) return found.content;
  throw invalid(`${store.name}/${key}`, `a tile of ${tile.width} hashes`, 'no such object');
}

async function readBundle(
  path: string,
  hashes: readonly string[],
  store: LogPull['store'],
): Promise<Uint8Array> {
  const key = logKey(path);
  const place = `${store.name}/${key}`;
  const found = await store.read(key, MAX_BUNDLE_BYTES);
  if (!found) throw invalid(place, `${hashes.length} entries`, 'no such object');
  assertHashes(parseBundle(found.content, hashes.length, place).map(leafHash), hashes, place);
  return found.content;
}

/** Throws log_invalid unless one of the two logs is the beginning of the other. */
async function assertSameLog(out: string, local: Checkpoint, reader: TileReader): Promise<void> {
  const { head } = reader;
  const isLonger = local.size > head.size;
  const longer = isLonger ? await TileReader.open(local, diskTiles(out), nodeHash) : reader;
  const [from, to] = isLonger ? [head, local] : [local, head];
  const proof = from.size === 0 ? null : await consistencyProof(longer, from.size);
  if (proof === null || (await verifyConsistency(from, to, proof, nodeHash))) return;
  throw invalid(logFile(out, 'checkpoint'), `the root ${head.root} of ${head.size} events`, local.root);
}

/**
 * The tiles at the right edge as the bucket has them for earlier checkpoints, as the publisher has them. Those of tiles that are full by
 * now would go with the next run.
 */
async function earlierTiles(size: number, reader: TileReader, store: LogPull['store']): Promise<Tile[]> {
  const found: Tile[] = [];
  for (const { level, index, width } of edgeTiles(size)) {
    const folder = `${tilePath({ level, index, width: TILE_WIDTH })}.p/`;
    for await (const { key } of store.list(logKey(folder))) {
      const parsed = parseTilePath(`${folder}${key.slice(key.lastIndexOf('/') + 1)}`);
      if (parsed?.kind !== 'tile' || parsed.tile.width >= width) continue;
      const bytes = await store.read(key, TILE_WIDTH * HASH_BYTES);
      const hashes = await reader.tile(level, index);
      // Whatever else is there belongs to a log that was never published.
      if (bytes && isBeginning(hashesIn(bytes.content), hashes, parsed.tile.width)) found.push(parsed.tile);
    }
  }
  return found;
}

function isBeginning(found: readonly string[], hashes: readonly string[], width: number): boolean {
  return found.length === width && found.every((hash, at) => hash === hashes[at]);
}

/** Removes other files of the log, and returns the paths that remain. */
async function keepOnly(out: string, isKept: (path: string) => boolean): Promise<Set<string>> {
  const here = new Set<string>();
  for (const [folder, prefix] of [
    [LOG_FOLDER, ''],
    [ENTRIES_FOLDER, 'tile/entries/'],
  ] as const) {
    const tree = await listTree(join(out, folder)).catch(() => null);
    for (const name of [...(tree?.files ?? []), ...(tree?.others ?? [])]) {
      const path = `${prefix}${name}`;
      if (isKept(path)) here.add(path);
      // Notes that witnesses cosigned before a log was set back contradict nothing: each is of a checkpoint that the ledger signed.
      else if (path !== 'checkpoint' && path !== POLICY_PATH && parseCosignedPath(path) === null)
        await remove(join(out, folder, name));
    }
    for (const name of (tree?.folders ?? []).toReversed())
      if (name !== 'cosigned' && ![...here].some((path) => path.startsWith(`${prefix}${name}/`)))
        await remove(join(out, folder, name));
  }
  return here;
}

function remove(place: string): Promise<void> {
  return asDiskErrors(place, () => rm(place, { recursive: true, force: true }));
}

function invalid(place: string, expected: string, found: string): CathedralError {
  return new CathedralError('log_invalid', { place, expected, found });
}
