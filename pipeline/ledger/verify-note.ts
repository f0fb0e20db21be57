import { utf8ToBytes } from '@noble/hashes/utils.js';
import { badClaim, readClaims, type Verifier } from './note.ts';
import { ed25519 } from './verify-ed25519.ts';

/** As `openNote`, with what browsers have, too: they verify without blocking, and nothing else but in that way. */
export async function verifyNote(
  note: string | Uint8Array,
  verifiers: readonly Verifier[],
  place: string,
): Promise<{ text: string; verifier: Verifier }> {
  const { text, claims } = readClaims(note, verifiers, place);
  const { verify } = await ed25519();
  const message = utf8ToBytes(text);
  for (const claim of claims) {
    const { verifier, signature } = claim;
    // A signature of another length, or a key that is no point of the curve, verifies nothing.
    const holds = await verify(verifier.publicKey, message, signature).catch(() => false);
    if (!holds) throw badClaim(claim, place);
  }
  return { text, verifier: claims[0].verifier };
}
