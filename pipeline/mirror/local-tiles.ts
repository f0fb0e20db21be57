import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { asDiskErrors, syncAll } from '../disk/durable.ts';
import { inParallel } from '../disk/in-parallel.ts';
import { bytesOf, HASH_BYTES, type Hash } from '../ledger/log/hash.ts';
import { partialTiles, type Tile, tilePath } from '../ledger/log/tile.ts';
import type { TileReader } from '../ledger/log/tile-reader.ts';
import { LOG, type Origin } from '../verify/origin.ts';
import { hasLength, makeWay, makeWayAbove } from './blobs.ts';

export interface TilesOptions {
  folder: string;
  /** New tiles wait here until all checks of the log have passed. */
  staging: string;
  /** Takes tiles from the disk; otherwise reads all of them from the origin. */
  reuse: boolean;
  /** Replaces what stands in place of a folder. */
  recheck: boolean;
}

/** The log's tiles on the disk of a mirror, supplemented by those of its origin. */
export class LocalTiles {
  readonly #origin: Origin;
  readonly #log: string;
  readonly #staging: string;
  readonly #reuse: boolean;
  readonly #recheck: boolean;
  readonly #inPlace = new Set<string>();
  readonly #staged = new Set<string>();
  readonly #kept = new Set<string>();
  #made: Promise<unknown> | null = null;
  /** Tiles that came from the disk, and from the origin. */
  reused = 0;
  fetched = 0;

  constructor(origin: Origin, { folder, staging, reuse, recheck }: TilesOptions) {
    this.#origin = origin;
    this.#log = join(folder, LOG);
    this.#staging = staging;
    this.#reuse = reuse;
    this.#recheck = recheck;
  }

  /** Not verified. */
  async read(tile: Tile): Promise<Uint8Array> {
    const path = tilePath(tile);
    for (const [file, found] of [
      [join(this.#log, path), this.#inPlace],
      [this.#stagedFile(path), this.#staged],
    ] as const) {
      const bytes = this.#reuse ? await readFile(file).catch(() => null) : null;
      if (bytes?.length !== tile.width * HASH_BYTES) continue;
      this.reused += 1;
      found.add(path);
      return bytes;
    }
    this.fetched += 1;
    return this.#origin.readTile(tile);
  }

  /** A bundle of public events, not verified. One that is being replaced has no place: its width is in its path. */
  async readEvents(path: string, mostBytes: number): Promise<Uint8Array | null> {
    const bytes = this.#reuse ? await readFile(join(this.#log, path)).catch(() => null) : null;
    if (!bytes) return this.#origin.readLogFile(path, mostBytes);
    this.reused += 1;
    this.#inPlace.add(path);
    return bytes;
  }

  /** Stages a verified tile. */
  keep(tile: Tile, hashes: readonly Hash[]): Promise<void> {
    return this.#keep(tilePath(tile), () => bytesOf(hashes));
  }

  /** Stages a verified bundle of public events. */
  keepEvents(path: string, bytes: Uint8Array): Promise<void> {
    return this.#keep(path, () => bytes);
  }

  /** What is in its place already stays, since a power failure could take what replaces it. */
  async #keep(path: string, make: () => Uint8Array): Promise<void> {
    this.#kept.add(path);
    if (this.#inPlace.has(path) || this.#staged.has(path)) return;
    const bytes = make();
    const found = await readFile(join(this.#log, path)).catch(() => null);
    if (found?.equals(bytes)) {
      this.#inPlace.add(path);
      return;
    }
    await asDiskErrors(this.#staging, async () => {
      this.#made ??= mkdir(this.#staging, { recursive: true });
      await this.#made;
      await writeFile(this.#stagedFile(path), bytes);
    });
    this.#staged.add(path);
  }

  /** Keeps the partial tiles of earlier trees, whose checkpoints others may hold, unless they are full now. */
  async keepPartial(reader: TileReader, sizes: readonly number[], isWhole: boolean): Promise<void> {
    const earlier = sizes.filter((size) => size <= reader.head.size);
    const tiles = earlier.flatMap((size) => partialTiles(size, reader.head.size));
    for (const tile of new Map(tiles.map((one) => [tilePath(one), one])).values()) {
      const place = join(this.#log, tilePath(tile));
      if (isWhole && (await hasLength(place, tile.width * HASH_BYTES))) continue;
      const hashes = await reader.tile(tile.level, tile.index);
      await this.keep(tile, hashes.slice(0, tile.width));
    }
  }

  /**
   * Moves the staged tiles to their places and flushes them together, since there may be twenty thousand. A power failure may
   * take some that were moved; the next update finds that and fetches them again. Throws publish_failed.
   */
  async place(parallel: number): Promise<void> {
    if (this.#recheck) await makeWayAbove(this.#log, this.#kept);
    const placed: string[] = [];
    const staged = [...this.#kept].filter((path) => this.#staged.has(path));
    await inParallel(staged, parallel, async (path) => {
      const place = join(this.#log, path);
      await asDiskErrors(place, async () => {
        await mkdir(dirname(place), { recursive: true });
        await rename(this.#stagedFile(path), place).catch(async (error: NodeJS.ErrnoException) => {
          if (error.code !== 'EISDIR') throw error;
          await makeWay(place);
          await rename(this.#stagedFile(path), place);
        });
      });
      placed.push(place);
    });
    // Also those that an interrupted update left, which may not be flushed.
    const kept = [...this.#kept].map((path) => join(this.#log, path));
    this.#kept.clear();
    this.#staged.clear();
    const folders = new Set<string>();
    for (const place of kept)
      for (let at = dirname(place); at.length >= this.#log.length; at = dirname(at)) folders.add(at);
    try {
      await asDiskErrors(this.#log, () => syncAll(kept, [...folders]));
    } catch (error) {
      // After a failed flush the system may report success for the same bytes, so they are fetched again, but for what may be served.
      await Promise.allSettled(placed.map((place) => rm(place)));
      throw error;
    }
  }

  #stagedFile(path: string): string {
    return join(this.#staging, path.replaceAll('/', '-'));
  }
}
