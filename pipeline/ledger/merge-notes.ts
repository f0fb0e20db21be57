import { COSIGNATURES } from './cosignature.ts';
import { formatSignature, MAX_SIGNATURES, type NoteSignature, readSignatures } from './note.ts';

/** Bytes of signatures that begin with a timestamp. */
const TIMESTAMPED = new Set(Object.values(COSIGNATURES).map(({ signature }) => 8 + signature));

/**
 * A note with the signatures of two notes of one text, those of the first in front. Of the cosignatures by one key, the newest stays: a
 * witness cosigns the same checkpoint again and again. Beyond the most that a note may have, others of the second note are left out.
 * Verifies nothing. Throws `ledger_corrupt`, and a RangeError for different texts.
 */
export function mergeNotes(note: string, other: string, place: string): string {
  const [first, second] = [note, other].map((one) => readSignatures(one, place)) as [Read, Read];
  if (first.text !== second.text) throw new RangeError(`${place}: two notes of different texts`);
  const merged = [...first.signatures];
  for (const signature of second.signatures) {
    const bytes = signature.signature;
    const ofKey = (one: NoteSignature) => one.name === signature.name && one.id === signature.id;
    if (merged.some((one) => ofKey(one) && Buffer.compare(one.signature, bytes) === 0)) continue;
    const earlier = merged.findIndex((one) => ofKey(one) && isTimestamped(one) && isTimestamped(signature));
    if (earlier < 0) merged.push(signature);
    else if (timeOf(signature) > timeOf(merged[earlier]!)) merged[earlier] = signature;
  }
  return `${first.text}\n${merged.slice(0, MAX_SIGNATURES).map(formatSignature).join('')}`;
}

type Read = ReturnType<typeof readSignatures>;

function isTimestamped({ signature }: NoteSignature): boolean {
  return TIMESTAMPED.has(signature.length);
}

function timeOf({ signature }: NoteSignature): bigint {
  return Buffer.from(signature).readBigUInt64BE();
}
