import { open } from 'node:fs/promises';
import { z } from 'zod';
import { Companion, Companions } from '../attestation/companions.ts';
import { demoCompanions, demoPublicKeys } from '../attestation/demo-companions.ts';
import type { Problem } from '../attestation/problem.ts';
import { PublishedRegistry, trustOf } from '../attestation/published-registry.ts';
import { type Json, readJson } from '../attestation/read-json.ts';
import type { Registry } from '../attestation/registry.ts';
import { schemaProblems } from '../attestation/schema-problems.ts';
import { CathedralError } from '../errors.ts';
import { isDemoLedger } from '../ledger/demo-key.ts';
import type { Verifier } from '../ledger/note.ts';

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

/** A service that has had ten thousands of attestations publishes as much; what nests deeper has no member to be. */
const LIMITS = { maxBytes: 67_108_864, maxDepth: 8 };

/** Whom a file names, and what it knows of a ledger: null where it is no service's published file. */
export interface TrustFile {
  companions: Companions;
  registry: Registry | null;
}

/** The companions of a file in any of the forms of `readTrustFile`. */
export async function readCompanionsFile(path: string): Promise<Companions> {
  return (await readTrustFile(path)).companions;
}

/**
 * A file of companions and wallets, the single companion that `attest keygen` prints, or the `companions.json` that a service
 * publishes. Throws config_invalid, naming the first member that is not as it should be.
 */
export async function readTrustFile(path: string): Promise<TrustFile> {
  const bytes = await readAtMost(path, LIMITS.maxBytes + 1).catch((cause: NodeJS.ErrnoException) => {
    throw fault(path, 'a file that can be read', cause.code ?? cause.message, cause);
  });
  const { value, problem } = readJson(bytes, LIMITS);
  if (problem)
    throw fault(path, `JSON that says one thing only, of at most ${LIMITS.maxBytes} bytes`, said(problem));
  try {
    return parseTrust(value);
  } catch (error) {
    if (!(error instanceof z.ZodError)) throw error;
    const [first] = schemaProblems(error.issues, value);
    throw fault(path, 'companions with their keys, and wallets', said(first!));
  }
}

/** By the members that it has, so that its faults are told in the terms of what it means to be. Throws a ZodError. */
function parseTrust(value: Json): TrustFile {
  const has = (name: string) => typeof value === 'object' && value !== null && Object.hasOwn(value, name);
  if (has('attestations')) return trustOf(PublishedRegistry.parse(value));
  if (!has('keys')) return { companions: Companions.parse(value), registry: null };
  return { companions: { companions: [Companion.parse(value)], wallets: [] }, registry: null };
}

/** `/companions/0/keys: Expected at least 1 items, found []. (too_few_items)` */
function said({ pointer, message, code }: Problem): string {
  return `${pointer || '/'}: ${message} (${code})`;
}

function fault(place: string, expected: string, found: string, cause?: unknown): CathedralError {
  return new CathedralError('config_invalid', { place, expected, found, cause });
}

/** The first bytes of a file, at most so many: one more than is allowed is enough to see that there are too many. */
export async function readAtMost(path: string, bytes: number): Promise<Buffer> {
  const file = await open(path);
  try {
    const read = Buffer.alloc(bytes);
    let length = 0;
    for (;;) {
      const { bytesRead } = await file.read(read, length, bytes - length);
      length += bytesRead;
      if (bytesRead === 0 || length === bytes) return read.subarray(0, length);
    }
  } finally {
    await file.close();
  }
}
