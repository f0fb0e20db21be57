import type { Finding } from '../errors.ts';
import type { Witnessing } from '../ledger/notes/witness-quorum.ts';
import { MANIFEST_PATH } from '../release/format/public-manifest.ts';
import { counted } from '../words/number.ts';
import {
  CHECKS,
  type Choice,
  NEEDS,
  type Subject,
  type Trust,
  type Verdict,
  type VerifyOptions,
} from './checks.ts';
import { Findings } from './findings.ts';
import type { Origin } from './origin.ts';
import { mirrorWarning } from './placeable-paths.ts';
import { readLatest, type SignedRelease } from './signed-release.ts';

export interface Verification {
  /** What is signed; null if no trusted signature was found. */
  release: SignedRelease | null;
  verdicts: readonly Verdict[];
  findings: readonly Finding[];
  /** Signed content that causes trouble anyway. */
  warnings: readonly string[];
  /** The witnesses of the policy; null: none was given, or they are too few. */
  witnessing: Witnessing | null;
  /** Sorted paths that answered with newer data than the release, which nobody has signed. */
  notProven: readonly string[];
}

/** Otherwise a release published in the meantime would look like a damaged one. */
const ATTEMPTS = 3;

const EVERYTHING: Choice = { files: (all) => all, tiles: (all) => all, snapshots: (all) => all };

/**
 * Compares what an origin serves with what its publisher and its ledger signed, by the checks in `CHECKS`. Whatever is wrong
 * becomes a finding. Throws mirror_stopped, and what the local disk throws; with `isStrict` also the first finding.
 */
export async function verify(origin: Origin, trust: Trust, options: VerifyOptions): Promise<Verification> {
  for (let attempt = 1; ; attempt += 1) {
    const verification = await runChecks(origin, trust, options);
    const isDone = verification.findings.length === 0 || attempt === ATTEMPTS;
    if (isDone || !(await hasNewRelease(origin, verification))) return verification;
    options.log('a new release was published in the meantime; starting again');
  }
}

async function hasNewRelease(origin: Origin, { release }: Verification): Promise<boolean> {
  const announced = release && (await readLatest(origin).catch(() => null));
  return !!announced && announced.latest.version !== release?.manifest.version;
}

async function runChecks(origin: Origin, trust: Trust, options: VerifyOptions): Promise<Verification> {
  const findings = new Findings({ isStrict: options.isStrict ?? false });
  const subject: Subject = {
    origin,
    trust,
    options: { ...options, choose: options.choose ?? EVERYTHING },
    findings,
    signed: null,
    manifest: null,
    notProven: [],
    reader: null,
    published: null,
    witnessing: null,
  };
  const verdicts: Verdict[] = [];
  for (const check of CHECKS) {
    if (options.checks && !options.checks.includes(check.name)) continue;
    const hasFailed = verdicts.some(({ findings: found }) => found.length > 0);
    const verdict = await runCheck(check, subject, !!options.stopAtFailure && hasFailed);
    verdicts.push(verdict);
    options.report?.(verdict, subject.signed);
  }
  const { signed, witnessing, notProven } = subject;
  const warnings = warningsOf(subject);
  return { release: signed, verdicts, findings: findings.all, warnings, witnessing, notProven };
}

async function runCheck(
  { name, needs, run }: (typeof CHECKS)[number],
  subject: Subject,
  isLeftOut: boolean,
): Promise<Verdict> {
  const { all } = subject.findings;
  const unmet = needs.find((need) => !NEEDS[need].isMet(subject));
  const why = isLeftOut ? 'an earlier check failed' : unmet && NEEDS[unmet].otherwise;
  if (why !== undefined) return { check: name, state: 'not checked', detail: why, findings: [] };
  const before = all.length;
  const detail = await subject.findings.attempt(() => run(subject));
  const found = all.slice(before);
  if (found.length === 0) return { check: name, state: 'verified', detail: detail!, findings: [] };
  const count = counted(found.length, 'finding');
  return { check: name, state: isOutage(found) ? 'unreachable' : 'failed', detail: count, findings: found };
}

/** Whether these findings say no more than that the origin did not answer: an outage is not tampering. */
export function isOutage(findings: readonly Finding[]): boolean {
  return findings.length > 0 && findings.every(({ code }) => code === 'mirror_unreachable');
}

function warningsOf({ origin, signed }: Subject): string[] {
  const paths = signed?.manifest.files.map(({ path }) => path) ?? [];
  const warning = mirrorWarning(paths, origin.placeOf(MANIFEST_PATH));
  return warning === null ? [] : [warning];
}
