import { TILE_WIDTH } from '../../log/tile.ts';
import type { TileReader } from '../../log/tile-reader.ts';
import { assertTile } from './assert-tile.ts';

/** So many in each run, however long the log is: 16 384 events with their hashes. */
const AT_ONCE = 64;

/**
 * Reads some of the whole tiles of earlier runs again, with their entries: all where there are few, and others in each run
 * where there are many, since a log grows by another number of events each time. Throws log_invalid.
 */
export async function rereadTiles(out: string, reader: TileReader, atOnce = AT_ONCE): Promise<void> {
  const whole = Math.floor(reader.head.size / TILE_WIDTH);
  if (whole === 0) return;
  const first = reader.head.size % whole;
  for (let count = 0; count < Math.min(atOnce, whole); count += 1) {
    const index = (first + count) % whole;
    await assertTile(out, { level: 0, index, width: TILE_WIDTH }, reader);
  }
}
