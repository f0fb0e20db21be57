import { CathedralError } from '../../errors.ts';
import { bundlePath, TILE_WIDTH, type Tile } from '../../ledger/log/tile.ts';
import type { TileReader } from '../../ledger/log/tile-reader.ts';
import { SLOT_MS, slotTime } from '../../ledger/slot.ts';
import { logFile, readEntries } from './log-folder.ts';

/** As many in a turn at most, however long the log is: 16 384 events with their hashes. */
const AT_ONCE = 64;

/** Slots of six hours, each of which has its turn: from this one on, and before that one. */
export interface Turns {
  from: number;
  to: number;
}

/**
 * The turns of a run: those since the release before, at least one. So each slot comes once in all runs, whether they are four
 * a day or one a week, and nothing has to be remembered. `previous`, `newest`: ids of snapshots; null: there is none.
 */
export function slotsToReread(previous: string | null, newest: string | null): Turns {
  const slot = (id: string | null) => (id === null ? 0 : slotTime(id) / SLOT_MS);
  const from = slot(previous ?? newest);
  return { from, to: Math.max(from + 1, slot(newest)) };
}

/** Numbers of the whole tiles that are read in these turns; `whole`: how many there are. */
export function tilesOfSlots(whole: number, { from, to }: Turns): number[] {
  // One in so many, a power of two, so that a longer log is read in the same order.
  const every = 2 ** Math.max(0, Math.ceil(Math.log2(whole / AT_ONCE)));
  const turns = Math.min(every, to - from);
  const read = new Set(Array.from({ length: turns }, (_, turn) => (from + turn) % every));
  return Array.from({ length: whole }, (_, index) => index).filter((index) => read.has(index % every));
}

/**
 * Reads some of the whole tiles of earlier runs again, with their entries and the tiles above them: all where there are few,
 * and others in each turn where there are many. Throws log_invalid.
 */
export async function rereadTiles(out: string, reader: TileReader, turns: Turns): Promise<void> {
  for (const index of tilesOfSlots(Math.floor(reader.head.size / TILE_WIDTH), turns))
    await assertTile(out, { level: 0, index, width: TILE_WIDTH }, reader);
}

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
