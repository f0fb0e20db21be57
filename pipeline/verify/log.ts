import { bytesToHex } from '@noble/hashes/utils.js';
import { inParallel } from '../disk/in-parallel.ts';
import type { CathedralError } from '../errors.ts';
import type { Hash, TreeHead } from '../ledger/log/hash.ts';
import { isExtended } from '../ledger/log/proofs.ts';
import { newTiles, type Tile } from '../ledger/log/tile.ts';
import { TileReader } from '../ledger/log/tile-reader.ts';
import { decodeBase64 } from '../ledger/notes/base64.ts';
import { parseCheckpoint } from '../ledger/notes/checkpoint.ts';
import { MAX_NOTE_BYTES, noteText, type Verifier } from '../ledger/notes/note.ts';
import { verifyNote } from '../ledger/notes/verify-note.ts';
import type { PublicManifest } from '../release/format/public-manifest.ts';
import { counted } from '../words/number.ts';
import { mismatchError } from './findings.ts';
import { LOG, type Origin, readSmall } from './origin.ts';
import { forkError, rollbackError } from './signed-release.ts';

/** The newest checkpoint, a signed note. */
export const CHECKPOINT = `${LOG}/checkpoint`;

/** Which log a checkpoint must be of, and who may have signed it; null: the ledger's signature is not verified. */
export interface ExpectedLog {
  origin: string;
  keys: readonly Verifier[] | null;
}

export function headOf({ size, root_hash }: { size: number; root_hash: string }): TreeHead {
  return { size, root: bytesToHex(decodeBase64(root_hash)!) };
}

/** The origin's log with this tree head. Throws log_invalid, mirror_mismatch and mirror_unreachable. */
export function openLog(origin: Origin, head: TreeHead): Promise<TileReader> {
  return TileReader.open(
    head,
    (tile) => origin.readTile(tile),
    (path) => origin.placeOf(`${LOG}/${path}`),
  );
}

/**
 * The tree head that a manifest gives, compared with the ledger's own checkpoint in it. Throws mirror_mismatch if the two
 * differ, ledger_signature and ledger_corrupt.
 */
export async function openCheckpoint(
  { log }: Pick<PublicManifest, 'log'>,
  keys: readonly Verifier[] | null,
  place: string,
): Promise<TreeHead> {
  const text = keys ? (await verifyNote(log.checkpoint, keys, place)).text : noteText(log.checkpoint, place);
  const { origin, size, root } = parseCheckpoint(text, place);
  const head = headOf(log);
  if (origin === log.origin && size === head.size && root === head.root) return head;
  const expected = `${log.origin}, ${counted(head.size, 'event')}, root ${head.root}`;
  throw mismatchError(place, expected, `${origin}, ${size}, ${root}`);
}

/** The tree head of a checkpoint. Throws mirror_forked for another log, ledger_corrupt and ledger_signature. */
export async function readCheckpoint(
  note: string | Uint8Array,
  expected: ExpectedLog,
  place: string,
): Promise<TreeHead> {
  const text = expected.keys ? (await verifyNote(note, expected.keys, place)).text : noteText(note, place);
  const { origin, ...head } = parseCheckpoint(text, place);
  if (origin !== expected.origin) throw otherLog(place, expected.origin, origin);
  return head;
}

/** `found`: the log that the document at `place` names. */
export function otherLog(
  place: string,
  log: string,
  found: string,
  document = 'a checkpoint',
): CathedralError {
  const why = 'so it is of another service, or this one has begun another log';
  return forkError(place, `${document} of the log ${log}`, `one of the log ${found}, ${why}`);
}

/** The reader's tree must begin with an earlier one. Throws mirror_rollback or mirror_forked. */
export async function assertExtends(reader: TileReader, earlier: TreeHead, place: string): Promise<void> {
  const { head } = reader;
  if (earlier.size > head.size)
    throw rollbackError(place, `a log of ${counted(earlier.size, 'event')} or more`, `${head.size}`);
  if (await isExtended(reader, earlier)) return;
  throw forkError(
    place,
    `a log whose first ${counted(earlier.size, 'event')} have the root ${earlier.root}`,
    `${counted(head.size, 'event')} with the root ${head.root}, which begin differently`,
  );
}

/** Reads the chosen tiles, each of which must follow from the root. `keep` gets their hashes. */
export async function verifyTiles(
  reader: TileReader,
  { choose, parallel, keep }: TilesOptions,
): Promise<{ read: number; all: number }> {
  const all = [...newTiles(0, reader.head.size)];
  const chosen = choose(all);
  await inParallel(chosen, parallel, async (tile) => {
    const hashes = await reader.tile(tile.level, tile.index);
    await keep?.(tile, hashes);
  });
  return { read: chosen.length, all: all.length };
}

export interface TilesOptions {
  choose: (tiles: readonly Tile[]) => readonly Tile[];
  parallel: number;
  keep?: ((tile: Tile, hashes: readonly Hash[]) => Promise<void>) | undefined;
}

export interface PublishedCheckpoint {
  /** As received. */
  note: string;
  place: string;
  /** Of the longer one of its tree and the release's. */
  reader: TileReader;
}

/**
 * Compares `/log/checkpoint` with the release's tree: it may be of an earlier or of a later one. Null: there is no such file. Throws
 * mirror_forked, and what reading a checkpoint and opening a log throw.
 */
export async function readPublishedCheckpoint(
  origin: Origin,
  reader: TileReader,
  expected: ExpectedLog,
): Promise<PublishedCheckpoint | null> {
  const place = origin.placeOf(CHECKPOINT);
  const found = await readSmall(origin, CHECKPOINT, { most: MAX_NOTE_BYTES });
  if (!found) return null;
  const head = await readCheckpoint(found.bytes, expected, place);
  const isLater = head.size > reader.head.size;
  const longer = isLater ? await openLog(origin, head) : reader;
  await assertExtends(longer, isLater ? reader.head : head, place);
  return { note: new TextDecoder().decode(found.bytes), place, reader: longer };
}
