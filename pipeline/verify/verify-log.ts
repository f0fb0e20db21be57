import { parseCheckpoint } from '../ledger/checkpoint.ts';
import type { TreeHead } from '../ledger/log/hash.ts';
import { newTiles, type Tile } from '../ledger/log/tile.ts';
import { TileReader } from '../ledger/log/tile-reader.ts';
import { nodeHash } from '../ledger/merkle.ts';
import { MAX_NOTE_BYTES, noteText, type Verifier } from '../ledger/note.ts';
import { verifyNote } from '../ledger/verify-note.ts';
import { inParallel } from '../release/disk/in-parallel.ts';
import { assertBeginsWith } from './log-head.ts';
import { mismatch } from './mismatch.ts';
import type { Origin } from './origin/origin.ts';
import { readSmall } from './origin/read-small.ts';
import { LOG, readTile } from './origin/read-tile.ts';
import { forked } from './rules.ts';

/** A reader of the log as an origin has it. Throws log_invalid, mirror_mismatch and mirror_unreachable. */
export function openLog(origin: Origin, head: TreeHead): Promise<TileReader> {
  return TileReader.open(head, (tile) => readTile(origin, tile), nodeHash);
}

/** Of the log's tiles those that `choose` takes; each follows from the root. Gives how many of how many. */
export async function verifyTiles(
  reader: TileReader,
  choose: (tiles: readonly Tile[]) => readonly Tile[],
  parallel: number,
): Promise<{ read: number; all: number }> {
  const all = [...newTiles(0, reader.head.size)];
  const chosen = choose(all);
  await inParallel(chosen, parallel, async ({ level, index }) => {
    await reader.tile(level, index);
  });
  return { read: chosen.length, all: all.length };
}

/**
 * `/log/checkpoint`, which may be of a newer tree than the release: that goes on from the release's then, and the other way
 * round. Gives the reader of the longer one. Throws as the others here, and mirror_forked.
 */
export async function verifyOwnCheckpoint(
  origin: Origin,
  reader: TileReader,
  ledger: { origin: string; keys: readonly Verifier[] | null },
): Promise<TileReader> {
  const path = `${LOG}/checkpoint`;
  const place = origin.placeOf(path);
  const found = await readSmall(origin, path, { most: MAX_NOTE_BYTES });
  if (!found) throw mismatch(place, 'the checkpoint of the log', 'no such file');
  const head = await readCheckpoint(found.bytes, ledger, place);
  const [longer, other] =
    head.size <= reader.head.size ? [reader, head] : [await openLog(origin, head), reader.head];
  await assertBeginsWith(longer, other, place);
  return longer;
}

/** The head that a note is over, signed by the ledger where its keys are given. Throws ledger_corrupt, ledger_signature. */
export async function readCheckpoint(
  note: string | Uint8Array,
  ledger: { origin: string; keys: readonly Verifier[] | null },
  place: string,
): Promise<TreeHead> {
  const text = ledger.keys ? (await verifyNote(note, ledger.keys, place)).text : noteText(note, place);
  const { origin, ...head } = parseCheckpoint(text, place);
  if (origin !== ledger.origin) throw forked(place, `the log ${ledger.origin}`, origin);
  return head;
}
