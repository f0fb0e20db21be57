import { formatVerifierKey, type Verifier } from '../ledger/notes/note.ts';
import { snapshotFile } from '../ledger/reading/directory.ts';
import { readCheckpoint } from '../ledger/reading/read-checkpoint.ts';
import { accompanyingFile, type Facts, type NewFile } from '../release/format/manifest.ts';

/** Path of the ledger's verifier key, below the service's root. */
const LEDGER_KEY_PATH = 'ledger.vkey';

/**
 * The key that signed the release's checkpoint, as the ledger names it, so a rebuild by someone who trusts further keys gives the
 * same file. Throws the errors of `readCheckpoint`.
 */
export function ledgerKeyFile(
  ledger: string,
  { snapshot }: Facts['ledger'],
  verifiers: readonly Verifier[],
): NewFile {
  const { verifier } = readCheckpoint(snapshotFile(ledger, snapshot), verifiers);
  return keysFile(LEDGER_KEY_PATH, [formatVerifierKey(verifier)]);
}

/** Verifier keys as a file of the release, one per line. */
export function keysFile(path: string, keys: readonly string[]): NewFile {
  return accompanyingFile(path, keys.map((key) => `${key}\n`).join(''));
}
