import { CathedralError } from '../../errors.ts';
import { bundlePath, type Tile } from '../../ledger/log/tile.ts';
import type { TileReader } from '../../ledger/log/tile-reader.ts';
import { logFile, readEntries } from './log-folder.ts';

/** That a tile follows from the checkpoint, and that each entry below it has its hash in it. Throws log_invalid. */
export async function assertTile(out: string, tile: Tile, reader: TileReader): Promise<void> {
  const hashes = await reader.tile(tile.level, tile.index);
  if (tile.level > 0) return;
  const entries = await readEntries(out, tile);
  const wrong = entries.hashes.findIndex((hash, index) => hash !== hashes[index]);
  if (wrong < 0) return;
  throw new CathedralError('log_invalid', {
    place: `${logFile(out, bundlePath(tile))} entry ${wrong}`,
    expected: `hash ${hashes[wrong]}`,
    found: entries.hashes[wrong]!,
  });
}
