import { bytesToHex } from '@noble/hashes/utils.js';
import { encodeBase64 } from '../ledger/notes/base64.ts';
import { SCHEMES } from './algorithms.ts';
import { type Case, type Check, caseOf, type Trust } from './check.ts';
import { checkRenewal } from './checks/registry.ts';
import { checkJustification } from './checks/schema.ts';
import { checkCompanion, checkSignature } from './checks/signature.ts';
import { checkLifeCycle, checkPeriod } from './checks/validity.ts';
import { checkAnyWallet } from './checks/wallet.ts';
import type { Algorithm } from './document.ts';
import { type JsonObject, readLimitedJson } from './limited-json.ts';
import { parseAttestation } from './parse-attestation.ts';
import { type Problem, problem, quote } from './problem.ts';

export interface SigningKey {
  companion: string;
  algorithm: Algorithm;
  secretKey: Uint8Array;
}

/** 64 zero bytes: a placeholder for the signature while the rest is checked. */
export const NO_SIGNATURE = encodeBase64(new Uint8Array(64));

export type Signed = { document: JsonObject; problems: [] } | { document: null; problems: Problem[] };

/**
 * Signs a document, replacing any signature. A companion signs only what a verifier will accept, so a document with problems is refused
 * with a list of all of them. `now` in ms. `known`: what a verifier trusts. If given, the key must be registered there for the
 * companion, a known wallet must have signed the request, and a known ledger must not have revoked the document.
 */
export function signAttestation(
  input: string | Uint8Array,
  key: SigningKey,
  now: number,
  known: Omit<Trust, 'now'> | null = null,
): Signed {
  const read = readLimitedJson(input);
  if (read.problem) return { document: null, problems: [read.problem] };
  const isObject = typeof read.value === 'object' && read.value !== null && !Array.isArray(read.value);
  const unsigned = isObject ? { ...(read.value as JsonObject), signature: NO_SIGNATURE } : read.value;
  // With the line end that printing adds.
  const parsed = parseAttestation(`${JSON.stringify(unsigned)}\n`);
  if ('problems' in parsed) return { document: null, problems: parsed.problems };
  const { document } = parsed;
  const trust = known ?? { companions: { companions: [], wallets: [] }, registry: null };
  const unsignedCase = caseOf(parsed, { ...trust, now });
  const signature = encodeBase64(SCHEMES[key.algorithm].sign(unsignedCase.message, key.secretKey));
  const given: Case = { ...unsignedCase, attestation: { ...parsed.attestation, signature } };
  const problems = [
    ...keyProblems(given, key),
    ...(known ? [...OWN_CHECKS, checkCompanion, checkSignature] : OWN_CHECKS).flatMap((check) =>
      failures(check(given)),
    ),
  ];
  if (problems.length > 0) return { document: null, problems };
  return { document: { ...document, signature }, problems: [] };
}

/** Checks that need no registered keys. */
const OWN_CHECKS: readonly Check[] = [
  checkJustification,
  checkPeriod,
  checkAnyWallet,
  checkRenewal,
  checkLifeCycle,
];

function keyProblems({ attestation }: Case, { companion, algorithm }: SigningKey): Problem[] {
  const problems = [];
  if (attestation.attested_by !== companion) {
    const detail = `The key belongs to ${quote(companion)}, but the document says ${quote(attestation.attested_by)}.`;
    problems.push(problem('unknown_companion', ['attested_by'], detail));
  }
  if (attestation.signature_algorithm !== algorithm) {
    const detail = `The key is for ${algorithm}, but the document says ${attestation.signature_algorithm}.`;
    problems.push(problem('algorithm_not_registered', ['signature_algorithm'], detail));
  }
  return problems;
}

function failures({ result, problems }: ReturnType<typeof checkPeriod>): Problem[] {
  return result === 'failed' ? problems : [];
}

/** In hex, as registered. */
export function publicKeyHex(algorithm: Algorithm, secretKey: Uint8Array): string {
  return bytesToHex(SCHEMES[algorithm].publicKey(secretKey));
}
