import { readFile, rm, rmdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { asDiskErrors, exists, replaceFile } from '../disk/durable.ts';
import { inParallel } from '../disk/in-parallel.ts';
import { CathedralError, unlessRefused } from '../errors.ts';
import { parseCosignedPath } from '../ledger/log/cosigned-path.ts';
import { formatBundle, MAX_BUNDLE_BYTES, parseBundle } from '../ledger/log/entry-bundle.ts';
import { bytesOf, HASH_BYTES } from '../ledger/log/hash.ts';
import { leafHash } from '../ledger/log/merkle.ts';
import { isExtended } from '../ledger/log/proofs.ts';
import { publicBundlePath } from '../ledger/log/public-bundle.ts';
import { POLICY_PATH } from '../ledger/log/public-events.ts';
import {
  bundlePath,
  edgeTiles,
  fullTileOf,
  hashesAt,
  newTiles,
  parseTilePath,
  TILE_WIDTH,
  type Tile,
  tileAt,
  tilePath,
} from '../ledger/log/tile.ts';
import { TileReader } from '../ledger/log/tile-reader.ts';
import type { LogFile } from '../ledger/log/tree-builder.ts';
import { type Checkpoint, parseCheckpoint } from '../ledger/notes/checkpoint.ts';
import { MAX_NOTE_BYTES, noteText } from '../ledger/notes/note.ts';
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
import { counted } from '../words/number.ts';
import { logKey } from './layout.ts';
import { type Pointed, pointedCheckpoint } from './pointer.ts';
import { PARALLEL_FETCHES, type PullOptions } from './pull-release.ts';

interface LogPull extends Pick<PullOptions, 'out' | 'signal' | 'parallel'> {
  store: Pick<ObjectStore, 'name' | 'read' | 'list'>;
}

/** The log of a pointer, but for what its readers can do without. */
export interface PulledLog {
  /** Fetches the notes of earlier checkpoints that witnesses cosigned, until it is over. Returns whether all are here. */
  rest: (isOver: () => boolean) => Promise<boolean>;
  /** Removes what neither this checkpoint nor the one before needs, for when this one was published. */
  clean: () => Promise<void>;
}

/**
 * Gives OUT the files of a pointer's log that it lacks: tiles, entry bundles, and the bundles of public events, which follow from the entries.
 * Every byte that is fetched is compared with the checkpoint. The checkpoint in OUT stays, and whoever has it still finds all of its files. Throws
 * store_failed, log_invalid, publish_failed and disk_full.
 */
export async function pullLog(pointed: Pick<Pointed, 'log'>, options: LogPull): Promise<PulledLog> {
  const { out, store, signal, parallel = PARALLEL_FETCHES } = options;
  const head = pointedCheckpoint(pointed);
  const reader = await TileReader.open(
    head,
    (tile) => readTile(tile, store),
    (path) => `${store.name}/${logKey(path)}`,
  );
  const local = await localCheckpoint(out, reader);
  // What a killed process placed beyond the checkpoint here, nothing vouches for.
  const here = new Set((await listLog(out)).filter((path) => fullTileOf(path, local?.size ?? 0)));
  const tiles = [...newTiles(0, head.size), ...(await earlierTiles(head.size, store))];
  await using staged = await StagedLog.open(out);
  await inParallel(tiles, parallel, async (tile) => {
    signal?.throwIfAborted();
    const isHere = tile.width === TILE_WIDTH && pathsOf(tile).every((path) => here.has(path));
    const files = isHere ? [] : await filesOf(tile, reader, here, options);
    await asDiskErrors(out, async () => {
      for (const file of files) staged.replace(file);
    });
  });
  await staged.flush();
  await staged.place();
  const before = local && local.size <= head.size ? edgeTiles(local.size) : [];
  const kept = new Set([...tiles, ...before].flatMap(pathsOf));
  return {
    rest: (isOver) => pullCosigned(reader, options, isOver),
    clean: () => removeOthers(out, (path) => kept.has(path) || isNote(path)),
  };
}

/** Of a tile, and of its entries and the public ones of them. */
function pathsOf(tile: Tile): string[] {
  const path = tilePath(tile);
  return tile.level > 0 ? [path] : [path, bundlePath(tile), publicBundlePath(tile)];
}

/** Notes that witnesses cosigned before a log was set back contradict nothing: each is of a checkpoint that the ledger signed. */
function isNote(path: string): boolean {
  return path === 'checkpoint' || path === POLICY_PATH || parseCosignedPath(path) !== null;
}

/** That of OUT, unless it has none, or not that of this log. Throws what is wrong in the store. */
async function localCheckpoint(out: string, reader: TileReader): Promise<Checkpoint | null> {
  const place = logFile(out, 'checkpoint');
  const local = parseNote(await readFile(place).catch(() => null), place);
  if (!local || local.size <= reader.head.size)
    return local && (await isExtended(reader, local)) ? local : null;
  try {
    const longer = await TileReader.open(local, diskTiles(out));
    return (await isExtended(longer, reader.head)) ? local : null;
  } catch (error) {
    if (error instanceof CathedralError && error.code === 'log_invalid') return null;
    throw error;
  }
}

/** Null for what is no note of a checkpoint. */
export function parseNote(note: Uint8Array | null, place: string): Checkpoint | null {
  return note && unlessRefused(() => parseCheckpoint(noteText(note, place), place));
}

/** The files of a tile, of which those that are here may be damaged. */
async function filesOf(
  tile: Tile,
  reader: TileReader,
  here: ReadonlySet<string>,
  { out, store }: LogPull,
): Promise<LogFile[]> {
  const hashes = (await reader.tile(tile.level, tile.index)).slice(0, tile.width);
  const files: LogFile[] = [{ path: tilePath(tile), bytes: bytesOf(hashes) }];
  if (tile.level > 0) return files;
  const path = bundlePath(tile);
  const local = here.has(path) ? localEntries(tile, hashes, out) : null;
  const entries = local ?? (await storedEntries(path, hashes, store));
  if (!local) files.push({ path, bytes: formatBundle(entries) });
  return [...files, publicFile(tile, entries.map(publicEntry))];
}

function localEntries(tile: Tile, hashes: readonly string[], out: string): Uint8Array[] | null {
  return unlessRefused(() => {
    const found = readEntries(out, tile);
    assertHashes(found.hashes, hashes, out);
    return found.entries;
  }, 'log_invalid');
}

/** Unverified: the reader does that. */
async function readTile(tile: Tile, store: LogPull['store']): Promise<Uint8Array> {
  const key = logKey(tilePath(tile));
  const found = await store.read(key, TILE_WIDTH * HASH_BYTES);
  if (found) return found.content;
  throw invalid(`${store.name}/${key}`, `a tile of ${counted(tile.width, 'hash', 'hashes')}`);
}

async function storedEntries(
  path: string,
  hashes: readonly string[],
  store: LogPull['store'],
): Promise<Uint8Array[]> {
  const key = logKey(path);
  const place = `${store.name}/${key}`;
  const found = await store.read(key, MAX_BUNDLE_BYTES);
  if (!found) throw invalid(place, counted(hashes.length, 'entry', 'entries'));
  const entries = parseBundle(found.content, hashes.length, place);
  assertHashes(entries.map(leafHash), hashes, place);
  return entries;
}

/**
 * The tiles at the right edge, and the full ones before them, in the widths that the bucket has for earlier checkpoints, which others may hold: they
 * stay for one release more.
 */
async function earlierTiles(size: number, store: LogPull['store']): Promise<Tile[]> {
  const found: Tile[] = [];
  for (let level = 0; hashesAt(level, size) > 0; level += 1) {
    const index = Math.floor(hashesAt(level, size) / TILE_WIDTH);
    for (const at of [index - 1, index].filter((at) => at >= 0)) {
      const most = tileAt(level, at, size)?.width ?? 0;
      const folder = `${tilePath({ level, index: at, width: TILE_WIDTH })}.p/`;
      for await (const { key } of store.list(logKey(folder))) {
        const parsed = parseTilePath(`${folder}${key.slice(key.lastIndexOf('/') + 1)}`);
        if (parsed?.kind === 'tile' && parsed.tile.width < most) found.push(parsed.tile);
      }
    }
  }
  return found;
}

/** As far as they are of this log. */
async function pullCosigned(
  reader: TileReader,
  { out, store, parallel = PARALLEL_FETCHES }: LogPull,
  isOver: () => boolean,
): Promise<boolean> {
  const keys = (await Array.fromAsync(store.list(logKey('cosigned/')))).map(({ key }) => key);
  let isWhole = true;
  await inParallel(keys, parallel, async (key) => {
    const path = key.slice(LOG_FOLDER.length + 1);
    const size = parseCosignedPath(path);
    const place = logFile(out, path);
    if (size === null || size >= reader.head.size || (await exists(place))) return;
    isWhole &&= !isOver();
    if (!isWhole) return;
    const note = (await store.read(key, MAX_NOTE_BYTES))?.content ?? null;
    const checkpoint = parseNote(note, key);
    const isOfLog = checkpoint?.size === size && (await isExtended(reader, checkpoint));
    if (note && isOfLog) await replaceFile(place, note);
  });
  return isWhole;
}

/** Everything below the folders of the log, by path below its address. */
async function listLog(out: string): Promise<string[]> {
  const below = async (folder: string, prefix: string) => {
    const tree = await listTree(join(out, folder)).catch(() => null);
    return [...(tree?.files ?? []), ...(tree?.others ?? [])].map((name) => `${prefix}${name}`);
  };
  return [...(await below(LOG_FOLDER, '')), ...(await below(ENTRIES_FOLDER, 'tile/entries/'))];
}

async function removeOthers(out: string, isKept: (path: string) => boolean): Promise<void> {
  const places = (await listLog(out)).filter((path) => !isKept(path)).map((path) => logFile(out, path));
  for (const place of places) await asDiskErrors(place, () => rm(place, { force: true }));
  // Fails for those that are not empty.
  for (const folder of new Set(places.map((place) => dirname(place)))) await rmdir(folder).catch(() => {});
}

function invalid(place: string, expected: string): CathedralError {
  return new CathedralError('log_invalid', { place, expected, found: 'no such object' });
}
