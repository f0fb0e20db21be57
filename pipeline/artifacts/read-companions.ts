import { readFile } from 'node:fs/promises';
import { Companions } from '../attestation/companions.ts';
import { CathedralError } from '../errors.ts';
import type { Verifier } from '../ledger/note.ts';
import { demoCompanions, demoPublicKeys } from '../sample/demo-companions.ts';
import { isDemoLedger } from '../sample/demo-key.ts';

/** Nobody. */
const NONE: Companions = { companions: [], wallets: [] };

/**
 * Who may attest in a ledger that `verifiers` sign, as the file says; where there is none, those of the sample in a sample
 * ledger, and else nobody. Throws config_invalid, naming the first member that is not as it should be: a key of the sample,
 * whose secret half everybody has, is none for another ledger.
 */
export async function readCompanions(
  path: string | null,
  verifiers: readonly Verifier[],
): Promise<Companions> {
  const isDemo = isDemoLedger(verifiers);
  if (path === null) return isDemo ? demoCompanions() : NONE;
  const given = await readCompanionsFile(path);
  const published = publishedKeyOf(given);
  if (isDemo || published === null) return given;
  throw fault(
    path,
    'keys whose secret halves nobody else has',
    `${published}: a key of the sample, published`,
  );
}

/** The companion with a key that this software publishes; null where there is none. */
export function publishedKeyOf({ companions }: Companions): string | null {
  const published = demoPublicKeys();
  const found = companions.find(({ keys }) => keys.some(({ public_key }) => published.has(public_key)));
  return found?.companion ?? null;
}

/** Throws config_invalid, naming the first member that is not as it should be. */
export async function readCompanionsFile(path: string): Promise<Companions> {
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
