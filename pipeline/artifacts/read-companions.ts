import { readFile } from 'node:fs/promises';
import { Companions } from '../attestation/companions.ts';
import { CathedralError } from '../errors.ts';

/** Who may attest. Throws config_invalid, naming the first member that is not as it should be. */
export async function readCompanions(path: string): Promise<Companions> {
  const text = await readFile(path, 'utf8').catch((cause: NodeJS.ErrnoException) => {
    throw fault(path, 'a file that can be read', cause.code ?? cause.message, cause);
  });
  const parsed = Companions.safeParse(parseJson(text, path));
  if (parsed.success) return parsed.data;
  const { path: at, message } = parsed.error.issues[0]!;
  throw fault(path, 'companions with their keys, and wallets', `${at.join('.')}: ${message}`);
}

function parseJson(text: string, path: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw fault(path, 'JSON', (cause as Error).message, cause);
  }
}

function fault(place: string, expected: string, found: string, cause?: unknown): CathedralError {
  return new CathedralError('config_invalid', { place, expected, found, cause });
}
