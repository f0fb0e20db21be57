import { resolve } from 'node:path';
import { checkLedger, type KeyUse, type LedgerFacts } from '../ledger/check/check-ledger.ts';
import { type LedgerFinding, LedgerFindings, WARNINGS } from '../ledger/check/findings.ts';
import { warnOfReadableKey } from '../ledger/check/ledger-folder.ts';
import type { Leaf } from '../ledger/log/leaf.ts';
import type { Verifier } from '../ledger/notes/note.ts';
import { formatCount, formatNumber } from '../words/number.ts';
import { printable } from '../words/printable.ts';
import { clauseOf } from './contradictions.ts';
import { emptyState } from './empty-state.ts';
import { apply } from './fold.ts';

/** Events between two lines of progress. */
const PROGRESS_EVERY = 250_000;

interface Checking {
  now: () => number;
  progress: { stage(line: string): void };
  /** The file of the signing key, of which only the permissions are read; null: beside the ledger. */
  ledgerSigningKey: string | null;
  /** Takes every warning for an error. */
  strict: boolean;
}

/** Checks a ledger in a folder, and folds its events: for programs and for people, what it has and what is wrong. */
export async function checkAndFold(
  { ledger, verifiers }: { ledger: string; verifiers: readonly Verifier[] },
  { now, progress, ledgerSigningKey, strict }: Checking,
) {
  progress.stage(`checking ${ledger}`);
  const findings = new LedgerFindings();
  await warnOfReadableKey(ledgerSigningKey ?? `${resolve(ledger)}.key`, findings);
  const checked = checkLedger(ledger, { verifiers, findings, now: now() });
  const facts = await foldAll(checked, findings, progress);
  const { listed, more } = findings;
  const valid = !listed.some(({ severity }) => strict || severity === 'error');
  return {
    valid,
    facts: { valid, ledger, ...facts, findings: listed, findings_not_listed: Object.fromEntries(more) },
    lines: [...formatFacts(facts), ...formatFindings(listed, more)],
  };
}

/** Folds the events that the check yields, and adds the contradictions in them to its findings. */
async function foldAll(
  batches: AsyncGenerator<Leaf[], LedgerFacts>,
  findings: LedgerFindings,
  progress: { stage(line: string): void },
): Promise<LedgerFacts> {
  let state = emptyState();
  for (;;) {
    const next = await batches.next();
    if (next.done) return next.value;
    for (const leaf of next.value) {
      const before = state.findings.total;
      state = apply(state, leaf);
      const added = state.findings.total - before;
      if (added === 0) continue;
      for (const clause of state.findings.recent.slice(-added).map(clauseOf))
        findings.warn('fold', `event ${leaf.event.seq}`, clause, clause);
    }
    const last = next.value.at(-1)!.event;
    const isStep = Math.floor(state.events / PROGRESS_EVERY);
    if (isStep > Math.floor((state.events - next.value.length) / PROGRESS_EVERY))
      progress.stage(`read ${formatNumber(state.events)} events, up to ${last.timestamp}`);
  }
}

function formatFacts({ snapshots, events, root_hash, as_of, keys, ...rest }: LedgerFacts): string[] {
  const { first, last } = snapshots;
  const period = first === null ? '' : first === last ? `, ${first}` : `, ${first} to ${last}`;
  const lines = [
    ['snapshots', `${formatNumber(snapshots.count)}${period}`],
    ['events', `${formatNumber(events.sealed)} sealed, ${formatNumber(events.head)} in the head`],
    ['as of', as_of ?? 'no event'],
    ...(snapshots.count === 0 ? [] : [['root hash', root_hash ?? 'unknown, because of an error']]),
    ...keys.map((key) => ['signed by', formatKey(key)]),
    ...Object.entries(rest.ignored_events).map(([type, count]) => [
      'ignored',
      `${formatCount(count, 'event')} of type ${type}`,
    ]),
  ];
  if (rest.folded_until !== null)
    lines.push(['not read', `the events from event ${rest.folded_until} on, because of an error`]);
  return lines.map(([name, value]) => printable(`${name!.padEnd(13)} ${value}`));
}

function formatKey({ key, is_known, checkpoints, first, last }: KeyUse): string {
  const period = first === last ? first : `${first} to ${last}`;
  const signed = checkpoints === 0 ? 'nothing yet' : `${formatCount(checkpoints, 'checkpoint')}, ${period}`;
  return `${key}${is_known ? '' : ', which readers do not know'}: ${signed}`;
}

function formatFindings(listed: readonly LedgerFinding[], more: LedgerFindings['more']): string[] {
  const lines = listed.map(({ severity, code, place, message, count }) => {
    const times = count === 1 ? '' : ` (${formatNumber(count)} times)`;
    return `${severity}: ${place}: ${message}${times} (${code})`;
  });
  for (const [code, count] of more) lines.push(`and ${formatCount(count, 'more finding')} (${code})`);
  const isError = (code: LedgerFinding['code']) => !Object.hasOwn(WARNINGS, code);
  const codes = [...listed.map(({ code }) => [code, 1] as const), ...more];
  const errors = codes.reduce((sum, [code, count]) => sum + (isError(code) ? count : 0), 0);
  const warnings = codes.reduce((sum, [code, count]) => sum + (isError(code) ? 0 : count), 0);
  const totals = [formatCount(errors, 'error'), formatCount(warnings, 'warning')];
  const verdict = errors === 0 ? 'The ledger is valid' : 'The ledger is not valid';
  return [...lines.map(printable), `${verdict}: ${totals.join(', ')}.`];
}
