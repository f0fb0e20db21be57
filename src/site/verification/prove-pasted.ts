import { readPasted } from '../../../pipeline/verify/rows/pasted.ts';
import {
  proveRow,
  type RowEvent,
  type RowVerdict,
  type StepReport,
  type Traceable,
} from '../../../pipeline/verify/rows/prove-row.ts';
import { formatMoment } from '../../../pipeline/words/moment.ts';
import { formatBytes, formatCount, formatNumber } from '../../../pipeline/words/number.ts';
import { formatToken } from '../../../pipeline/words/phrase.ts';
import type { Steps } from '../layout/steps.ts';
import { factsPart, linkPart, type Part, part, savePart } from '../layout/worker-parts.ts';
import { NOT_PROVED, type ProvedEvent, proveByLog } from './prove-event.ts';
import type { Means } from './verify-release.ts';
import { showWitnesses } from './witnesses.ts';

/** Events that are shown with their lines. */
const MOST_SHOWN = 20;
/** A longer address is cut by mail programs and some servers' logs. */
const LONGEST_ADDRESS = 4000;

/** Follows what the reader pasted to the signatures of the log, and shows it. Throws Failed and Uncheckable. */
export async function provePasted(steps: Steps, text: string, means: Means): Promise<void> {
  const pasted = readPasted(text);
  if (pasted.kind === 'hash' || pasted.kind === 'export')
    return showProved(steps, await proveByLog(steps, pasted, means));
  const { traffic } = means.origin;
  const before = { ...traffic };
  const verdict = await trace(steps, pasted, means);
  const fetched = { requests: traffic.requests - before.requests, bytes: traffic.bytes - before.bytes };
  showVerdict(steps, verdict, { pasted, text, fetched, origin: location.origin });
}

async function trace(steps: Steps, pasted: Traceable, means: Means): Promise<RowVerdict> {
  steps.say('Reading the log …');
  // Without keys there is nothing to compare signatures with, which is said before anything is fetched.
  const ledgerKeys =
    pasted.kind === 'unknown'
      ? []
      : await steps.need('Keys', async () => {
          const value = means.ledgerKeys();
          return { words: `${formatCount(value.length, 'key')} of the ledger, shown above.`, value };
        });
  return proveRow(pasted, {
    origin: means.origin,
    ledgerKeys,
    report: (report) => showStep(steps, report),
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
  pasted: Traceable;
  text: string;
  fetched: { requests: number; bytes: number };
  origin: string;
}

function showVerdict(steps: Steps, verdict: RowVerdict, context: Context): void {
  const thing = context.pasted.kind === 'number' || context.pasted.kind === 'line' ? 'event' : 'row';
  const share = part('p', { class: 'sans' }, 'Link to this proof: ', shareLink(context));
  const note = part('p', { class: 'note muted' }, fetchedWords(context));
  if (verdict.verdict === 'proved')
    endProved(
      steps,
      provedTitle(verdict, thing),
      ...verdict.events.slice(0, MOST_SHOWN).map(showEvent),
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
function showEvent({ index, hash, event, line, proof }: RowEvent): Part {
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
    : [['Content', 'Not public: the log shows only its hash.']];
  return part(
    'div',
    { class: 'proved-event' },
    part('h5', {}, `Event ${formatNumber(index)}`),
    factsPart('facts', [...said, ['Hash', `0x${hash}`]]),
    ...(line === null ? [] : [foldedLine(line)]),
    part(
      'p',
      { class: 'sans' },
      saveProof(`Save the proof of event ${formatNumber(index)}`, `event-${index}.tlog-proof`, proof),
    ),
  );
}

function saveProof(words: string, name: string, proof: string): Part {
  return savePart(words, name, new Blob([proof], { type: 'text/plain' }));
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

function showProved(steps: Steps, { event, index, checkpoint, proof }: ProvedEvent): void {
  endProved(steps, 'The event is in the ledger’s log', ...eventFacts({ event, index, checkpoint, proof }));
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

/** What a proof of a hash shows, and what it does not. */
export function eventFacts({ event, index, checkpoint, proof }: ProvedEvent): Part[] {
  const { origin, size, root } = checkpoint;
  const proved = `An event with the hash 0x${event.hash} is number ${index} of the log ${origin}, in its tree of ${formatCount(size, 'event')} with the root ${root}.`;
  return [
    factsPart('facts', [
      ['Proved', proved],
      ['Not proved', NOT_PROVED[event.kind]],
    ]),
    part(
      'p',
      { class: 'sans' },
      // The event's line may be public.
      linkPart(`Event ${formatNumber(index)}`, eventAddress(index)),
      ' · ',
      saveProof('Save the proof for others or for later', 'event.tlog-proof', proof),
    ),
  ];
}
