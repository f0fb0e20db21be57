import { printable } from '../../pipeline/attestation/printable.ts';
import type { Verification } from '../../pipeline/verify/verification.ts';

/** Of which place, and how it was looked at. */
export interface Looked {
  place: string;
  /** Null: all of it was read. */
  sample: { size: number; seed: number } | null;
  /** Somebody said which keys to trust. */
  isTrusted: boolean;
}

const VERDICTS = {
  verified: 'is what its publisher signed, as far as it was looked at.',
  whole: 'is whole and signed, by a key that it names itself: give --key to know whose it is.',
  failed: 'is not what its publisher signed, or cannot be proved to be.',
};

export function formatVerification(
  { place, sample, isTrusted }: Looked,
  { verdicts, findings, warnings, notProven }: Verification,
): string {
  const lines = verdicts.map(
    ({ check, state, detail }) => `${check.padEnd(10)}  ${state.padEnd(11)}  ${printable(detail)}`,
  );
  const faults = findings.map(({ code, place: at, expected, found }) =>
    printable(`${at}: expected ${expected}, found ${found} (${code})`),
  );
  for (const warning of warnings) lines.push(`warning: ${printable(warning)}`);
  if (notProven.length > 0) lines.push(notProvenLine(notProven));
  const verdict = VERDICTS[findings.length > 0 ? 'failed' : isTrusted ? 'verified' : 'whole'];
  const lot = sample ? ` The lot: --sample ${sample.size} --seed ${sample.seed}.` : '';
  return [...lines, ...(faults.length > 0 ? ['', ...faults] : []), '', `${place} ${verdict}${lot}`].join(
    '\n',
  );
}

function notProvenLine(paths: readonly string[]): string {
  const answers = paths.length === 1 ? '1 answer' : `${paths.length} answers`;
  const list = paths.map((path) => `/${path}`).join(', ');
  return `not proven: ${answers} with newer data than the release (${list}); the release’s bytes are in its snapshot`;
}

export function formatVerificationJson(
  { place, sample, isTrusted }: Looked,
  { manifest, verdicts, findings, warnings, notProven }: Verification,
): string {
  const { version, release, snapshot, as_of, expires, keys } = manifest ?? {};
  const verdict = findings.length === 0 ? 'verified' : 'failed';
  const facts = manifest && { version, release, snapshot, as_of, expires, keys };
  const about = { verdict, place, trusted_key: isTrusted, sample, release: facts };
  return JSON.stringify({ ...about, checks: verdicts, not_proven: notProven, warnings, findings }, null, 2);
}
