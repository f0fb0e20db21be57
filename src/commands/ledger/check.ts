import { resolve } from 'node:path';
import { printable } from '../../../pipeline/attestation/printable.ts';
import { SOURCE_SETTINGS } from '../../../pipeline/config/settings.ts';
import { checkLedger, type KeyUse, type LedgerFacts } from '../../../pipeline/ledger/check/check-ledger.ts';
import { type LedgerFinding, LedgerFindings, WARNINGS } from '../../../pipeline/ledger/check/findings.ts';
import { warnOfReadableKey } from '../../../pipeline/ledger/check/ledger-folder.ts';
import type { Leaf } from '../../../pipeline/ledger/log/leaf.ts';
import { apply } from '../../../pipeline/model/fold.ts';
import { emptyState } from '../../../pipeline/model/state.ts';
import { localLedger } from '../../../pipeline/sources/open-ledger.ts';
import { formatCount, formatNumber } from '../../../pipeline/words/number.ts';
import { defineCommand, formatJson, json, OWN_KEYS, SWITCH } from '../command.ts';
import type { Progress } from '../progress.ts';

/** Events between two lines of progress. */
const PROGRESS_EVERY = 250_000;

export const ledgerCheck = defineCommand({
  summary: 'Checks a ledger in a folder: files, order, root hashes, signatures, and what the events say.',
  details:
    'It changes nothing. A ledger snapshot or a head is read up to its first error, and the next ones after that without comparing their root hashes. An error makes readers refuse the ledger. A warning is probably a mistake: a misspelt type, a cycle of another day, a contradiction that will be published as an alert, a finished slot that nobody has sealed. It exits with 1 if there are errors, with --strict also if there are warnings. To compare a published folder with its ledger, use `check`.',
  examples: ['cathedral ledger check /srv/ledger', 'cathedral ledger check /srv/ledger --strict --json'],
  isReader: true,
  settings: ['ledger', ...SOURCE_SETTINGS],
  optional: { ledgerSigningKey: `It is not read; its permissions are checked. ${OWN_KEYS.ledgerSigningKey}` },
  positionals: ['ledger'],
  flags: {
    strict: { flag: 'strict', description: 'Takes every warning for an error.', ...SWITCH },
    json,
  },
  async run(config, { now, print, progress }) {
    const { ledger, verifiers } = await localLedger(config.ledger, { ...config, mustExist: true });
    progress.stage(`checking ${ledger}`);
    const findings = new LedgerFindings();
    await warnOfReadableKey(config.ledgerSigningKey ?? `${resolve(ledger)}.key`, findings);
    const facts = await foldAll(checkLedger(ledger, { verifiers, findings, now: now() }), findings, progress);
    progress.end();
    const { listed, more } = findings;
    const valid = !listed.some(({ severity }) => config.strict || severity === 'error');
    if (config.json) print(formatJson(describe(ledger, valid, facts, findings)));
    else for (const line of [...formatFacts(facts), ...formatFindings(listed, more)]) print(line);
    return valid ? 0 : 1;
  },
});

/** Folds the events that the check yields, and adds the contradictions in them to its findings. */
async function foldAll(
  batches: AsyncGenerator<Leaf[], LedgerFacts>,
  findings: LedgerFindings,
  progress: Progress,
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
      for (const { message } of state.findings.recent.slice(-added)) {
        const clause = message.replace(/^Event \d+: /, '');
        findings.warn('fold', `event ${leaf.event.seq}`, clause, clause);
      }
    }
    const last = next.value.at(-1)!.event;
    const isStep = Math.floor(state.events / PROGRESS_EVERY);
    if (isStep > Math.floor((state.events - next.value.length) / PROGRESS_EVERY))
      progress.stage(`read ${formatNumber(state.events)} events, up to ${last.timestamp}`);
  }
}

function describe(ledger: string, valid: boolean, facts: LedgerFacts, { listed, more }: LedgerFindings) {
  const { snapshots, events, root, asOf, ignored, keys, foldedUntil, unverified } = facts;
  return {
    valid,
    ledger,
    snapshots,
    events,
    root_hash: root,
    as_of: asOf,
    keys: keys.map(({ key, isKnown, checkpoints, first, last }) => ({
      key,
      is_known: isKnown,
      checkpoints,
      first,
      last,
    })),
    ignored_events: Object.fromEntries(ignored),
    folded_until: foldedUntil,
    unverified_snapshots: unverified,
    findings: listed,
    findings_not_listed: Object.fromEntries(more),
  };
}

function formatFacts({ snapshots, events, root, asOf, ignored, keys, ...rest }: LedgerFacts): string[] {
  const { first, last } = snapshots;
  const period = first === null ? '' : first === last ? `, ${first}` : `, ${first} to ${last}`;
  const lines = [
    ['snapshots', `${formatNumber(snapshots.count)}${period}`],
    ['events', `${formatNumber(events.sealed)} sealed, ${formatNumber(events.head)} in the head`],
    ['as of', asOf ?? 'no event'],
    ...(snapshots.count === 0 ? [] : [['root hash', root ?? 'unknown, because of an error']]),
    ...keys.map((key) => ['signed by', formatKey(key)]),
    ...[...ignored].map(([type, count]) => ['ignored', `${formatCount(count, 'event')} of type ${type}`]),
  ];
  if (rest.foldedUntil !== null)
    lines.push(['not folded', `the events from event ${rest.foldedUntil} on, because of an error`]);
  if (rest.unverified > 0)
    lines.push(['not verified', `the root hashes of ${formatCount(rest.unverified, 'later snapshot')}`]);
  return lines.map(([name, value]) => printable(`${name!.padEnd(13)} ${value}`));
}

function formatKey({ key, isKnown, checkpoints, first, last }: KeyUse): string {
  const period = first === last ? first : `${first} to ${last}`;
  const signed = checkpoints === 0 ? 'nothing yet' : `${formatCount(checkpoints, 'checkpoint')}, ${period}`;
  return `${key}${isKnown ? '' : ', which readers do not know'}: ${signed}`;
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
