import { CathedralError } from '../errors.ts';
import { MAX_BUNDLE_BYTES, parseBundle } from '../ledger/log/entry-bundle.ts';
import { bytesOf, HASH_BYTES, type Hash, hashesIn, type TreeHead } from '../ledger/log/hash.ts';
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

  /** The bytes of a tile; null if the log has no such file. Throws store_failed and log_invalid. */
  async tile(tile: Tile): Promise<Uint8Array | null> {
    const { level, index, width } = tile;
    const whole = tileAt(level, index, this.head.size);
    if (!whole || width > whole.width) return null;
    const hashes = await this.#hashes(level, index);
    if (width === whole.width) return bytesOf(hashes);
    const path = tilePath(tile);
    return this.#again([path], async () => {
      const bytes = await this.#cache.read(logKey(path), MAX_TILE_BYTES);
      if (bytes) assertBeginning(path, hashesIn(bytes), hashes, width);
      return bytes;
    });
  }

  /** The bytes of an entry bundle; null if the log has no such file. Throws store_failed and log_invalid. */
  async bundle(bundle: Bundle): Promise<Uint8Array | null> {
    const { index, width } = bundle;
    const whole = tileAt(0, index, this.head.size);
    if (!whole || width > whole.width) return null;
    const hashes = await this.#hashes(0, index);
    const path = bundlePath(bundle);
    return this.#again([path], async () => {
      const bytes = await this.#cache.read(logKey(path), MAX_BUNDLE_BYTES);
      if (bytes) assertBeginning(path, parseBundle(bytes, width, path).map(leafHash), hashes, width);
      return bytes;
    });
  }

  /** The bytes of a bundle of public events; null if the log has no such file. Throws store_failed and log_invalid. */
  async publicBundle(bundle: Bundle, version: number): Promise<Uint8Array | null> {
    const { index, width } = bundle;
    const whole = tileAt(0, index, this.head.size);
    if (!whole || width > whole.width) return null;
    const hashes = await this.#hashes(0, index);
    const path = publicBundlePath(bundle, version);
    return this.#again([path], async () => {
      const bytes = await this.#cache.read(logKey(path), MAX_BUNDLE_BYTES);
      const entries = bytes ? parsePublicBundle(bytes, width, path) : [];
      const found = entries.map((entry, at) => (entry ? leafHash(entry) : hashes[at]!));
      if (bytes) assertBeginning(path, found, hashes, width);
      return bytes;
    });
  }

  /** The decisions which events are public; null while the bucket has no bundles by those of this program. */
  async policy(): Promise<Buffer | null> {
    const mark = await this.#cache.read(publicMarkKey(), MAX_POLICY_BYTES);
    return mark && Buffer.from(formatPolicy());
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
    throw new CathedralError('log_invalid', {
      place: logKey(path),
      expected: `a tile of ${tile.width} hashes`,
      found: 'no such object',
    });
  }
}

/** Throws log_invalid. */
function assertBeginning(path: string, found: readonly Hash[], hashes: readonly Hash[], width: number): void {
  const wrong = found.findIndex((hash, at) => hash !== hashes[at]);
  if (wrong < 0 && found.length === width) return;
  throw new CathedralError('log_invalid', {
    place: logKey(path),
    expected:
      wrong < 0 ? `${width} entries` : `hash ${hashes[wrong]} of entry ${wrong}, as the checkpoint signs it`,
    found: wrong < 0 ? `${found.length}` : found[wrong]!,
  });
}
