import type { TileReader } from '../ledger/log/tile-reader.ts';
import type { Checkpoint } from '../ledger/notes/checkpoint.ts';
import { MAX_NOTE_BYTES, type Verifier } from '../ledger/notes/note.ts';
import { openCheckpoint } from './audit/verify-proof.ts';
import { mismatchError } from './findings.ts';
import { assertExtends, CHECKPOINT, openLog, otherLog } from './log.ts';
import { type Origin, readSmall } from './origin.ts';

/** A log whose checkpoint a known key signed. */
export interface SignedLog {
  origin: Origin;
  checkpoint: Checkpoint;
  /** The checkpoint as it was signed. */
  note: string;
  verifier: Verifier;
  reader: TileReader;
}

/** Throws mirror_mismatch, mirror_unreachable, ledger_signature, ledger_corrupt, and log_invalid for tiles of another tree. */
export async function openSignedLog(origin: Origin, verifiers: readonly Verifier[]): Promise<SignedLog> {
  const place = origin.placeOf(CHECKPOINT);
  const found = await readSmall(origin, CHECKPOINT, { most: MAX_NOTE_BYTES });
  if (!found) throw mismatchError(place, 'the checkpoint of the log', 'no such file');
  const { checkpoint, verifier } = await openCheckpoint(found.bytes, verifiers, place);
  const note = new TextDecoder().decode(found.bytes);
  return { origin, checkpoint, note, verifier, reader: await openLog(origin, checkpoint) };
}

/** A checkpoint that the reader kept: a signed note, and its name for messages. */
export interface KeptCheckpoint {
  note: string;
  place: string;
}

/**
 * The log must extend an earlier checkpoint that one of its keys signed: nothing in it was removed or changed since. Returns that
 * checkpoint. Throws mirror_rollback, mirror_forked, ledger_signature and ledger_corrupt.
 */
export async function assertExtendsKept(
  { checkpoint, reader }: Pick<SignedLog, 'checkpoint' | 'reader'>,
  { note, place }: KeptCheckpoint,
  verifiers: readonly Verifier[],
): Promise<Checkpoint> {
  const { checkpoint: kept } = await openCheckpoint(note, verifiers, place);
  if (kept.origin !== checkpoint.origin) throw otherLog(place, checkpoint.origin, kept.origin);
  await assertExtends(reader, kept, place);
  return kept;
}
