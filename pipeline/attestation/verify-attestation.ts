import { printable } from '../words/printable.ts';
import { attestationUuid } from './canonical-bytes.ts';
import {
  type Case,
  type Check,
  caseOf,
  failed,
  notChecked,
  type Outcome,
  passed,
  type Trust,
} from './check.ts';
import { checkRegistration, checkRenewal } from './checks/registry.ts';
import { checkJustification, checkSchema } from './checks/schema.ts';
import { checkCompanion, checkSignature } from './checks/signature.ts';
import { checkLifeCycle, checkPeriod, statusOf } from './checks/validity.ts';
import { checkWallet } from './checks/wallet.ts';
import { type Parsed, parseAttestation } from './parse-attestation.ts';
import { MAX_PROBLEMS, type Problem } from './problem.ts';
import type { Status } from './registered.ts';

/** In display order. If one of the first two fails, the others are skipped. */
const CHECKS = {
  syntax: () => passed('It is unambiguous JSON.'),
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
  /** Whether no check failed and the attestation is active. `summary` tells whether to rely on it. */
  valid: boolean;
  /** The verdict as a sentence, one of SUMMARIES. */
  summary: string;
  /** `invalid` if a check other than that of the life cycle failed, so the document is no genuine attestation. */
  status: Status | 'invalid';
  /** Null if the document could not be read. */
  id: string | null;
  /** The UUID by which a renewal names it. */
  uuid: string | null;
  checks: ({ name: CheckName } & Omit<Outcome, 'problems'>)[];
  /** Why it is not valid, at most 32; empty if it is. */
  problems: Problem[];
  /** What deserves attention nevertheless. */
  warnings: Problem[];
}

/** What a verdict means, wherever it is shown. Only a registered attestation without warnings may be relied upon. */
export const SUMMARIES = {
  active: 'Valid: you may rely on it now.',
  unregistered:
    'Valid, but not registered: its signature is good, but the ledger does not have it. The holder of the key can make another one at any time, even in place of a revoked one.',
  unchecked:
    'Valid by itself: its signature is good, but no ledger was consulted about registration, revocation or succession.',
  warned: 'Valid, with a warning to weigh before you rely on it.',
  expired: 'Not valid: it has expired.',
  revoked: 'Not valid: it was revoked.',
  superseded: 'Not valid: a later attestation has replaced it.',
  invalid: 'Not valid: it is not a genuine attestation.',
} as const;

/** Runs all checks on a document. Never throws, whatever the input; reads at most 64 KiB. */
export function verifyAttestation(input: string | Uint8Array, trust: Trust): Verdict {
  const parsed = parseAttestation(input);
  if ('problems' in parsed) return verdictOf(null, unread(parsed));
  const given = caseOf(parsed, trust);
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

/** How far to rely on an active attestation. Unread members do not reduce reliance. */
function relianceOn(outcomes: Named): 'active' | 'unregistered' | 'unchecked' | 'warned' {
  const registration = outcomes.find(([name]) => name === 'registration')?.[1].result;
  if (registration === 'warning') return 'unregistered';
  if (registration !== 'passed') return 'unchecked';
  const isWarned = outcomes.some(([name, { result }]) => name !== 'schema' && result === 'warning');
  return isWarned ? 'warned' : 'active';
}

const MARKS = { passed: 'ok', failed: 'FAILED', warning: 'WARNING', not_checked: '-' } as const;

/** For people. `file`: what the document is called. */
export function formatVerdict(file: string, verdict: Verdict): string {
  const { valid, summary, status, id, uuid, checks, problems } = verdict;
  const lines = [`${file}: ${valid ? 'VALID' : 'NOT VALID'} (${status})`, `  ${summary}`];
  if (id !== null) lines.push(`  id    ${id}`, `  uuid  ${uuid}`);
  for (const { name, result, detail } of checks)
    lines.push(`  ${MARKS[result].padEnd(8)} ${name.padEnd(13)} ${detail}`);
  for (const { code, pointer } of problems)
    lines.push(`  because  ${code} at ${pointer === '' ? 'the whole document' : pointer}`);
  return lines.map(printable).join('\n');
}
