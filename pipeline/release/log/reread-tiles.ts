import { SLOT_MS, slotTime } from '../../ledger/events/slot.ts';
import { type Bundle, TILE_WIDTH } from '../../ledger/log/tile.ts';
import type { TileReader } from '../../ledger/log/tile-reader.ts';
import { assertCompressed } from './compressed-bundle.ts';
import { verifiedEntries } from './log-folder.ts';
import { assertPublicBundle, hasPublicBundles } from './public-bundles.ts';

/** At most this many tiles per slot, however long the log is: 16,384 events with their hashes. */
const AT_ONCE = 64;

/** Slots of six hours, each with its share of tiles: `from` inclusive, `to` exclusive. */
export interface Turns {
  from: number;
  to: number;
}

/**
 * The slots that a run covers: those since the previous release, at least one. So every slot is covered exactly once, whether
 * there are four runs a day or one a week, without keeping a record. `previous`, `newest`: ids of ledger snapshots, or null.
 */
export function slotsToReread(previous: string | null, newest: string | null): Turns {
  const slot = (id: string | null) => (id === null ? 0 : slotTime(id) / SLOT_MS);
  const from = slot(previous ?? newest);
  return { from, to: Math.max(from + 1, slot(newest)) };
}

/** Numbers of the full tiles to read in these slots. `whole`: how many full tiles exist. */
export function tilesOfSlots(whole: number, { from, to }: Turns): number[] {
  // A power of two, so that the order stays the same as the log grows.
  const every = 2 ** Math.max(0, Math.ceil(Math.log2(whole / AT_ONCE)));
  const turns = Math.min(every, to - from);
  const read = new Set(Array.from({ length: turns }, (_, turn) => (from + turn) % every));
  return Array.from({ length: whole }, (_, index) => index).filter((index) => read.has(index % every));
}

/**
 * Verifies again some of the full tiles that earlier runs wrote, with their entries and the tiles above: all of a short log, a
 * different share of a long log in each slot. Throws log_invalid.
 */
export async function rereadTiles(out: string, reader: TileReader, turns: Turns): Promise<void> {
  const isPublic = await hasPublicBundles(out);
  for (const index of tilesOfSlots(Math.floor(reader.head.size / TILE_WIDTH), turns))
    await assertLeaves(out, { index, width: TILE_WIDTH }, reader, isPublic);
}

/**
 * Verifies a tile of level 0 against the checkpoint, its entries against their hashes, their compressed variant, and if `isPublic`, the
 * public events against the entries. Throws log_invalid.
 */
export async function assertLeaves(
  out: string,
  bundle: Bundle,
  reader: TileReader,
  isPublic: boolean,
): Promise<void> {
  const entries = await verifiedEntries(out, bundle, reader);
  if (bundle.width === TILE_WIDTH) assertCompressed(out, bundle, entries);
  if (isPublic) assertPublicBundle(out, bundle, entries);
}
