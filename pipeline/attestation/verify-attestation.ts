import { attestationUuid, idOfSigned, signedBytes } from './canonical-bytes.ts';
import { type Case, type Check, failed, notChecked, type Outcome, passed, type Trust } from './check.ts';
import { checkCompanion } from './checks/companion.ts';
import { checkJustification } from './checks/justification.ts';
import { checkLifeCycle, statusOf } from './checks/life-cycle.ts';
import { checkPeriod } from './checks/period.ts';
import { checkRegistration } from './checks/registration.ts';
import { checkRenewal } from './checks/renewal.ts';
import { checkSchema } from './checks/schema.ts';
import { checkSignature } from './checks/signature.ts';
import { checkWallet } from './checks/wallet.ts';
import { type Parsed, parseAttestation } from './parse-attestation.ts';
import { MAX_PROBLEMS, type Problem } from './problem.ts';
import { type Status, timeAtLeast } from './registry.ts';

/** In the order in which they are shown. A document that the first two refuse is not looked at further. */
const CHECKS = {
  syntax: () => passed('It is JSON that says one thing only.'),
  schema: checkSchema,
  justification: checkJustification,
  period: checkPeriod,
  companion: checkCompanion,
  signature: checkSignature,
  wallet: checkWallet,
  renewal: checkRenewal,
  registration: checkRegistration,
  life_cycle: checkLifeCycle,
} as const satisfies Record<string, Check>;

export type CheckName = keyof typeof CHECKS;
export const CHECK_NAMES = Object.keys(CHECKS) as CheckName[];

export interface Verdict {
  /** No check has failed and the attestation is active: it may be relied upon now. */
  valid: boolean;
  /** `invalid` where what is claimed to be an attestation is none: a check other than that of the life cycle has failed. */
  status: Status | 'invalid';
  /** Null where the document could not be read. */
  id: string | null;
  /** What a renewal names it by. */
  uuid: string | null;
  checks: ({ name: CheckName } & Omit<Outcome, 'problems'>)[];
  /** Why it is not valid; empty where it is. At most 32. */
  problems: Problem[];
  /** What is worth a look all the same. */
  warnings: Problem[];
}

/** Everything that can be said of a document. Never throws, whatever it is given; works on at most 64 KiB. */
export function verifyAttestation(input: string | Uint8Array, trust: Trust): Verdict {
  const parsed = parseAttestation(input);
  if ('problems' in parsed) return verdictOf(null, unread(parsed));
  const message = signedBytes(parsed.document);
  const { now: clock, registry } = trust;
  const now = registry ? timeAtLeast(clock, registry) : clock;
  const given: Case = { ...trust, ...parsed, now, message, id: idOfSigned(message) };
  const outcomes = CHECK_NAMES.map((name) => [name, CHECKS[name](given)] as const);
  return verdictOf(given, outcomes);
}

type Named = readonly (readonly [CheckName, Outcome])[];

function unread({ step, problems }: Extract<Parsed, { step: string }>): Named {
  return CHECK_NAMES.map((name) => {
    if (name === step) return [name, failed(...problems)];
    if (name === 'syntax') return [name, CHECKS.syntax()];
    return [name, notChecked('The document could not be read.')];
  });
}

function verdictOf(given: Case | null, outcomes: Named): Verdict {
  const failures = outcomes.filter(([, { result }]) => result === 'failed');
  const isGenuine = given !== null && failures.every(([name]) => name === 'life_cycle');
  const problemsWith = (result: Outcome['result']) =>
    outcomes
      .flatMap(([, outcome]) => (outcome.result === result ? outcome.problems : []))
      .slice(0, MAX_PROBLEMS);
  return {
    valid: failures.length === 0,
    status: isGenuine ? statusOf(given) : 'invalid',
    id: given?.id ?? null,
    uuid: given && attestationUuid(given.id),
    checks: outcomes.map(([name, { result, detail }]) => ({ name, result, detail })),
    problems: problemsWith('failed'),
    warnings: problemsWith('warning'),
  };
}
