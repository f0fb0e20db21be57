import { bytesToHex } from '@noble/hashes/utils.js';
import { encodeBase64 } from '../ledger/base64.ts';
import { SCHEMES } from './algorithms.ts';
import { idOfSigned, signedBytes } from './canonical-bytes.ts';
import type { Case, Check, Trust } from './check.ts';
import { checkRenewal } from './checks/registry.ts';
import { checkJustification } from './checks/schema.ts';
import { checkCompanion, checkSignature } from './checks/signature.ts';
import { checkLifeCycle, checkPeriod } from './checks/validity.ts';
import { checkAnyWallet } from './checks/wallet.ts';
import type { Algorithm } from './document.ts';
import { parseAttestation } from './parse-attestation.ts';
import { type Problem, problem, quote } from './problem.ts';
import { type JsonObject, readJson } from './read-json.ts';
import { timeAtLeast } from './registry.ts';

export interface SigningKey {
  companion: string;
  algorithm: Algorithm;
  secretKey: Uint8Array;
}

/** 64 bytes of zeros: what stands where the signature will, while the rest is checked. */
export const NO_SIGNATURE = encodeBase64(new Uint8Array(64));

export type Signed = { document: JsonObject; problems: [] } | { document: null; problems: Problem[] };

/**
 * The document with the key's signature, whether it had one or not. A companion signs only what a verifier will accept, so a
 * document with a fault is refused with all of them. `now` in ms. `known`: whom a verifier trusts; where it is given, the key has
 * to be registered there for the companion, and a wallet that is known has to be the one that signed the request; where its ledger
 * is known, too, that must not have revoked the document.
 */
export function signAttestation(
  input: string | Uint8Array,
  key: SigningKey,
  now: number,
  known: Omit<Trust, 'now'> | null = null,
): Signed {
  const read = readJson(input);
  if (read.problem) return { document: null, problems: [read.problem] };
  const isObject = typeof read.value === 'object' && read.value !== null && !Array.isArray(read.value);
  const unsigned = isObject ? { ...(read.value as JsonObject), signature: NO_SIGNATURE } : read.value;
  // With the end of its line, as it is printed.
  const parsed = parseAttestation(`${JSON.stringify(unsigned)}\n`);
  if ('problems' in parsed) return { document: null, problems: parsed.problems };
  const { document } = parsed;
  const message = signedBytes(document);
  const id = idOfSigned(message);
  const signature = encodeBase64(SCHEMES[key.algorithm].sign(message, key.secretKey));
  const attestation = { ...parsed.attestation, signature };
  const { companions, registry } = known ?? { companions: { companions: [], wallets: [] }, registry: null };
  const at = registry ? timeAtLeast(now, registry) : now;
  const given: Case = { ...parsed, attestation, message, id, now: at, companions, registry };
  const problems = [
    ...keyProblems(given, key),
    ...(known ? [...OWN_CHECKS, checkCompanion, checkSignature] : OWN_CHECKS).flatMap((check) =>
      failures(check(given)),
    ),
  ];
  if (problems.length > 0) return { document: null, problems };
  return { document: { ...document, signature }, problems: [] };
}

/** Those that need no registered keys. */
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
    const detail = `The key is that of ${quote(companion)}, the document says ${quote(attestation.attested_by)}.`;
    problems.push(problem('unknown_companion', ['attested_by'], detail));
  }
  if (attestation.signature_algorithm !== algorithm) {
    const detail = `The key is for ${algorithm}, the document says ${attestation.signature_algorithm}.`;
    problems.push(problem('algorithm_not_registered', ['signature_algorithm'], detail));
  }
  return problems;
}

function failures({ result, problems }: ReturnType<typeof checkPeriod>): Problem[] {
  return result === 'failed' ? problems : [];
}

/** In hex, as it is registered. */
export function publicKeyHex(algorithm: Algorithm, secretKey: Uint8Array): string {
  return bytesToHex(SCHEMES[algorithm].publicKey(secretKey));
}
