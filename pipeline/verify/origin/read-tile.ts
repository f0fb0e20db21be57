import { HASH_BYTES } from '../../ledger/log/hash.ts';
import { TILE_WIDTH, type Tile, tilePath } from '../../ledger/log/tile.ts';
import { mismatch } from '../mismatch.ts';
import type { Origin } from './origin.ts';
import { readSmall } from './read-small.ts';

/** Below the service's root. */
export const LOG = 'log';
const WHOLE_BYTES = TILE_WIDTH * HASH_BYTES;

/** The bytes of a tile as an origin has them. A partial one may be gone once it is whole. Throws mirror_mismatch. */
export async function readTile(origin: Origin, tile: Tile): Promise<Uint8Array> {
  const path = `${LOG}/${tilePath(tile)}`;
  const bytes = tile.width * HASH_BYTES;
  const found = await readSmall(origin, path, { exactly: bytes });
  if (found) return found.bytes;
  const whole =
    bytes < WHOLE_BYTES &&
    (await readSmall(origin, `${LOG}/${tilePath({ ...tile, width: TILE_WIDTH })}`, { exactly: WHOLE_BYTES }));
  if (whole) return whole.bytes.subarray(0, bytes);
  throw mismatch(origin.placeOf(path), `a tile of ${tile.width} hashes`, 'no such file');
}
