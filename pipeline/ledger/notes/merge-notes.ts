import { COSIGNATURE_BYTES } from './cosignature.ts';
import { formatSignature, isBy, MAX_SIGNATURES, type NoteSignature, readSignatures } from './note.ts';

/**
 * A note with the signatures of two notes of one text, those of the first in front. Of the cosignatures by one key, the first stays, whatever
 * the time in a later one: nothing here is verified, and one that does not verify must not replace one that does. Beyond the most that a
 * note may have, others of the second note are left out. Throws `ledger_corrupt`, and a RangeError for different texts.
 */
export function mergeNotes(note: string, other: string, place: string): string {
  const [first, second] = [note, other].map((one) => readSignatures(one, place)) as [Read, Read];
  if (first.text !== second.text) throw new RangeError(`${place}: two notes of different texts`);
  const merged: NoteSignature[] = [];
  for (const signature of [...first.signatures, ...second.signatures])
    if (!merged.some((one) => stands(one, signature))) merged.push(signature);
  return `${first.text}\n${merged.slice(0, MAX_SIGNATURES).map(formatSignature).join('')}`;
}

type Read = ReturnType<typeof readSignatures>;

function isCosignature({ signature }: NoteSignature): boolean {
  return signature.length === COSIGNATURE_BYTES;
}

/** Whether a signature in the note makes another one superfluous. */
function stands(one: NoteSignature, other: NoteSignature): boolean {
  if (!isBy(one, other)) return false;
  return (isCosignature(one) && isCosignature(other)) || Buffer.compare(one.signature, other.signature) === 0;
}
