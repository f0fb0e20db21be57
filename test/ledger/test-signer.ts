import { signerFromSeed } from '../../pipeline/ledger/notes/signer-from-seed.ts';

export const ORIGIN = 'ledger.example/test';
export const signer = signerFromSeed(ORIGIN, new Uint8Array(32).fill(7));
