import { attestationUuid, idOfSigned, signedBytes } from './canonical-bytes.ts';
import { type Case, type Check, failed, notChecked, type Outcome, passed, type Trust } from './check.ts';
import { checkRegistration, checkRenewal } from './checks/registry.ts';
import { checkJustification, checkSchema } from './checks/schema.ts';
import { checkCompanion, checkSignature } from './checks/signature.ts';
import { checkLifeCycle, checkPeriod, statusOf } from './checks/validity.ts';
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
  /** No check has failed and the attestation is active. Whether it may be relied upon is a matter of `summary`. */
  valid: boolean;
  /** The verdict in a sentence, for people: one of SUMMARIES. */
  summary: string;
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

/** What a verdict means, wherever it is shown: only of what the ledger has, without a warning, that it may be relied upon. */
export const SUMMARIES = {
  active: 'Valid: it may be relied upon now.',
  unregistered:
    'Valid, but not registered: its signature is good, and the ledger does not have it. Whoever has the key can make another one at any time, also in place of one that was revoked.',
  unchecked:
    'Valid by itself: its signature is good, and no ledger was asked whether it is registered, revoked or superseded.',
  warned: 'Valid, with a warning that is to be weighed before it is relied upon.',
  expired: 'Not valid: it has expired.',
  revoked: 'Not valid: it was revoked.',
  superseded: 'Not valid: a later attestation has taken its place.',
  invalid: 'Not valid: it is no genuine attestation.',
} as const;

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
  const status = isGenuine ? statusOf(given) : 'invalid';
  return {
    valid: failures.length === 0,
    summary: SUMMARIES[status === 'active' ? relianceOn(outcomes) : status],
    status,
    id: given?.id ?? null,
    uuid: given && attestationUuid(given.id),
    checks: outcomes.map(([name, { result, detail }]) => ({ name, result, detail })),
    problems: problemsWith('failed'),
    warnings: problemsWith('warning'),
  };
}

/** How far an active attestation may be relied upon. Members that are not read are no reason to think twice. */
function relianceOn(outcomes: Named): 'active' | 'unregistered' | 'unchecked' | 'warned' {
  const resultOf = (wanted: CheckName) => outcomes.find(([name]) => name === wanted)?.[1].result;
  if (resultOf('registration') === 'warning') return 'unregistered';
  if (resultOf('registration') !== 'passed') return 'unchecked';
  const isWarned = outcomes.some(([name, { result }]) => name !== 'schema' && result === 'warning');
  return isWarned ? 'warned' : 'active';
}
