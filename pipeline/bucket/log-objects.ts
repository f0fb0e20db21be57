import { CathedralError } from '../errors.ts';
import { formatBundle } from '../ledger/log/entry-bundle.ts';
import { bytesOf } from '../ledger/log/hash.ts';
import { isExtended } from '../ledger/log/proofs.ts';
import { bundlePath, hashesAt, newTiles, TILE_WIDTH, type Tile, tilePath } from '../ledger/log/tile.ts';
import type { TileReader } from '../ledger/log/tile-reader.ts';
import type { Checkpoint } from '../ledger/notes/checkpoint.ts';
import { partialWidths, verifiedEntries } from '../release/log/log-folder.ts';
import { counted } from '../words/number.ts';
import { logKey } from './layout.ts';
import type { Content } from './upload.ts';

/**
 * The objects that a log has and an earlier one lacks: full tiles and entry bundles, and the partial ones that OUT has for the checkpoints
 * in between. Bytes come from tiles that follow from the root, so damage on this disk goes no further. At most `TILES_AT_ONCE` tiles are in
 * memory. Throws log_invalid, and log_forked if the log does not extend the earlier one.
 *
 * @param from the log that the store has; null: none
 */
export async function* newLogObjects(
  out: string,
  reader: TileReader,
  from: Checkpoint | null,
): AsyncGenerator<Map<string, Content>> {
  if (from) await assertExtends(reader, from);
  const earlier = from?.size ?? 0;
  let objects = new Map<string, Content>();
  let tiles = 0;
  for (const tile of newTiles(earlier, reader.head.size)) {
    for (const [path, bytes] of await filesOf(out, tile, reader, earlier))
      objects.set(logKey(path), { bytes });
    tiles += 1;
    if (tiles % TILES_AT_ONCE > 0) continue;
    yield objects;
    objects = new Map();
  }
  yield objects;
}

/** With their entry bundles of up to 100 kB each, about 25 MB. */
const TILES_AT_ONCE = 256;

/** Throws log_forked if the log does not begin with that of the bucket. */
export async function assertExtends(reader: TileReader, { size, root }: Checkpoint): Promise<void> {
  const { head } = reader;
  if (await isExtended(reader, { size, root })) return;
  throw new CathedralError('log_forked', {
    place: 'log/checkpoint',
    expected: `a log that extends the ${counted(size, 'event')} with the root ${root} that the bucket has (nothing is published: restore that log)`,
    found: `${counted(head.size, 'event')} with the root ${head.root}`,
  });
}

/** A tile as it is now and as earlier checkpoints need it, and its entries, by path below the log's address. */
async function filesOf(
  out: string,
  tile: Tile,
  reader: TileReader,
  earlier: number,
): Promise<[path: string, bytes: Uint8Array][]> {
  const { level, index } = tile;
  const hashes = await reader.tile(level, index);
  const entries = level === 0 ? await verifiedEntries(out, tile, reader) : null;
  const before = hashesAt(level, earlier) - index * TILE_WIDTH;
  const partial = await partialWidths(out, tilePath({ level, index, width: TILE_WIDTH }));
  const widths = partial.filter((width) => width > before && width < tile.width);
  return [...widths, tile.width].flatMap((width) => {
    const files: [string, Uint8Array][] = [
      [tilePath({ level, index, width }), bytesOf(hashes.slice(0, width))],
    ];
    if (entries) files.push([bundlePath({ index, width }), formatBundle(entries.slice(0, width))]);
    return files;
  });
}
