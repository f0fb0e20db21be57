import { CathedralError } from '../errors.ts';
import { cosignedPath } from '../ledger/log/cosigned-path.ts';
import { parseCheckpoint } from '../ledger/notes/checkpoint.ts';
import { MAX_NOTE_BYTES, noteText } from '../ledger/notes/note.ts';
import type { WitnessPolicy } from '../ledger/notes/witness-policy.ts';
import { assertQuorum, readWitnesses, type Witnessing } from '../ledger/notes/witness-quorum.ts';
import { counted } from '../words/number.ts';
import { mismatchError } from './findings.ts';
import { CHECKPOINT } from './log.ts';
import { LOG, type Origin, readSmall } from './origin.ts';

/** A checkpoint as a signed note, and its name for messages. */
export interface CheckpointNote {
  note: string;
  place: string;
}

export interface WitnessesOptions {
  policy: WitnessPolicy;
  /** The checkpoint of the release, from its manifest. */
  own: CheckpointNote;
  /** The one that the origin publishes, which was compared with the release’s log. Null: there is none. */
  published: CheckpointNote | null;
  /** Other checkpoints of this log that the reader has, as notes. */
  others: readonly string[];
  /** ms since 1970. */
  now: number;
}

/**
 * The witnesses of a checkpoint that covers the release: of the one that the origin publishes, or, if that is older or too few have
 * cosigned it, of the release's own as the publisher keeps it. Throws witness_quorum, witness_signature, and as `readCosigned`.
 */
export async function verifyWitnesses(
  origin: Origin,
  { policy, own, published, others, now }: WitnessesOptions,
): Promise<Witnessing & { note: string }> {
  const read = async ({ note, place }: CheckpointNote) => ({
    ...(await readWitnesses(note, policy, { place, now, others })),
    note,
  });
  const { size } = parseCheckpoint(noteText(own.note, own.place), own.place);
  const newest = published && (await read(published));
  const covers = newest !== null && newest.checkpoint.size >= size;
  if (covers && newest.isQuorum) return newest;
  const cosigned = await readCosigned(origin, own, size);
  const kept = cosigned && (await read(cosigned));
  if (kept?.isQuorum) return kept;
  if (kept && !covers) assertQuorum(kept, cosigned!.place);
  if (covers) assertQuorum(newest, published!.place);
  throw new CathedralError('witness_quorum', {
    place: origin.placeOf(CHECKPOINT),
    expected: `a checkpoint of ${size} or more events, with the cosignatures that the policy requires`,
    found: newest ? `one of ${counted(newest.checkpoint.size, 'event')}, older than the release` : 'none',
  });
}

/**
 * The release's checkpoint as its publisher keeps it after newer ones; null: there is none. Throws mirror_mismatch for another
 * checkpoint, ledger_corrupt and mirror_unreachable.
 */
export async function readCosigned(
  origin: Origin,
  own: CheckpointNote,
  size: number,
): Promise<CheckpointNote | null> {
  const path = `${LOG}/${cosignedPath(size)}`;
  const found = await readSmall(origin, path, { most: MAX_NOTE_BYTES });
  if (!found) return null;
  const place = origin.placeOf(path);
  const [expected, text] = [noteText(own.note, own.place), noteText(found.bytes, place)];
  if (text !== expected)
    throw mismatchError(
      place,
      `the release’s checkpoint ${JSON.stringify(expected)}`,
      JSON.stringify(text.slice(0, 300)),
    );
  return { note: new TextDecoder().decode(found.bytes), place };
}
