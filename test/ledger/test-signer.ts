import { signerFromSeed } from '../../pipeline/ledger/note.ts';

export const ORIGIN = 'ledger.example/test';
export const signer = signerFromSeed(ORIGIN, new Uint8Array(32).fill(7));
