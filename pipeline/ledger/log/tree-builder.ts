import { formatBundle } from './entry-bundle.ts';
import { bytesOf, type Hash } from './hash.ts';
import { CompactRange, leafHash } from './merkle.ts';
import { bundlePath, edgeTiles, partialTiles, TILE_WIDTH, tilePath } from './tile.ts';

/** A file of the log. `path` is below the log's address. */
export interface LogFile {
  path: string;
  bytes: Uint8Array;
}

/** The right edge of a tree: all that appending needs. */
export interface TreeEdge {
  size: number;
  /** Hashes of a level's partial tile; empty if there is none. */
  hashes: (level: number) => readonly Hash[];
  /** Entries of the partial bundle. */
  entries: readonly Uint8Array[];
}

export const EMPTY_TREE: TreeEdge = { size: 0, hashes: () => [], entries: [] };

const NONE: readonly LogFile[] = [];

/** Builds the tiles and bundles of a log from its entries in order, with at most one tile per level in memory. */
export class TreeBuilder {
  #size: number;
  /** The hashes of the partial tile of each level. */
  readonly #levels: Hash[][];
  #entries: Uint8Array[];

  constructor({ size, hashes, entries }: TreeEdge) {
    this.#size = size;
    const top = Math.max(-1, ...edgeTiles(size).map(({ level }) => level));
    this.#levels = Array.from({ length: top + 1 }, (_, level) => [...hashes(level)]);
    this.#entries = [...entries];
  }

  get size(): number {
    return this.#size;
  }

  /** RFC 6962 root, hex. */
  root(): Hash {
    const subtrees = this.#levels.toReversed().flatMap((hashes) => CompactRange.of(hashes).hashes());
    return CompactRange.resume(this.#size, subtrees).root();
  }

  /** Appends an entry and returns the files that it completes, usually none. `hash`: its leaf hash, if the caller has it already. */
  append(entry: Uint8Array, hash: Hash = leafHash(entry)): readonly LogFile[] {
    this.#entries.push(entry);
    const index = this.#size;
    this.#size += 1;
    this.#add(0, hash);
    return this.#entries.length < TILE_WIDTH ? NONE : this.#takeFull(Math.floor(index / TILE_WIDTH));
  }

  /** The partial files of the current tree, except those that are full in a tree of `size`. */
  partial(size = this.#size): LogFile[] {
    const tiles = partialTiles(this.#size, size);
    const files = tiles.map((tile) => ({
      path: tilePath(tile),
      bytes: bytesOf(this.#levels[tile.level]!),
    }));
    const leaves = tiles.find(({ level }) => level === 0);
    return leaves ? [...files, { path: bundlePath(leaves), bytes: formatBundle(this.#entries) }] : files;
  }

  #add(level: number, hash: Hash): void {
    this.#levels[level] ??= [];
    this.#levels[level].push(hash);
  }

  /** The bundle and the tiles that its last entry completes. Each becomes a hash of the level above. */
  #takeFull(bundle: number): LogFile[] {
    const entries = this.#entries;
    this.#entries = [];
    const files = [{ path: bundlePath({ index: bundle, width: TILE_WIDTH }), bytes: formatBundle(entries) }];
    let index = bundle;
    for (let level = 0; this.#levels[level]!.length === TILE_WIDTH; level += 1) {
      const hashes = this.#levels[level]!;
      files.push({ path: tilePath({ level, index, width: TILE_WIDTH }), bytes: bytesOf(hashes) });
      this.#levels[level] = [];
      this.#add(level + 1, CompactRange.of(hashes).root());
      index = Math.floor(index / TILE_WIDTH);
    }
    return files;
  }
}
