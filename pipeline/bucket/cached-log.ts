import { CathedralError } from '../errors.ts';
import { MAX_BUNDLE_BYTES, parseBundle } from '../ledger/log/entry-bundle.ts';
import { HASH_BYTES, type Hash, hashesIn, type TreeHead } from '../ledger/log/hash.ts';
import { leafHash, nodeHash } from '../ledger/log/merkle.ts';
import { parsePublicBundle, publicBundlePath } from '../ledger/log/public-bundle.ts';
import { formatPolicy, MAX_POLICY_BYTES } from '../ledger/log/public-events.ts';
import {
  type Bundle,
  bundlePath,
  edgeTiles,
  hashesAt,
  TILE_WIDTH,
  type Tile,
  tileAt,
  tilePath,
} from '../ledger/log/tile.ts';
import { TileReader } from '../ledger/log/tile-reader.ts';
import { assertHashes } from '../release/log/log-folder.ts';
import { logKey, publicMarkKey } from './layout.ts';
import type { ObjectCache } from './object-cache.ts';

const MAX_TILE_BYTES = TILE_WIDTH * HASH_BYTES;

/**
 * The files of the log at one checkpoint, read through the cache. Each is verified against the checkpoint whenever it is read, so neither
 * the store nor the disk is trusted.
 */
export class CachedLog {
  readonly head: TreeHead;
  readonly #cache: ObjectCache;
  #reader: Promise<TileReader> | null = null;

  constructor(head: TreeHead, cache: ObjectCache) {
    this.head = head;
    this.#cache = cache;
  }

  /** Reads and verifies the partial tiles of the tree. Throws store_failed and log_invalid. */
  async open(): Promise<TileReader> {
    // After a failure, the next call tries again.
    this.#reader ??= this.#again(edgeTiles(this.head.size).map(tilePath), () =>
      TileReader.open(this.head, (tile) => this.#readTile(tile), nodeHash),
    ).catch((error) => {
      this.#reader = null;
      throw error;
    });
    return this.#reader;
  }

  /** The bytes of a tile; null if the log has no such file. Throws store_failed and log_invalid, as all of these. */
  tile(tile: Tile): Promise<Uint8Array | null> {
    return this.#file(tile, tilePath(tile), MAX_TILE_BYTES, hashesIn);
  }

  /** The bytes of an entry bundle; null if the log has no such file. */
  bundle(bundle: Bundle): Promise<Uint8Array | null> {
    const path = bundlePath(bundle);
    return this.#file({ level: 0, ...bundle }, path, MAX_BUNDLE_BYTES, (bytes) =>
      parseBundle(bytes, bundle.width, path).map(leafHash),
    );
  }

  /** The bytes of a bundle of public events; null if the log has no such file. */
  publicBundle(bundle: Bundle, version: number): Promise<Uint8Array | null> {
    const path = publicBundlePath(bundle, version);
    return this.#file({ level: 0, ...bundle }, path, MAX_BUNDLE_BYTES, (bytes, signed) =>
      parsePublicBundle(bytes, bundle.width, path).map((entry, at) =>
        entry ? leafHash(entry) : signed[at]!,
      ),
    );
  }

  /** The decisions which events are public; null while the bucket has no bundles by those of this program. */
  async policy(): Promise<Buffer | null> {
    const mark = await this.#cache.read(publicMarkKey(), MAX_POLICY_BYTES);
    return mark && Buffer.from(formatPolicy());
  }

  /** A file of the hashes of a tile, or of what they are hashes of. */
  async #file(
    { level, index, width }: Tile,
    path: string,
    mostBytes: number,
    hashesOf: (bytes: Uint8Array, signed: readonly Hash[]) => readonly Hash[],
  ): Promise<Uint8Array | null> {
    const whole = tileAt(level, index, this.head.size);
    if (!whole || width > whole.width) return null;
    const signed = await this.#hashes(level, index);
    return this.#again([path], async () => {
      const bytes = await this.#cache.read(logKey(path), mostBytes);
      if (!bytes) return null;
      const found = hashesOf(bytes, signed);
      if (found.length !== width) throw invalid(path, `${width} hashes`, `${found.length}`);
      assertHashes(found, signed, logKey(path));
      return bytes;
    });
  }

  async #hashes(level: number, index: number): Promise<readonly Hash[]> {
    const reader = await this.open();
    return this.#again(this.#upwards(level, index), () => reader.tile(level, index));
  }

  /** Paths of a tile and of those above it, by which it is verified. */
  #upwards(level: number, index: number): string[] {
    const paths: string[] = [];
    for (let [up, at] = [level, index]; hashesAt(up, this.head.size) > 0; up += 1) {
      const tile = tileAt(up, at, this.head.size);
      if (tile) paths.push(tilePath(tile));
      at = Math.floor(at / TILE_WIDTH);
    }
    return paths;
  }

  /** A damaged file may have been damaged on this disk, or on its way: fetches it once more. */
  async #again<T>(paths: readonly string[], work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof CathedralError) || error.code !== 'log_invalid') throw error;
      for (const path of paths) await this.#cache.drop(logKey(path));
    }
    try {
      return await work();
    } catch (error) {
      for (const path of paths) await this.#cache.drop(logKey(path));
      throw error;
    }
  }

  async #readTile(tile: Tile): Promise<Uint8Array> {
    const path = tilePath(tile);
    const found = await this.#cache.read(logKey(path), MAX_TILE_BYTES);
    if (found) return found;
    throw invalid(path, `a tile of ${tile.width} hashes`, 'no such object');
  }
}

function invalid(path: string, expected: string, found: string): CathedralError {
  return new CathedralError('log_invalid', { place: logKey(path), expected, found });
}
