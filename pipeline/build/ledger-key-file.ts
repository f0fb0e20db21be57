import { snapshotFile } from '../ledger/directory.ts';
import { formatVerifierKey, type Verifier } from '../ledger/note.ts';
import { readCheckpoint } from '../ledger/read-checkpoint.ts';
import type { NewFile } from '../release/disk/new-file.ts';
import type { Facts } from '../release/format/manifest.ts';
import { keysFile } from './keys-file.ts';

/** Where readers find the ledger's key, below the service's root. */
export const LEDGER_KEY_PATH = 'ledger.vkey';

/**
 * The key that signed what the release was made from, which the ledger itself says: so a rebuild by somebody who trusts
 * more keys gives the same file. Throws as `readCheckpoint` does.
 */
export function ledgerKeyFile(
  ledger: string,
  { snapshot }: Facts['ledger'],
  verifiers: readonly Verifier[],
): NewFile {
  const { verifier } = readCheckpoint(snapshotFile(ledger, snapshot), verifiers);
  return keysFile(LEDGER_KEY_PATH, [formatVerifierKey(verifier)]);
}
