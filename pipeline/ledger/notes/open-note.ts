import { createPublicKey, type KeyObject, verify } from 'node:crypto';
import { invalidSignature, readClaims, type Verifier } from './note.ts';

/** DER header that node:crypto wants before a raw Ed25519 key, RFC 8410 §4. */
const SPKI_HEADER = Buffer.from('302a300506032b6570032100', 'hex');

/**
 * Verifies a note and returns its text and the first known key that signed it. An invalid signature by a known key invalidates the
 * whole note. Throws `ledger_corrupt` (not a note) or `ledger_signature`. `place` names the note in errors.
 */
export function openNote(
  note: string | Uint8Array,
  verifiers: readonly Verifier[],
  place: string,
): { text: string; verifier: Verifier } {
  const { text, claims } = readClaims(note, verifiers, place);
  const message = Buffer.from(text);
  for (const claim of claims)
    if (!isSignedBy(claim.verifier, message, claim.signature)) throw invalidSignature(claim, place);
  return { text, verifier: claims[0].verifier };
}

function isSignedBy(verifier: Verifier, message: Uint8Array, signature: Uint8Array): boolean {
  const key = keys.get(verifier) ?? keyOf(verifier.publicKey);
  keys.set(verifier, key);
  return verify(null, message, key, signature);
}

/** Thousands of checkpoints are signed by one key, which takes longer to set up than to use. */
const keys = new WeakMap<Verifier, KeyObject>();

function keyOf(publicKey: Uint8Array): KeyObject {
  return createPublicKey({ key: Buffer.concat([SPKI_HEADER, publicKey]), format: 'der', type: 'spki' });
}
