import type { Hash } from './hash.ts';
import { TILE_WIDTH } from './tile.ts';
import type { TileReader } from './tile-reader.ts';

/** Tiles at once, as many as browsers ask one host for. */
const PARALLEL = 6;

/**
 * The index of the leaf with this hash, from ≤ index < to, or null. The newest tiles are read first, and the reader verifies them.
 * `progress` is called before each batch of tiles, and may throw to stop the search.
 */
export async function findLeaf(
  reader: TileReader,
  leaf: Hash,
  { from, to }: { from: number; to: number },
  progress: (read: number, all: number) => void = () => {},
): Promise<number | null> {
  const tiles: number[] = [];
  for (let tile = Math.ceil(to / TILE_WIDTH) - 1; tile >= Math.floor(from / TILE_WIDTH); tile -= 1)
    tiles.push(tile);
  for (let read = 0; read < tiles.length; read += PARALLEL) {
    progress(read, tiles.length);
    const batch = tiles.slice(read, read + PARALLEL);
    const found = await Promise.all(batch.map(async (tile) => (await reader.tile(0, tile)).indexOf(leaf)));
    const at = found.findIndex((index) => index >= 0);
    if (at >= 0) return batch[at]! * TILE_WIDTH + found[at]!;
  }
  return null;
}
