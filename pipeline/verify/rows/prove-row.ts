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
import { Contradicted, findRow, NotChecked, type Reason } from './find-row.ts';
import {
  canonical,
  type Difference,
  type HistoryTable,
  isLink,
  linksIn,
  shownCell,
} from './history-tables.ts';
import type { Pasted, PastedEvent, PastedRow, Unrecognised } from './pasted.ts';
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

interface Of {
  /** Path of the row’s file; null if it was an event, or is not known. */
  history: string | null;
}

export type RowVerdict =
  | ({ verdict: 'proved'; events: readonly RowEvent[] } & Of)
  | ({
      verdict: 'does_not_hold';
      /** `row`: the log contradicts it. `log`: what the host serves is not what was signed, which says nothing about the row. */
      about: 'row' | 'log';
      differences: readonly Difference[];
      /** The event that it was compared with. */
      event: number | null;
    } & Of)
  | ({ verdict: 'cannot_be_checked'; reason: Reason; finding: Finding } & Of);

export interface RowMeans {
  origin: Origin;
  ledgerKeys: readonly Verifier[];
  report: (step: StepReport) => void;
  /** After the log was opened. What it throws ends the proof. */
  opened?: (log: PublicLog) => Promise<void>;
  /** What is being done, while the log is searched for a hash. */
  say?: (words: string) => void;
}

/** Tiles at once, as many as browsers ask one host for. */
const PARALLEL = 6;

/** Follows a row or an event to the signatures of the log. Reports each step once it is decided. */
export async function proveRow(pasted: Pasted, means: RowMeans): Promise<RowVerdict> {
  try {
    return await new RowProof(means).prove(pasted);
  } catch (error) {
    if (error instanceof Ended) return error.verdict;
    throw error;
  }
}

class Ended extends Error {
  readonly verdict: RowVerdict;

  constructor(verdict: RowVerdict) {
    super(verdict.verdict);
    this.verdict = verdict;
  }
}

interface Shown<T> {
  words: string;
  value: T;
}

/** An event that was found, before its proof; null if it stays a hash. */
interface Found {
  index: number;
  leaf: PublicLeaf | null;
}

interface FoundEvents {
  table: HistoryTable | null;
  events: readonly Found[];
}

class RowProof {
  readonly #means: RowMeans;
  #history: string | null = null;

  constructor(means: RowMeans) {
    this.#means = means;
  }

  async prove(pasted: Pasted): Promise<RowVerdict> {
    const given = await this.#step('Row', async () => recognised(pasted));
    if (given.kind === 'row') await this.#step('History', async () => this.#name(given));
    const log = await this.#open();
    const { table, events } = await this.#step('Event', () => findEvents(given, log, this.#means.say));
    this.#history = table?.path ?? null;
    await this.#step('Leaf', () => leafWords(events, log));
    const proved = await this.#step('Tiles', () => leadToRoot(events, log));
    const { origin, size, root } = log.checkpoint;
    this.#holds('Checkpoint', `Of ${origin}, ${formatNumber(size)} events, root ${root}.`);
    this.#holds('Signatures', `Signed by ${log.verifier.name}+${log.verifier.id}, a trusted key.`);
    if (table?.row.beyond) this.#end('Other columns', beyondItsEvents(table.path, table.row.beyond));
    return { verdict: 'proved', history: this.#history, events: proved };
  }

  #name({ candidates }: PastedRow): Shown<null> {
    if (candidates.length === 1) this.#history = candidates[0]!.table.path;
    const names = candidates.map(({ table: { path, artifact } }) => `/${path}, ${artifact.title}`);
    const words =
      names.length === 1
        ? `These are the columns of ${names[0]}.`
        : `They fit ${formatList(names)}: tried one after another.`;
    return { words, value: null };
  }

  /** What is wrong with the checkpoint, its signatures or the partial tiles shows at once, although these steps come last. */
  async #open(): Promise<PublicLog> {
    const { origin, ledgerKeys, opened } = this.#means;
    try {
      const log = await PublicLog.open(origin, ledgerKeys);
      await opened?.(log);
      return log;
    } catch (error) {
      const code = error instanceof CathedralError ? error.code : null;
      return this.#end(
        code === 'ledger_signature' ? 'Signatures' : code === 'log_invalid' ? 'Tiles' : 'Checkpoint',
        error,
      );
    }
  }

  async #step<T>(step: RowStep, work: () => Promise<Shown<T>>): Promise<T> {
    try {
      const { words, value } = await work();
      this.#holds(step, words);
      return value;
    } catch (error) {
      return this.#end(step, error);
    }
  }

  #holds(step: RowStep, words: string): void {
    this.#means.report({ step, result: 'holds', words, findings: [] });
  }

  /** Reports what ended the proof, and ends it. */
  #end(step: RowStep, error: unknown): never {
    const verdict = verdictOf(error, this.#history);
    if (!verdict) throw error;
    const findings =
      error instanceof Contradicted
        ? error.differences.map((difference) => differenceFinding(difference, this.#history))
        : [error instanceof NotChecked ? error.finding : findingOf(error as CathedralError)];
    const words = error instanceof CathedralError ? '' : (error as Error).message;
    this.#means.report({ step, result: verdict.verdict, words, findings });
    throw new Ended(verdict);
  }
}

function verdictOf(error: unknown, history: string | null): RowVerdict | null {
  if (error instanceof NotChecked)
    return { verdict: 'cannot_be_checked', reason: error.reason, finding: error.finding, history };
  if (error instanceof Contradicted) {
    const { differences, event } = error;
    return { verdict: 'does_not_hold', about: 'row', history, differences, event };
  }
  if (!(error instanceof CathedralError)) return null;
  // A host that does not answer has not contradicted itself.
  if (error.code === 'mirror_unreachable')
    return { verdict: 'cannot_be_checked', reason: 'unreachable', finding: findingOf(error), history };
  return { verdict: 'does_not_hold', about: 'log', history, differences: [], event: null };
}

function differenceFinding({ column, expected, found }: Difference, history: string | null): Finding {
  const place = history === null ? column : `/${history}, column ${column}`;
  return { code: 'proof_refused', place, expected, found };
}

type Given = Exclude<Pasted, Unrecognised>;

function recognised(pasted: Pasted): Shown<Given> {
  switch (pasted.kind) {
    case 'unknown': {
      const { expected, found } = pasted;
      throw new NotChecked('unrecognised', 'This is neither a row of a public history nor an event.', {
        place: 'the row',
        expected,
        found,
      });
    }
    case 'number':
      return { words: `The number of an event: ${formatNumber(pasted.index)}.`, value: pasted };
    case 'hash':
      return { words: `The hash of an event: 0x${pasted.hash}.`, value: pasted };
    case 'export':
      return {
        words: `A row of the export, which contains the hash of its event: 0x${pasted.hash}.`,
        value: pasted,
      };
    case 'line':
      return {
        words: `A line of the ledger: event ${formatNumber(pasted.seq)}, by its own words.`,
        value: pasted,
      };
    case 'row': {
      const form = { csv: 'CSV', tsv: 'a spreadsheet', json: 'JSON' }[pasted.form];
      const { cells } = pasted.candidates[0]!;
      const columns = Object.keys(cells).filter((name) => !isLink(name)).length;
      const { event } = linksIn(cells);
      const named = event === undefined ? '' : ` It names event ${shownCell(event).slice(0, 20)}.`;
      return { words: `A row of ${form} with ${formatCount(columns, 'column')}.${named}`, value: pasted };
    }
  }
}

async function findEvents(given: Given, log: PublicLog, say: RowMeans['say']): Promise<Shown<FoundEvents>> {
  if (given.kind === 'row') {
    const { table, leaves, words } = await findRow(given, log);
    return { words, value: { table, events: leaves.map((leaf) => ({ index: leaf.event.seq, leaf })) } };
  }
  const { size } = log.checkpoint;
  const index =
    given.kind === 'number'
      ? given.index
      : given.kind === 'line'
        ? given.seq
        : await searchFor(given, log, say);
  if (index >= size)
    throw new NotChecked('newer', `The checkpoint of this host ends before event ${formatNumber(index)}.`, {
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
  return { words, value: { table: null, events: [{ index, leaf }] } };
}

/**
 * The number of the event with this hash. The time of a row of the export is only a hint, since nothing vouches for the index of months.
 * Throws Contradicted where no event has the hash.
 */
async function searchFor(
  given: Extract<PastedEvent, { hash: string }>,
  log: PublicLog,
  say: RowMeans['say'] = () => {},
): Promise<number> {
  const time = given.kind === 'export' ? given.timestamp : null;
  const day = time === null ? null : await log.day(dayOf(time)).catch(() => null);
  const search = (from: number, to: number) =>
    findLeaf(log.reader, given.hash, {
      from,
      to,
      first: 'newest',
      parallel: PARALLEL,
      progress: (read, all) =>
        say(`Searching the log: ${formatNumber(read)} of ${formatNumber(all)} tiles …`),
    });
  const hinted = day && (await search(day.first, Math.min(day.end, log.size)));
  const index = hinted ?? (await search(0, log.size));
  if (index !== null) return index;
  const found = `none among ${formatCount(log.size, 'event')}`;
  throw new Contradicted(
    'No event of the log has this hash.',
    [{ column: 'the hash', expected: `0x${given.hash}`, found }],
    null,
  );
}

/** The line must be that of the event, byte for byte. Throws Contradicted. */
async function assertLine(
  line: string,
  index: number,
  event: LedgerEvent | null,
  log: PublicLog,
): Promise<void> {
  const [expected, found] = [
    await log.reader.leaf(index),
    log.origin.leafHash(new TextEncoder().encode(line)),
  ];
  if (found === expected) return;
  const given = parseObject(line)!;
  const members = event ? Object.entries(event) : [];
  const differing = members.flatMap(([column, value]) => {
    const [own, other] = [value, given[column]].map((one) => (one === undefined ? '' : canonical(one)));
    return own === other ? [] : [{ column, expected: shownCell(own!), found: shownCell(other!) }];
  });
  const hash = { column: 'the hash of the line', expected: `0x${expected}`, found: `0x${found}` };
  throw new Contradicted(
    `Event ${formatNumber(index)} of the log has another line.`,
    differing.length > 0 ? differing : [hash],
    index,
  );
}

async function leafWords(events: readonly Found[], log: PublicLog): Promise<Shown<null>> {
  const [first] = events;
  const hash = await log.reader.leaf(first!.index);
  const words =
    events.length > 1
      ? `The hashes of their lines are the leaves of these numbers in the tree, from 0x${hash} on.`
      : first!.leaf
        ? `The hash of its line is leaf ${formatNumber(first!.index)} of the tree: 0x${hash}.`
        : `Leaf ${formatNumber(first!.index)} of the tree is 0x${hash}.`;
  return { words, value: null };
}

async function leadToRoot(events: readonly Found[], log: PublicLog): Promise<Shown<RowEvent[]>> {
  const { reader, checkpoint, note } = log;
  const proved: RowEvent[] = [];
  let hashes = 0;
  for (const { index, leaf } of events) {
    const [hash, path] = [await reader.leaf(index), await inclusionProof(reader, index)];
    if (!(await verifyInclusion({ index, leaf: hash, path }, checkpoint, reader.nodeHash)))
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
  return { words, value: proved };
}

function beyondItsEvents(path: string, beyond: readonly string[]): NotChecked {
  const names = formatList(beyond);
  return new NotChecked(
    'follows_from_more',
    `All other columns are proved, but ${names} ${beyond.length === 1 ? 'follows' : 'follow'} from earlier events as well. For these, choose or drop the whole file.`,
    {
      place: `/${path}, ${names}`,
      expected: 'what follows from the events of the row',
      found: 'what follows from earlier events too',
    },
  );
}
