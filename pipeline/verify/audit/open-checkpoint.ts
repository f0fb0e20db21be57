import { CathedralError } from '../../errors.ts';
import { type Checkpoint, parseCheckpoint } from '../../ledger/checkpoint.ts';
import type { Verifier } from '../../ledger/note.ts';
import { verifyNote } from '../../ledger/verify-note.ts';

/** The checkpoint of a signed note, of the origin that its key is named for. Throws ledger_signature or ledger_corrupt. */
export async function openCheckpoint(
  note: string | Uint8Array,
  verifiers: readonly Verifier[],
  place: string,
): Promise<{ checkpoint: Checkpoint; verifier: Verifier }> {
  const { text, verifier } = await verifyNote(note, verifiers, place);
  const checkpoint = parseCheckpoint(text, place);
  if (checkpoint.origin === verifier.name) return { checkpoint, verifier };
  throw new CathedralError('ledger_signature', {
    place,
    expected: `origin ${verifier.name}, the name of the key`,
    found: checkpoint.origin,
  });
}
