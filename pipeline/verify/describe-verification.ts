import { describeProxies } from '../config/proxies.ts';
import type { ErrorCode } from '../errors.ts';
import { counted } from '../words/number.ts';
import { printable } from '../words/printable.ts';
import { witnessesOf } from './reader.ts';
import { SOME_RELEASE } from './signed-release.ts';
import { isOutage, type Verification } from './verify.ts';

/** What was verified, and how. */
export interface Scope {
  place: string;
  /** Null: everything was read. */
  sample: { size: number; seed: number } | null;
  /** Whether the user named the keys to trust. */
  isTrusted: boolean;
}

export function verdictOf({
  findings,
}: Pick<Verification, 'findings'>): 'verified' | 'failed' | 'unreachable' {
  if (findings.length === 0) return 'verified';
  return isOutage(findings) ? 'unreachable' : 'failed';
}

const VERDICTS = {
  verified: 'is what its publisher signed, in everything that was verified.',
  whole: 'is complete and signed by a key that it names itself; give --verifier-key to verify whose it is.',
  sampled:
    'is signed by a key that it names itself, in everything that was verified; give --verifier-key to verify whose it is.',
  failed:
    'is not what its publisher signed, or that cannot be proved. docs/troubleshooting.md says what to do about each code.',
  missing:
    'has no release: give the address of a service, the folder that a run writes to (--out), or that of a mirror. Where there was one, its latest.json was removed.',
  unreachable:
    'did not answer everything, so it cannot be verified now; nothing was found wrong in what it answered.',
};

/** Of a release by a trusted key in which nothing else was found. */
const ONLY: Partial<Record<ErrorCode, string>> = {
  mirror_expired:
    'is what its publisher signed, in everything that was verified, but has expired: the publisher has stopped, or this place hides what is new. Compare it with another host.',
  witness_quorum:
    'is what its publisher signed, in everything that was verified, but too few witnesses cosigned its log, so others may be shown another one. Try again in some minutes, then ask the publisher.',
};

export function formatVerification(
  { place, sample, isTrusted }: Scope,
  { verdicts, findings, warnings, notProven }: Verification,
): string {
  const lines = verdicts.map(
    ({ check, state, detail }) => `${check.padEnd(10)}  ${state.padEnd(11)}  ${printable(detail)}`,
  );
  // A file that two checks read is found twice.
  const details = new Set(
    findings.map(({ code, place: at, expected, found }) =>
      printable(`${at}: expected ${expected}, found ${found} (${code})`),
    ),
  );
  for (const warning of warnings) lines.push(`warning: ${printable(warning)}`);
  if (notProven.length > 0) lines.push(notProvenLine(notProven));
  const outcome = verdictOf({ findings });
  const [way] =
    outcome === 'unreachable' ? [...details].flatMap((detail) => describeProxies(detail) ?? []) : [];
  if (way !== undefined) details.add(way);
  const untrusted = sample ? 'sampled' : 'whole';
  const [code, ...others] = new Set(findings.map((finding) => finding.code));
  const only = isTrusted && others.length === 0 ? code && ONLY[code] : undefined;
  const isMissing = findings.length > 0 && findings.every(({ expected }) => expected === SOME_RELEASE);
  const kind = isMissing ? 'missing' : outcome === 'verified' && !isTrusted ? untrusted : outcome;
  const verdict = only ?? VERDICTS[kind];
  const choice = sample ? ` Repeat with --sample-size ${sample.size} --sample-seed ${sample.seed}.` : '';
  return [...lines, ...(details.size > 0 ? ['', ...details] : []), '', `${place} ${verdict}${choice}`].join(
    '\n',
  );
}

function notProvenLine(paths: readonly string[]): string {
  const answers = counted(paths.length, 'answer');
  const list = paths.map((path) => `/${path}`).join(', ');
  return `not proven: ${answers} with newer data than the release (${list}); the release’s bytes were verified in its snapshot`;
}

export function verificationFacts(
  { place, sample, isTrusted }: Scope,
  { release: signed, verdicts, findings, warnings, witnessing, notProven }: Verification,
): object {
  const { version, release, snapshot, as_of, expires, keys } = signed?.manifest ?? {};
  const checks = verdicts.map(({ check, state, detail }) => ({ check, state, detail }));
  const verdict = verdictOf({ findings });
  const facts = signed && { version, release, snapshot, as_of, expires, keys };
  const about = { verdict, place, trusted_key: isTrusted, sample, release: facts };
  const witnesses = witnessing && witnessesOf(witnessing);
  return { ...about, checks, witnesses, not_proven: notProven, warnings, findings };
}
