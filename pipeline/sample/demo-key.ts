import { hash } from 'node:crypto';
import type { Signer, Verifier } from '../ledger/note.ts';
import { signerFromSeed } from '../ledger/signer-from-seed.ts';

/** Origin of sample ledgers, and the name of the key that signs their checkpoints. */
export const DEMO_ORIGIN = 'ledger.cathedral.example/demo';

/**
 * The key of sample ledgers. It is public, this line gives it to everybody, so its signature proves nothing: it signs
 * samples and must never sign anything else. Its public half is data/keys/ledger.vkey.
 */
export function demoSigner(): Signer {
  return signerFromSeed(DEMO_ORIGIN, hash('sha256', `${DEMO_ORIGIN}: a published key`, 'buffer'));
}

/** Whether the sample's key may sign the ledger: then anybody may, and nothing in it proves anything. */
export function isDemoLedger(verifiers: readonly Verifier[]): boolean {
  const { publicKey } = demoSigner().verifier;
  return verifiers.some((verifier) => Buffer.compare(verifier.publicKey, publicKey) === 0);
}
