import { printable } from '../../pipeline/attestation/printable.ts';
import type { Verification } from '../../pipeline/verify/verify.ts';

/** What was verified, and how. */
export interface Scope {
  place: string;
  /** Null: everything was read. */
  sample: { size: number; seed: number } | null;
  /** Whether the reader named the keys to trust. */
  isTrusted: boolean;
}

const VERDICTS = {
  verified: 'is what its publisher signed, as far as it was verified.',
  whole: 'is complete and signed by a key that it names itself; give --key to verify whose it is.',
  failed: 'is not what its publisher signed, or cannot be proved to be.',
};

export function formatVerification(
  { place, sample, isTrusted }: Scope,
  { verdicts, findings, warnings, notProven }: Verification,
): string {
  const lines = verdicts.map(
    ({ check, state, detail }) => `${check.padEnd(10)}  ${state.padEnd(11)}  ${printable(detail)}`,
  );
  const details = findings.map(({ code, place: at, expected, found }) =>
    printable(`${at}: expected ${expected}, found ${found} (${code})`),
  );
  for (const warning of warnings) lines.push(`warning: ${printable(warning)}`);
  if (notProven.length > 0) lines.push(notProvenLine(notProven));
  const verdict = VERDICTS[findings.length > 0 ? 'failed' : isTrusted ? 'verified' : 'whole'];
  const drawn = sample ? ` Repeat with --sample ${sample.size} --seed ${sample.seed}.` : '';
  return [...lines, ...(details.length > 0 ? ['', ...details] : []), '', `${place} ${verdict}${drawn}`].join(
    '\n',
  );
}

function notProvenLine(paths: readonly string[]): string {
  const answers = paths.length === 1 ? '1 answer' : `${paths.length} answers`;
  const list = paths.map((path) => `/${path}`).join(', ');
  return `not proven: ${answers} with newer data than the release (${list}); the release’s bytes were verified in its snapshot`;
}

export function formatVerificationJson(
  { place, sample, isTrusted }: Scope,
  { release: signed, verdicts, findings, warnings, notProven }: Verification,
): string {
  const { version, release, snapshot, as_of, expires, keys } = signed?.manifest ?? {};
  const checks = verdicts.map(({ check, state, detail }) => ({ check, state, detail }));
  const verdict = findings.length === 0 ? 'verified' : 'failed';
  const facts = signed && { version, release, snapshot, as_of, expires, keys };
  const about = { verdict, place, trusted_key: isTrusted, sample, release: facts };
  return JSON.stringify({ ...about, checks, not_proven: notProven, warnings, findings }, null, 2);
}
