import type { Hash } from './hash.ts';
import { TILE_WIDTH } from './tile.ts';
import type { TileReader } from './tile-reader.ts';

export interface FindOptions {
  /** Range to search: from ≤ index < to. */
  from: number;
  to: number;
  /** Where to start. */
  first: 'oldest' | 'newest';
  /** Number of tiles to read at once. */
  parallel: number;
  /** Called before each batch of tiles. May throw to stop the search. */
  progress?: (read: number, all: number) => void;
}

/** The index of the leaf with this hash, or null. The reader verifies the tiles. */
export async function findLeaf(
  reader: TileReader,
  leaf: Hash,
  { from, to, first, parallel, progress }: FindOptions,
): Promise<number | null> {
  const tiles: number[] = [];
  for (let tile = Math.floor(from / TILE_WIDTH); tile * TILE_WIDTH < to; tile += 1) tiles.push(tile);
  if (first === 'newest') tiles.reverse();
  for (let read = 0; read < tiles.length; read += parallel) {
    progress?.(read, tiles.length);
    const batch = tiles.slice(read, read + parallel);
    const found = await Promise.all(batch.map(async (tile) => (await reader.tile(0, tile)).indexOf(leaf)));
    const at = found.findIndex((index) => index >= 0);
    if (at >= 0) return batch[at]! * TILE_WIDTH + found[at]!;
  }
  return null;
}
