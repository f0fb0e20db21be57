import { join } from 'node:path';
import * as z from 'zod/mini';
import { Companion, Companions } from '../attestation/companions.ts';
import { type Json, readLimitedJson } from '../attestation/limited-json.ts';
import { formatProblem } from '../attestation/problem.ts';
import { PublishedRegistry, trustOf } from '../attestation/published-registry.ts';
import type { Registry } from '../attestation/registry.ts';
import { schemaProblems } from '../attestation/schema-problems.ts';
import { PROJECT } from '../config/project.ts';
import { SETTINGS } from '../config/settings.ts';
import { readAtMost } from '../disk/read-given.ts';
import { CathedralError, errorOf } from '../errors.ts';
import type { Verifier } from '../ledger/notes/note.ts';
import { isDemoLedger } from '../ledger/writing/demo-key.ts';

const fault = errorOf('config_invalid');

const NONE: Companions = { companions: [], wallets: [] };
/** The companions of demo ledgers, and the wallets of their entities. The secret halves are published: pipeline/attestation/demo-companions.ts. */
const DEMO_COMPANIONS = join(PROJECT, 'data/keys/companions.json');

/**
 * The companions that may attest in a ledger signed by `verifiers`, from the file at `path`. Without a file, the demo
 * companions may attest in a demo ledger, and nobody in any other. Throws config_invalid with the first invalid member. A
 * demo key, whose secret half is public, is invalid for any other ledger.
 */
export async function readCompanions(
  path: string | null,
  verifiers: readonly Verifier[],
): Promise<Companions> {
  const isDemo = isDemoLedger(verifiers);
  if (path === null) return isDemo ? readCompanionsFile(DEMO_COMPANIONS) : NONE;
  const given = await readCompanionsFile(path);
  const published = await publishedKeyOf(given);
  if (isDemo || published === null) return given;
  throw fault(
    path,
    'keys whose secret halves nobody else has',
    `${published}: a key of the sample, published`,
  );
}

/** The companion that has a demo key; null if none has one. */
async function publishedKeyOf({ companions }: Companions): Promise<string | null> {
  const demo = await readCompanionsFile(DEMO_COMPANIONS);
  const published = new Set(demo.companions.flatMap(({ keys }) => keys.map(({ public_key }) => public_key)));
  const found = companions.find(({ keys }) => keys.some(({ public_key }) => published.has(public_key)));
  return found?.companion ?? null;
}

/** Enough for the file of a service with tens of thousands of attestations; no member is nested deeper. */
const LIMITS = { maxBytes: 67_108_864, maxDepth: 8 };

/** The companions of a file, and the registry of a ledger if it is a file that a service published. */
export interface TrustFile {
  companions: Companions;
  registry: Registry | null;
}

/** The companions of a file in any format that `readTrustFile` reads. */
export async function readCompanionsFile(path: string): Promise<Companions> {
  return (await readTrustFile(path)).companions;
}

/**
 * Reads a file of companions and wallets, the single companion that `attest keygen` prints, or the `companions.json` that a
 * service publishes. Throws config_invalid with the first invalid member.
 */
export async function readTrustFile(path: string): Promise<TrustFile> {
  const bytes = await readAtMost(path, LIMITS.maxBytes + 1).catch((cause: NodeJS.ErrnoException) => {
    throw fault(path, 'a file that can be read', cause.code ?? cause.message, cause);
  });
  const { value, problem } = readLimitedJson(bytes, LIMITS);
  if (problem)
    throw fault(
      path,
      `JSON that says one thing only, of at most ${LIMITS.maxBytes} bytes`,
      formatProblem(problem),
    );
  try {
    return parseTrust(value);
  } catch (error) {
    if (!(error instanceof z.core.$ZodError)) throw error;
    const [first] = schemaProblems(error.issues, value);
    throw fault(path, 'companions with their keys, and wallets', formatProblem(first!));
  }
}

/**
 * Whom a verifier trusts. Without a ledger, the file has to say it; if that is the file that a service publishes, it also holds
 * the registry. Throws usage where no companion is known, because then every verdict would be the same.
 */
export async function trustedCompanions(
  path: string | null,
  ledger: { verifiers: readonly Verifier[] } | null,
  note: (line: string) => void,
): Promise<TrustFile> {
  if (!ledger && path === null) throw noCompanions();
  const { companions, registry } = ledger
    ? { companions: await readCompanions(path, ledger.verifiers), registry: null }
    : await readTrustFile(path!);
  if (companions.companions.length === 0) throw noCompanions();
  const published = await publishedKeyOf(companions);
  if (published !== null)
    note(
      `The key of ${published} belongs to a demo ledger. Its secret half is public, so its signature proves nothing.`,
    );
  if (registry) note(`The registry is that of ${path}, as of ${registry.asOf}.`);
  return { companions, registry };
}

function noCompanions(): CathedralError {
  const expected = SETTINGS.companions.unit;
  return new CathedralError('usage', { place: '--companions', expected, found: 'no value' });
}

/** Throws config_invalid for a time before that of the registry: later events can only be ignored with a ledger. */
export function assertNotBefore(registry: Registry | null, at: number | null): void {
  if (at === null || !registry?.asOf || at >= Date.parse(registry.asOf)) return;
  const expected = `${registry.asOf} or later, which is the time of the companions file, or a --ledger`;
  const found = new Date(at).toISOString();
  throw new CathedralError('config_invalid', { place: '--as-of', expected, found });
}

/** Picks the schema by the members that are present, so that messages fit the intended format. Throws a ZodError. */
function parseTrust(value: Json): TrustFile {
  const has = (name: string) => typeof value === 'object' && value !== null && Object.hasOwn(value, name);
  if (has('attestations')) return trustOf(PublishedRegistry.parse(value));
  if (!has('keys')) return { companions: Companions.parse(value), registry: null };
  return { companions: { companions: [Companion.parse(value)], wallets: [] }, registry: null };
}
