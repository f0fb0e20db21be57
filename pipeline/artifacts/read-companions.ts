import { Companions } from '../attestation/companions.ts';
import type { Problem } from '../attestation/problem.ts';
import { readJson } from '../attestation/read-json.ts';
import { schemaProblems } from '../attestation/schema-problems.ts';
import { CathedralError } from '../errors.ts';
import type { Verifier } from '../ledger/note.ts';
import { demoCompanions, demoPublicKeys } from '../sample/demo-companions.ts';
import { isDemoLedger } from '../sample/demo-key.ts';
import { readAtMost } from './read-at-most.ts';

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

/** As many companions and wallets as there may be take less; what nests deeper than the fifth level has no member to be. */
const LIMITS = { maxBytes: 4_194_304, maxDepth: 8 };

/** Throws config_invalid, naming the first member that is not as it should be. */
export async function readCompanionsFile(path: string): Promise<Companions> {
  const bytes = await readAtMost(path, LIMITS.maxBytes + 1).catch((cause: NodeJS.ErrnoException) => {
    throw fault(path, 'a file that can be read', cause.code ?? cause.message, cause);
  });
  const { value, problem } = readJson(bytes, LIMITS);
  if (problem)
    throw fault(path, `JSON that says one thing only, of at most ${LIMITS.maxBytes} bytes`, said(problem));
  const parsed = Companions.safeParse(value);
  if (parsed.success) return parsed.data;
  const [first] = schemaProblems(parsed.error.issues, value);
  throw fault(path, 'companions with their keys, and wallets', said(first!));
}

/** `/companions/0/keys: Expected at least 1 items, found []. (too_few_items)` */
function said({ pointer, message, code }: Problem): string {
  return `${pointer || '/'}: ${message} (${code})`;
}

function fault(place: string, expected: string, found: string, cause?: unknown): CathedralError {
  return new CathedralError('config_invalid', { place, expected, found, cause });
}
