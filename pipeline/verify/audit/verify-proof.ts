import { CathedralError } from '../../errors.ts';
import type { Hash } from '../../ledger/log/hash.ts';
import { verifyInclusion } from '../../ledger/log/proofs.ts';
import { parseTlogProof } from '../../ledger/log/tlog-proof.ts';
import { type Checkpoint, parseCheckpoint } from '../../ledger/notes/checkpoint.ts';
import type { Verifier } from '../../ledger/notes/note.ts';
import { verifyNote } from '../../ledger/notes/verify-note.ts';

/** What a valid proof shows. */
export interface ProvedEvent {
  index: number;
  checkpoint: Checkpoint;
  verifier: Verifier;
  /** The checkpoint as it was signed. */
  note: string;
}

/**
 * Verifies a tlog-proof for the event with this hash; needs nothing but the keys. Throws log_invalid if the proof is not for this
 * event, and ledger_signature if no known key signed its checkpoint.
 */
export async function verifyProof(
  text: string,
  event: Hash,
  verifiers: readonly Verifier[],
  place: string,
): Promise<ProvedEvent> {
  const { index, path, checkpoint: note } = parseTlogProof(text, place);
  const { checkpoint, verifier } = await openCheckpoint(note, verifiers, place);
  if (verifyInclusion({ index, leaf: event, path }, checkpoint)) return { index, checkpoint, verifier, note };
  throw new CathedralError('log_invalid', {
    place,
    expected: `hashes that lead from event 0x${event} to the root ${checkpoint.root}`,
    found: 'hashes that lead elsewhere',
  });
}

/** The checkpoint of a signed note; its log origin must be the name of the key. Throws ledger_signature or ledger_corrupt. */
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
