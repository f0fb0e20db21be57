import { leafHash } from '#hashing';
import { CathedralError } from '../../../pipeline/errors.ts';
import { parseTlogProof } from '../../../pipeline/ledger/log/tlog-proof.ts';
import { parseCheckpoint } from '../../../pipeline/ledger/notes/checkpoint.ts';
import { noteText } from '../../../pipeline/ledger/notes/note.ts';
import { verifyProof } from '../../../pipeline/verify/audit/verify-proof.ts';
import { type Pasted, readPasted } from '../../../pipeline/verify/rows/pasted.ts';
import {
  proveRow,
  type RowEvent,
  type RowVerdict,
  type StepReport,
} from '../../../pipeline/verify/rows/prove-row.ts';
import { formatMoment } from '../../../pipeline/words/moment.ts';
import { formatBytes, formatCount, formatNumber } from '../../../pipeline/words/number.ts';
import { formatToken } from '../../../pipeline/words/phrase.ts';
import { NothingToCheck, readGiven, type Steps } from '../layout/steps.ts';
import { factsPart, linkPart, type Part, part, savePart } from '../layout/worker-parts.ts';
import { type Means, needGiven, needLedgerKeys, showWitnesses } from './trust.ts';

/** Events that are shown with their lines. */
const MOST_SHOWN = 20;
/** A longer address is cut by mail programs and some servers' logs. */
const LONGEST_ADDRESS = 4000;

/** What the proof of an event that is not public does not show, by what was pasted. */
const NOT_PROVED: Readonly<Partial<Record<Pasted['kind'], string>>> = {
  hash: 'What the event says. Anyone who has its line can compute the hash again: SHA-256 of a zero byte and the line.',
  export:
    'Whether the event says what the row says: the hash covers the event’s line, which has a salt that rows leave out. With a government key, “cathedral verify EXPORT” compares rows with the events themselves.',
  line: 'Whether what the line says is true. It is the event, byte for byte: the hash was computed from the line.',
};

/** Follows what the reader pasted to the signatures of the log, and shows it. Throws Failed and Uncheckable. */
export async function provePasted(steps: Steps, text: string, means: Means): Promise<void> {
  const pasted = readPasted(text);
  const { traffic } = means.origin;
  const before = { ...traffic };
  const verdict = await trace(steps, pasted, means);
  const fetched = { requests: traffic.requests - before.requests, bytes: traffic.bytes - before.bytes };
  showVerdict(steps, verdict, { pasted, text, fetched, origin: location.origin });
}

/** Proves with a proof that the reader has that the pasted event is in the log. Throws Failed and Uncheckable. */
export async function proveByProof(
  steps: Steps,
  text: string,
  proof: string,
  means: Pick<Means, 'ledgerKeys' | 'policy' | 'now'>,
): Promise<void> {
  const { kind, hash } = await steps.need('Event', async () => {
    const value = hashIn(text);
    return { words: `Its hash is 0x${value.hash}.`, value };
  });
  const { index, checkpoint, note } = await steps.need('Proof', async () => {
    readGiven(() => assertProof(proof));
    const value = await verifyProof(proof, hash, needGiven(means.ledgerKeys), 'the proof');
    const { origin, size, root } = value.checkpoint;
    const words = `It leads from the hash, number ${formatNumber(value.index)}, to ${origin}, ${formatCount(size, 'event')}, root ${root}, signed by ${value.verifier.name}+${value.verifier.id}, a key shown above. Nothing was fetched.`;
    return { words, value };
  });
  await showWitnesses(steps, note, 'the proof', means);
  const facts = factsPart('facts', [
    ['Proved', `An event with the hash 0x${hash} is number ${index} of the log ${checkpoint.origin}.`],
    ['Not proved', NOT_PROVED[kind]!],
  ]);
  endProved(steps, 'The event is in the ledger’s log', facts, ...eventLink(index));
}

/** Throws NothingToCheck for a text that is no event. */
function hashIn(text: string): { kind: Pasted['kind']; hash: string } {
  const pasted = readPasted(text);
  const { kind } = pasted;
  if (kind === 'hash' || kind === 'export') return { kind, hash: pasted.hash };
  if (kind === 'line') return { kind, hash: leafHash(new TextEncoder().encode(pasted.line)) };
  const found = text.trim() === '' ? 'nothing' : JSON.stringify(text.trim().slice(0, 80));
  const expected =
    'the event that the proof is of: its hash of 64 hex digits, its row in the audit trail’s export, or its line in the ledger';
  throw new NothingToCheck(new CathedralError('usage', { place: 'the field above', expected, found }));
}

/** It must have the form of a proof, whatever it proves. Throws log_invalid and ledger_corrupt. */
function assertProof(proof: string): void {
  const { checkpoint } = parseTlogProof(proof, 'the proof');
  parseCheckpoint(noteText(checkpoint, 'the proof'), 'the proof');
}

async function trace(steps: Steps, pasted: Pasted, means: Means): Promise<RowVerdict> {
  steps.say('Reading the log …');
  // Without keys there is nothing to compare signatures with, which is said before anything is fetched.
  const ledgerKeys = pasted.kind === 'unknown' ? [] : await needLedgerKeys(steps, means);
  return proveRow(pasted, {
    origin: means.origin,
    ledgerKeys,
    report: (report) => showStep(steps, report),
    say: (words) => steps.say(words),
    opened: ({ note }) => showWitnesses(steps, note, means.origin.placeOf('log/checkpoint'), means),
  });
}

function showStep(steps: Steps, { step, result, words, findings }: StepReport): void {
  if (result === 'holds' || result === 'proved') steps.pass(step, words);
  else if (result === 'does_not_hold') steps.fail(step, findings, words);
  else steps.open(step, findings, words);
  steps.say('Reading the log …');
}

interface Context {
  pasted: Pasted;
  text: string;
  fetched: { requests: number; bytes: number };
  origin: string;
}

function showVerdict(steps: Steps, verdict: RowVerdict, context: Context): void {
  const { kind } = context.pasted;
  const thing = kind === 'row' || kind === 'unknown' ? 'row' : 'event';
  const share = part('p', { class: 'sans' }, 'Link to this proof: ', shareLink(context));
  const note = part('p', { class: 'note muted' }, fetchedWords(context));
  if (verdict.verdict === 'proved')
    endProved(
      steps,
      provedTitle(verdict, thing),
      ...verdict.events.slice(0, MOST_SHOWN).map((event) => showEvent(event, kind)),
      ...moreEvents(verdict.events),
      share,
      note,
    );
  else if (verdict.verdict === 'cannot_be_checked') steps.end(uncheckableTitle(context, thing), 'open', note);
  else if (verdict.about === 'log')
    steps.end(
      `The proof does not hold: this host contradicts what was signed. That says nothing about the ${thing}`,
      'invalid',
      note,
    );
  else
    steps.end(
      `This ${thing} does not hold: the log says otherwise`,
      'invalid',
      ...eventLink(verdict.event),
      note,
    );
}

function uncheckableTitle({ pasted: { kind } }: Context, thing: string): string {
  const what = kind === 'unknown' ? 'This' : `This ${thing}`;
  return `${what} cannot be checked: see the step that says why`;
}

function provedTitle({ history, events }: Extract<RowVerdict, { verdict: 'proved' }>, thing: string): string {
  const [first] = events;
  if (thing === 'event') return `Event ${formatNumber(first!.index)} is in the ledger’s log`;
  return events.length === 1
    ? `Proved: this row of /${history} is event ${formatNumber(first!.index)} of the ledger’s log`
    : `Proved: this row of /${history} follows from ${formatNumber(events.length)} events of the ledger’s log`;
}

/** The event for people, its line for programs, and its proof for others. */
function showEvent({ index, hash, event, line, proof }: RowEvent, pasted: Pasted['kind']): Part {
  const said: (readonly [string, string])[] = event
    ? [
        ['Time', formatMoment(event.timestamp)],
        ['Type', formatToken(event.type)],
        ['By', event.agent],
        ...Object.entries(event.data).map(
          ([name, value]) =>
            [formatToken(name), typeof value === 'string' ? value : JSON.stringify(value)] as const,
        ),
        ['Salt', event.salt],
      ]
    : [
        ['Content', 'Not public: the log shows only its hash.'],
        ...(NOT_PROVED[pasted] ? [['Not proved', NOT_PROVED[pasted]] as const] : []),
      ];
  return part(
    'div',
    { class: 'apart' },
    part('h5', {}, `Event ${formatNumber(index)}`),
    factsPart('facts', [...said, ['Hash', `0x${hash}`]]),
    ...(line === null ? [] : [foldedLine(line)]),
    part(
      'p',
      { class: 'sans' },
      savePart(
        `Save the proof of event ${formatNumber(index)}`,
        `event-${index}.tlog-proof`,
        new Blob([proof], { type: 'text/plain' }),
      ),
    ),
  );
}

function foldedLine(line: string): Part {
  const note = 'Its hash is SHA-256 of a zero byte and this line, without a line end.';
  return part(
    'details',
    {},
    part('summary', {}, 'Its line in the ledger'),
    part('pre', {}, part('code', {}, line)),
    part('p', { class: 'note muted' }, note),
  );
}

function moreEvents(events: readonly RowEvent[]): Part[] {
  const rest = events.length - MOST_SHOWN;
  return rest > 0 ? [part('p', {}, `And ${formatCount(rest, 'more event')}.`)] : [];
}

function eventLink(index: number | null): Part[] {
  if (index === null) return [];
  const link = linkPart(`Event ${formatNumber(index)}`, eventAddress(index));
  return [part('p', { class: 'sans' }, link, ', with its line and its proof')];
}

function eventAddress(index: number): string {
  return `/verification/?event=${index}#event`;
}

/** `origin`: of the page, whose address the reader passes on. */
function shareLink({ pasted, text, origin }: Context): Part | string {
  const own =
    pasted.kind === 'number'
      ? eventAddress(pasted.index)
      : `/verification/#row=${encodeURIComponent(text.trim())}`;
  if (own.length > LONGEST_ADDRESS) return 'this row is too long for an address.';
  return linkPart(`${origin}${own}`.slice(0, 120), own);
}

function fetchedWords({ fetched: { requests, bytes } }: Context): string {
  return `Fetched for this: ${formatCount(requests, 'file')}, ${formatBytes(bytes)} uncompressed.`;
}

/** What is proved is proved of this log; the witnesses of the policy say whether others see the same one. */
export function endProved(steps: Steps, title: string, ...more: Part[]): void {
  if (steps.failed > 0)
    steps.end(
      `${title}. But that may not be the log that others see: see “Witnesses” below`,
      'invalid',
      ...more,
    );
  else if (steps.uncheckable > 0)
    steps.end(`${title}. But not everything about that log can be checked: see below`, 'open', ...more);
  else steps.end(title, 'valid', ...more);
}
