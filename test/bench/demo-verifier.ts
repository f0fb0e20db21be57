import { readFileSync } from 'node:fs';
import { parseVerifierKey } from '../../pipeline/ledger/notes/note.ts';

/** The key that sample ledgers are signed with. */
export const DEMO_VERIFIER = parseVerifierKey(readFileSync('data/keys/ledger.vkey', 'utf8').trim());
