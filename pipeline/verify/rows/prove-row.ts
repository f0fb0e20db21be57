import { leafHash } from '#hashing';
import { CathedralError, type Finding, findingOf } from '../../errors.ts';
import type { LedgerEvent } from '../../ledger/events/event.ts';
import { findLeaf } from '../../ledger/log/find-leaf.ts';
import { inclusionProof, verifyInclusion } from '../../ledger/log/proofs.ts';
import type { PublicLeaf } from '../../ledger/log/public-bundle.ts';
import { formatTlogProof } from '../../ledger/log/tlog-proof.ts';
import type { Verifier } from '../../ledger/notes/note.ts';
import { dayOf } from '../../model/window.ts';
import { formatMoment } from '../../words/moment.ts';
import { formatCount, formatNumber } from '../../words/number.ts';
import { formatList, formatToken } from '../../words/phrase.ts';
import { mismatchError } from '../findings.ts';
import type { Origin } from '../origin.ts';
import { contradicted, findRow, notChecked, type Refusal, Refused } from './find-row.ts';
import { canonical, type HistoryTable, isLink, linksIn, shownCell } from './history-table.ts';
import type { Pasted, PastedEvent, Unrecognised } from './pasted.ts';
import { PublicLog } from './public-log.ts';
import { parseObject } from './row-text.ts';

/** The steps from a row to the signatures, in their order. */
type RowStep = 'Row' | 'History' | 'Event' | 'Leaf' | 'Tiles' | 'Checkpoint' | 'Signatures' | 'Other columns';

/** What a step has shown, or why it has not. */
export interface StepReport {
  step: RowStep;
  result: RowVerdict['verdict'] | 'holds';
  words: string;
  /** Empty for a step that holds. */
  findings: readonly Finding[];
}

/** An event that a row follows from, with a proof for others. */
export interface RowEvent {
  index: number;
  /** Hex. */
  hash: string;
  /** Null if it stays a hash. */
  event: LedgerEvent | null;
  /** Its line as it was hashed; null if it stays a hash. */
  line: string | null;
  /** A tlog-proof. */
  proof: string;
}

export type RowVerdict = ({ verdict: 'proved'; events: readonly RowEvent[] } | Refusal) & {
  /** Path of the row’s file; null if it was an event, or is not known. */
  history: string | null;
};

interface RowMeans {
  origin: Origin;
  ledgerKeys: readonly Verifier[];
  report: (step: StepReport) => void;
  /** After the log was opened. What it throws ends the proof. */
  opened?: (log: PublicLog) => Promise<void>;
  /** What is being done, while the log is searched for a hash. */
  say?: (words: string) => void;
}

/** An event that was found, before its proof; null if it stays a hash. */
interface Found {
  index: number;
  leaf: PublicLeaf | null;
}

interface FoundEvents {
  events: readonly Found[];
  words: string;
}

/** Follows a row or an event to the signatures of the log. Reports each step once it is decided; the first that does not hold ends it. */
export async function proveRow(pasted: Pasted, means: RowMeans): Promise<RowVerdict> {
  let step: RowStep = 'Row';
  let history: string | null = null;
  const holds = (words: string) => means.report({ step, result: 'holds', words, findings: [] });
  try {
    const given = recognised(pasted);
    holds(describeGiven(given));
    if (given.kind === 'row') {
      step = 'History';
      history = given.table.path;
      holds(`These are the columns of /${history}, ${given.table.artifact.title}.`);
    }
    // What is wrong with the checkpoint, its signatures or the partial tiles shows at once, although these steps come last.
    const log = await open(means).catch((error) => {
      step = stepOf(error);
      throw error;
    });
    step = 'Event';
    const { events, words } = await findEvents(given, log, means.say);
    holds(words);
    step = 'Leaf';
    holds(await leafWords(events, log));
    step = 'Tiles';
    const proved = await leadToRoot(events, log);
    holds(proved.words);
    step = 'Checkpoint';
    const { origin, size, root } = log.checkpoint;
    holds(`Of ${origin}, ${formatNumber(size)} events, root ${root}.`);
    step = 'Signatures';
    holds(`Signed by ${log.verifier.name}+${log.verifier.id}, a trusted key.`);
    step = 'Other columns';
    if (given.kind === 'row' && given.table.row.beyond) throw beyondItsEvents(given.table);
    return { verdict: 'proved', history, events: proved.events };
  } catch (error) {
    const refusal = refusalOf(error);
    const findings = findingsOf(error, refusal, history);
    const words = error instanceof Refused ? error.message : '';
    means.report({ step, result: refusal.verdict, words, findings });
    return { ...refusal, history };
  }
}

async function open({ origin, ledgerKeys, opened }: RowMeans): Promise<PublicLog> {
  const log = await PublicLog.open(origin, ledgerKeys);
  await opened?.(log);
  return log;
}

function stepOf(error: unknown): RowStep {
  const code = error instanceof CathedralError ? error.code : null;
  return code === 'ledger_signature' ? 'Signatures' : code === 'log_invalid' ? 'Tiles' : 'Checkpoint';
}

/** Throws what says nothing about the row or the log. */
function refusalOf(error: unknown): Refusal {
  if (error instanceof Refused) return error.refusal;
  if (!(error instanceof CathedralError)) throw error;
  // A host that does not answer has not contradicted itself.
  if (error.code === 'mirror_unreachable')
    return { verdict: 'cannot_be_checked', reason: 'unreachable', finding: findingOf(error) };
  return { verdict: 'does_not_hold', about: 'log', differences: [], event: null };
}

function findingsOf(error: unknown, refusal: Refusal, history: string | null): Finding[] {
  if (error instanceof CathedralError) return [findingOf(error)];
  if (refusal.verdict === 'cannot_be_checked') return [refusal.finding];
  return refusal.differences.map(({ column, expected, found }) => {
    const place = history === null ? column : `/${history}, column ${column}`;
    return { code: 'proof_refused', place, expected, found };
  });
}

type Given = Exclude<Pasted, Unrecognised>;

function recognised(pasted: Pasted): Given {
  if (pasted.kind !== 'unknown') return pasted;
  const { expected, found } = pasted;
  const fault = { place: 'the row', expected, found };
  throw notChecked('unrecognised', 'This is neither a row of a public history nor an event.', fault);
}

function describeGiven(given: Given): string {
  switch (given.kind) {
    case 'number':
      return `The number of an event: ${formatNumber(given.index)}.`;
    case 'hash':
      return `The hash of an event: 0x${given.hash}.`;
    case 'export':
      return `A row of the export, which contains the hash of its event: 0x${given.hash}.`;
    case 'line':
      return `A line of the ledger: event ${formatNumber(given.seq)}, by its own words.`;
    case 'row': {
      const { form, cells } = given;
      const columns = Object.keys(cells).filter((name) => !isLink(name)).length;
      const { event } = linksIn(cells);
      const named = event === undefined ? '' : ` It names event ${shownCell(event).slice(0, 20)}.`;
      return `A row of ${form === 'csv' ? 'CSV' : 'JSON'} with ${formatCount(columns, 'column')}.${named}`;
    }
  }
}

async function findEvents(given: Given, log: PublicLog, say: RowMeans['say']): Promise<FoundEvents> {
  if (given.kind === 'row') {
    const { leaves, words } = await findRow(given, log);
    return { events: leaves.map((leaf) => ({ index: leaf.event.seq, leaf })), words };
  }
  const { size } = log.checkpoint;
  const index =
    given.kind === 'number'
      ? given.index
      : given.kind === 'line'
        ? given.seq
        : await searchFor(given, log, say);
  if (index >= size)
    throw notChecked('newer', `The checkpoint of this host ends before event ${formatNumber(index)}.`, {
      place: `event ${index}`,
      expected: `an event below ${size}, the number of events of the checkpoint`,
      found: `${index}`,
    });
  const leaf = await log.event(index);
  const event = leaf?.event ?? null;
  if (given.kind === 'line') await assertLine(given.line, index, event, log);
  const words = event
    ? `Event ${formatNumber(index)} is ${formatToken(event.type)} of ${formatMoment(event.timestamp)}, by ${event.agent}.`
    : `Event ${formatNumber(index)} is published only as a hash.`;
  return { events: [{ index, leaf }], words };
}

/**
 * The number of the event with this hash. The time of a row of the export is only a hint, since nothing vouches for the index of months.
 * Throws Refused where no event has the hash.
 */
async function searchFor(
  given: Extract<PastedEvent, { hash: string }>,
  log: PublicLog,
  say: RowMeans['say'] = () => {},
): Promise<number> {
  const time = given.kind === 'export' ? given.timestamp : null;
  const day = time === null ? null : await log.day(dayOf(time)).catch(() => null);
  const search = (from: number, to: number) =>
    findLeaf(log.reader, given.hash, { from, to }, (read, all) =>
      say(`Searching the log: ${formatNumber(read)} of ${formatNumber(all)} tiles …`),
    );
  const hinted = day && (await search(day.first, Math.min(day.end, log.size)));
  const index = hinted ?? (await search(0, log.size));
  if (index !== null) return index;
  const found = `none among ${formatCount(log.size, 'event')}`;
  throw contradicted(
    'No event of the log has this hash.',
    [{ column: 'the hash', expected: `0x${given.hash}`, found }],
    null,
  );
}

/** The line must be that of the event, byte for byte. Throws Refused. */
async function assertLine(
  line: string,
  index: number,
  event: LedgerEvent | null,
  log: PublicLog,
): Promise<void> {
  const [expected, found] = [await log.reader.leaf(index), leafHash(new TextEncoder().encode(line))];
  if (found === expected) return;
  const given = parseObject(line)!;
  const members = event ? Object.entries(event) : [];
  const differing = members.flatMap(([column, value]) => {
    const [own, other] = [value, given[column]].map((one) => (one === undefined ? '' : canonical(one)));
    return own === other ? [] : [{ column, expected: shownCell(own!), found: shownCell(other!) }];
  });
  const hash = { column: 'the hash of the line', expected: `0x${expected}`, found: `0x${found}` };
  throw contradicted(
    `Event ${formatNumber(index)} of the log has another line.`,
    differing.length > 0 ? differing : [hash],
    index,
  );
}

async function leafWords(events: readonly Found[], log: PublicLog): Promise<string> {
  const [first] = events;
  const hash = await log.reader.leaf(first!.index);
  if (events.length > 1)
    return `The hashes of their lines are the leaves of these numbers in the tree, from 0x${hash} on.`;
  return first!.leaf
    ? `The hash of its line is leaf ${formatNumber(first!.index)} of the tree: 0x${hash}.`
    : `Leaf ${formatNumber(first!.index)} of the tree is 0x${hash}.`;
}

async function leadToRoot(
  events: readonly Found[],
  log: PublicLog,
): Promise<{ events: RowEvent[]; words: string }> {
  const { reader, checkpoint, note } = log;
  const proved: RowEvent[] = [];
  let hashes = 0;
  for (const { index, leaf } of events) {
    const [hash, path] = [await reader.leaf(index), await inclusionProof(reader, index)];
    if (!verifyInclusion({ index, leaf: hash, path }, checkpoint))
      throw mismatchError(
        'the proof',
        `hashes that lead to the root ${checkpoint.root}`,
        'hashes that lead elsewhere',
      );
    hashes = path.length;
    proved.push({
      index,
      hash,
      event: leaf?.event ?? null,
      line: leaf && new TextDecoder().decode(leaf.line),
      proof: formatTlogProof({ index, path, checkpoint: note, extra: null }),
    });
  }
  const words =
    events.length === 1
      ? `${formatCount(hashes, 'hash', 'hashes')} lead from the leaf to the root of the tree.`
      : `From each of the ${formatNumber(events.length)} leaves, hashes lead to the root of the tree.`;
  return { events: proved, words };
}

function beyondItsEvents({ path, row: { beyond = [] } }: HistoryTable): Refused {
  const names = formatList(beyond);
  return notChecked(
    'follows_from_more',
    `All other columns are proved, but ${names} ${beyond.length === 1 ? 'follows' : 'follow'} from earlier events as well. For these, choose or drop the whole file.`,
    {
      place: `/${path}, ${names}`,
      expected: 'what follows from the events of the row',
      found: 'what follows from earlier events too',
    },
  );
}
