import { hash } from 'node:crypto';
import type { Signer, Verifier } from '../notes/note.ts';
import { signerFromSeed } from '../notes/signer-from-seed.ts';

/** Origin of demo ledgers, and the name of the key that signs their checkpoints. */
export const DEMO_ORIGIN = 'ledger.cathedral.example/demo';

/**
 * The key of demo ledgers. This source publishes its secret half, so its signature proves nothing; never sign anything
 * but a demo ledger with it. Its public half is data/keys/ledger.vkey.
 */
export function demoSigner(): Signer {
  return signerFromSeed(DEMO_ORIGIN, hash('sha256', `${DEMO_ORIGIN}: a published key`, 'buffer'));
}

/** Whether the demo key is one of the keys that may sign the ledger. Anybody can sign such a ledger. */
export function isDemoLedger(verifiers: readonly Verifier[]): boolean {
  const { publicKey } = demoSigner().verifier;
  return verifiers.some((verifier) => Buffer.compare(verifier.publicKey, publicKey) === 0);
}
