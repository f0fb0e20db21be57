import { mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { CathedralError } from '../errors.ts';
import { bytesOf, HASH_BYTES, type TreeHead } from '../ledger/log/hash.ts';
import { newTiles, partialTiles, type Tile, tilePath } from '../ledger/log/tile.ts';
import { TileReader } from '../ledger/log/tile-reader.ts';
import { nodeHash } from '../ledger/merkle.ts';
import { asDiskErrors, sync } from '../release/disk/durable.ts';
import { inParallel } from '../release/disk/in-parallel.ts';
import { assertBeginsWith } from '../verify/log-head.ts';
import type { Origin } from '../verify/origin/origin.ts';
import { LOG, readTile } from '../verify/origin/read-tile.ts';

export interface LogWork {
  /** The log's head, from a verified manifest. */
  head: TreeHead;
  /** The head of the release that is held; null: there is none. */
  before: TreeHead | null;
  /** Of so many events all tiles are here. */
  from: number;
  /** At once. */
  parallel: number;
  /** Tiles are written here before they are moved to where they are served. */
  staging: string;
}

/**
 * Brings the tiles that are not here yet; each is written when it follows from the signed root. Before that, the log must
 * go on from the one that is held. Gives the log's reader, and how many tiles came. Throws mirror_forked, mirror_rollback,
 * log_invalid, mirror_mismatch, mirror_unreachable and publish_failed.
 */
export async function mirrorLog(origin: Origin, folder: string, work: LogWork) {
  const log = join(folder, LOG);
  const first = new HeldTiles(origin, log, work.staging, true);
  try {
    return await bring(first, work);
  } catch (error) {
    const isDamaged = error instanceof CathedralError && error.code === 'log_invalid' && first.used > 0;
    if (!isDamaged) throw error;
    // One of those that were here already may be it.
    return bring(new HeldTiles(origin, log, work.staging, false), work);
  }
}

async function bring(held: HeldTiles, { head, before, from, parallel }: LogWork) {
  const reader = await TileReader.open(head, (tile) => held.read(tile), nodeHash);
  if (before) await assertBeginsWith(reader, before, held.place);
  await inParallel(newTiles(from, head.size), parallel, async ({ level, index, width }) => {
    const hashes = await reader.tile(level, index);
    await held.keep({ level, index, width }, bytesOf(hashes));
  });
  await held.flush(parallel);
  return { reader, tiles: held.fetched };
}

export interface PartialTilesWork {
  /** Of tiles that are here. */
  reader: TileReader;
  /** Of earlier trees whose checkpoints others may hold. */
  sizes: readonly number[];
  staging: string;
  /** What is here already, and of the right length, stays. */
  reuse: boolean;
  parallel: number;
}

/** Writes the partial tiles of earlier trees that are not whole yet, out of those that are here. Throws publish_failed. */
export async function keepPartialTiles(
  origin: Origin,
  folder: string,
  { reader, sizes, staging, reuse, parallel }: PartialTilesWork,
): Promise<void> {
  const held = new HeldTiles(origin, join(folder, LOG), staging, true);
  const earlier = sizes.filter((size) => size <= reader.head.size);
  const tiles = new Map(
    earlier.flatMap((size) => partialTiles(size, reader.head.size)).map((tile) => [tilePath(tile), tile]),
  );
  await inParallel(tiles.values(), parallel, async (tile) => {
    if (reuse && (await held.has(tile))) return;
    const hashes = await reader.tile(tile.level, tile.index);
    await held.keep(tile, bytesOf(hashes.slice(0, tile.width)));
  });
  await held.flush(parallel);
}

/** Tiles on the disk, and those that an origin has beside them. */
class HeldTiles {
  readonly #origin: Origin;
  readonly #log: string;
  readonly #staging: string;
  readonly #reuse: boolean;
  readonly #kept = new Set<string>();
  readonly #fresh = new Set<string>();
  used = 0;
  fetched = 0;

  constructor(origin: Origin, log: string, staging: string, reuse: boolean) {
    this.#origin = origin;
    this.#log = log;
    this.#staging = staging;
    this.#reuse = reuse;
  }

  get place(): string {
    return this.#origin.placeOf(LOG);
  }

  /** Whether it is here; what it has is not looked at. */
  async has(tile: Tile): Promise<boolean> {
    const found = await stat(join(this.#log, tilePath(tile))).catch(() => null);
    return found?.size === tile.width * HASH_BYTES;
  }

  async read(tile: Tile): Promise<Uint8Array> {
    const path = tilePath(tile);
    const held = this.#reuse ? await readFile(join(this.#log, path)).catch(() => null) : null;
    if (held?.length === tile.width * HASH_BYTES) {
      this.used += 1;
      this.#kept.add(path);
      return held;
    }
    this.fetched += 1;
    return readTile(this.#origin, tile);
  }

  async keep(tile: Tile, bytes: Uint8Array): Promise<void> {
    const path = tilePath(tile);
    const place = join(this.#log, path);
    this.#fresh.add(place);
    if (this.#kept.has(path)) return;
    await asDiskErrors(place, async () => {
      const staged = join(this.#staging, path.replaceAll('/', '-'));
      await mkdir(dirname(place), { recursive: true });
      await mkdir(this.#staging, { recursive: true });
      await writeFile(staged, bytes);
      await rename(staged, place);
    });
  }

  /** Not each by itself: there may be twenty thousand. What a power failure takes before is found, and fetched again. */
  async flush(parallel: number): Promise<void> {
    const folders = new Set<string>();
    for (const place of this.#fresh)
      for (let at = dirname(place); at.length >= this.#log.length; at = dirname(at)) folders.add(at);
    try {
      await asDiskErrors(this.#log, () => inParallel([...this.#fresh, ...folders], parallel, sync));
    } catch (error) {
      // The next flush of the same bytes may be said to have gone well, so they are brought again.
      await Promise.allSettled([...this.#fresh].map((place) => rm(place)));
      throw error;
    }
  }
}
