import { nodeHash } from '#hashing';
import { errorOf } from '../../errors.ts';
import { counted } from '../../words/number.ts';
import { HASH_BYTES, type Hash, hashesIn, type TreeHead } from './hash.ts';
import { CompactRange, largestPower } from './merkle.ts';
import { edgeTiles, hashesAt, TILE_WIDTH, type Tile, tileAt, tilePath } from './tile.ts';

const invalid = errorOf('log_invalid');

/** Reads the bytes of a tile from anywhere. The result is not trusted. */
export type ReadTile = (tile: Tile) => Promise<Uint8Array>;

/** Number of cached tiles: more than any proof needs, less than 1 MB. */
const KEPT_TILES = 64;

/**
 * Reads the hashes of a tree from its tiles and verifies each tile against the root: the partial tiles together give the root, and each
 * full tile's own root is in a tile above it.
 */
export class TileReader {
  readonly head: TreeHead;
  readonly #readTile: ReadTile;
  /** The name of a file in messages, by its path below the log's address. */
  readonly placeOf: (path: string) => string;
  readonly #edge: ReadonlyMap<number, readonly Hash[]>;
  /** By path, most recently used last. */
  readonly #kept = new Map<string, Promise<readonly Hash[]>>();

  private constructor(
    head: TreeHead,
    readTile: ReadTile,
    placeOf: (path: string) => string,
    edge: ReadonlyMap<number, readonly Hash[]>,
  ) {
    this.head = head;
    this.#readTile = readTile;
    this.placeOf = placeOf;
    this.#edge = edge;
  }

  /** Throws log_invalid if the partial tiles do not give the head's root, and the errors of `readTile`. */
  static async open(
    head: TreeHead,
    readTile: ReadTile,
    placeOf: (path: string) => string = (path) => path,
  ): Promise<TileReader> {
    const edge = new Map<number, readonly Hash[]>();
    const subtrees: Hash[] = [];
    for (const tile of edgeTiles(head.size).reverse()) {
      const hashes = await readHashes(tile, readTile, placeOf);
      edge.set(tile.level, hashes);
      subtrees.push(...CompactRange.of(hashes).hashes());
    }
    const root = CompactRange.resume(head.size, subtrees).root();
    if (root !== head.root) {
      const expected = `partial tiles of a tree of ${head.size} with the root ${head.root}`;
      throw invalid(placeOf('tile'), expected, `the root ${root}`);
    }
    return new TileReader(head, readTile, placeOf, edge);
  }

  /** The hashes of this level's partial tile; empty if there is none. */
  edge(level: number): readonly Hash[] {
    return this.#edge.get(level) ?? [];
  }

  /** The verified hashes of a tile. */
  async tile(level: number, index: number): Promise<readonly Hash[]> {
    const tile = tileAt(level, index, this.head.size);
    if (!tile) throw new RangeError(`a tree of ${this.head.size} has no tile ${level}/${index}`);
    return tile.width < TILE_WIDTH ? this.#edge.get(level)! : this.#whole(tile);
  }

  async leaf(index: number): Promise<Hash> {
    const hashes = await this.tile(0, Math.floor(index / TILE_WIDTH));
    return hashes[index % TILE_WIDTH]!;
  }

  /** MTH(D[from:to]) of RFC 6962, for any 0 ≤ from < to ≤ size that its recursion comes by. */
  async subtree(from: number, to: number): Promise<Hash> {
    const size = to - from;
    const left = largestPower(size);
    if (left === size) return this.#perfect(from, size);
    const half = from + left;
    return nodeHash(await this.#perfect(from, left), await this.subtree(half, to));
  }

  /** Of `size` leaves, a power of two that `from` is a multiple of. */
  async #perfect(from: number, size: number): Promise<Hash> {
    let level = 0;
    let hashes = size;
    for (; hashes >= TILE_WIDTH; hashes /= TILE_WIDTH) level += 1;
    const first = hashesAt(level, from);
    const tile = await this.tile(level, Math.floor(first / TILE_WIDTH));
    const start = first % TILE_WIDTH;
    return CompactRange.of(tile.slice(start, start + hashes)).root();
  }

  #whole(tile: Tile): Promise<readonly Hash[]> {
    const path = tilePath(tile);
    const known = this.#kept.get(path);
    const hashes = known ?? this.#verified(tile);
    this.#kept.delete(path);
    this.#kept.set(path, hashes);
    // After a failure, the next call reads it again.
    if (!known) hashes.catch(() => this.#kept.delete(path));
    if (this.#kept.size > KEPT_TILES) this.#kept.delete(this.#kept.keys().next().value!);
    return hashes;
  }

  async #verified(tile: Tile): Promise<readonly Hash[]> {
    const { level, index } = tile;
    const above = await this.tile(level + 1, Math.floor(index / TILE_WIDTH));
    const hashes = await readHashes(tile, this.#readTile, this.placeOf);
    const root = CompactRange.of(hashes).root();
    const expected = above[index % TILE_WIDTH]!;
    if (root === expected) return hashes;
    const place = this.placeOf(tilePath(tile));
    throw invalid(place, `a tile with the root ${expected}, as the checkpoint signs it`, root);
  }
}

async function readHashes(
  tile: Tile,
  readTile: ReadTile,
  placeOf: (path: string) => string,
): Promise<Hash[]> {
  const bytes = await readTile(tile);
  if (bytes.length === tile.width * HASH_BYTES) return hashesIn(bytes);
  throw invalid(
    placeOf(tilePath(tile)),
    `${counted(tile.width, 'hash', 'hashes')} of ${HASH_BYTES} bytes`,
    `${bytes.length} bytes`,
  );
}
