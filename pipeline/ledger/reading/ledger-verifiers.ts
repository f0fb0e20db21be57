import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { givenText, readGiven } from '../../disk/read-given.ts';
import { realOf } from '../../disk/real-path.ts';
import { CathedralError, errorOf } from '../../errors.ts';
import { formatVerifierKey, parseVerifierKey, type Verifier } from '../notes/note.ts';
import { demoSigner } from '../writing/demo-key.ts';

const badKeyFile = errorOf('config_invalid');

/** The keys in a file, one per line. Throws config_invalid. */
export async function readVerifiers(path: string): Promise<Verifier[]> {
  const keys = givenText(await readGiven(path), path)
    .split('\n')
    .filter((line) => line.trim() !== '');
  if (keys.length === 0) throw badKeyFile(path, 'a verifier key', 'none');
  return keys.map((key) => {
    try {
      return parseVerifierKey(key);
    } catch (cause) {
      if (!(cause instanceof CathedralError)) throw cause;
      throw badKeyFile(path, cause.expected, cause.found, cause);
    }
  });
}

/** The verifier keys in a file, a line each; none if there is no such file. Throws config_invalid. */
export async function readVerifierKeys(path: string): Promise<string[]> {
  return existsSync(path) ? (await readVerifiers(path)).map(formatVerifierKey) : [];
}

/**
 * Where a ledger's keys and documents are, unless a setting says otherwise: beside its folder. Of a ledger behind a symbolic link, also beside the
 * folder that the link leads to, unless the file is beside the link.
 */
export function besideLedger(ledger: string, ending: '.key' | '.vkey' | '.documents'): string {
  const [beside, real] = [`${resolve(ledger)}${ending}`, `${realOf(ledger)}${ending}`];
  return !existsSync(beside) && existsSync(real) ? real : beside;
}

/**
 * The keys that may sign a ledger: those in the file `given`, or those beside the ledger's folder, or the one of demo ledgers. Throws
 * config_invalid.
 */
export async function ledgerVerifiers(given: string | null, ledger: string | null): Promise<Verifier[]> {
  if (given !== null) return readVerifiers(given);
  const beside = ledger === null ? null : besideLedger(ledger, '.vkey');
  return beside !== null && existsSync(beside) ? readVerifiers(beside) : [demoSigner().verifier];
}
