import type { Finding } from '../../errors.ts';
import { compareTimestamps } from '../../ledger/events/timestamp.ts';
import type { PublicLeaf } from '../../ledger/log/public-bundle.ts';
import { apply } from '../../model/fold.ts';
import { emptyState } from '../../model/state.ts';
import { dayOf } from '../../model/window.ts';
import { formatMoment } from '../../words/moment.ts';
import { formatCount, formatNumber } from '../../words/number.ts';
import { formatList, formatToken } from '../../words/phrase.ts';
import {
  type Difference,
  differencesOf,
  type HistoryTable,
  linksIn,
  linksOf,
  shownCell,
  unmarked,
} from './history-tables.ts';
import { withoutEnd } from './log-rows.ts';
import type { Candidate, PastedRow } from './pasted.ts';
import type { PublicLog, Span } from './public-log.ts';

/** Why there is nothing to prove. */
export type Reason =
  /** It is no row of a public history, and no event. */
  | 'unrecognised'
  /** The events that it follows from are published only as hashes. */
  | 'hashed'
  /** It follows from more events than its own. */
  | 'follows_from_more'
  /** It is later than the log’s checkpoint. */
  | 'newer'
  /** The host has no public events. */
  | 'not_published'
  /** The host does not answer. */
  | 'unreachable';

/** The row proves nothing either way. */
export class NotChecked extends Error {
  readonly reason: Reason;
  readonly finding: Finding;

  constructor(reason: Reason, words: string, fault: Omit<Finding, 'code'>) {
    super(words);
    this.reason = reason;
    this.finding = { code: 'proof_refused', ...fault };
  }
}

/** The log contradicts the row. */
export class Contradicted extends Error {
  readonly differences: readonly Difference[];
  /** The event that gives another row; null: none does. */
  readonly event: number | null;

  constructor(words: string, differences: readonly Difference[], event: number | null) {
    super(words);
    this.differences = differences;
    this.event = event;
  }
}

/** The events that a row follows from. */
export interface FoundRow {
  table: HistoryTable;
  leaves: readonly PublicLeaf[];
  words: string;
}

/**
 * Finds the events that give a row. The row holds for the first of its histories for which it does; if for none, the history whose row is
 * nearest says why. Throws NotChecked, Contradicted, and the errors of reading the log.
 */
export async function findRow({ candidates }: PastedRow, log: PublicLog): Promise<FoundRow> {
  if (!(await log.policy()))
    throw new NotChecked('not_published', 'This host publishes no events, only their hashes.', {
      place: 'the log',
      expected: 'the public events of the log',
      found: 'none',
    });
  const refused: Error[] = [];
  for (const candidate of candidates) {
    try {
      return await findIn(candidate, log);
    } catch (error) {
      if (!(error instanceof NotChecked || error instanceof Contradicted)) throw error;
      refused.push(error);
    }
  }
  throw refused.toSorted((one, other) => weightOf(one) - weightOf(other))[0]!;
}

/** A row that nearly fits is one of that history, with a mistake; one that cannot be checked there may still be true. */
function weightOf(error: Error): number {
  if (!(error instanceof Contradicted)) return 1.5;
  return error.event === null ? Number.POSITIVE_INFINITY : error.differences.length;
}

async function findIn(candidate: Candidate, log: PublicLog): Promise<FoundRow> {
  const { path, row, artifact } = candidate.table;
  if (row.from === 'everything')
    throw new NotChecked(
      'follows_from_more',
      `A row of ${artifact.title} follows from all events before it. Choose or drop the whole file: it is compared with the signed one, and if all its events are public, every row is computed again.`,
      {
        place: `/${path}`,
        expected: 'a row that follows from its own events',
        found: 'one that follows from all events before it',
      },
    );
  await assertTypesPublic(candidate, log);
  const find = { event: findEvent, day: findDay, deliberation: findDeliberation }[row.from];
  return find(candidate, log);
}

async function assertTypesPublic(candidate: Candidate, log: PublicLog): Promise<void> {
  const { types: decisions } = (await log.policy())!;
  const hashed = typesOf(candidate).find((type) => !decisions[type]?.public);
  if (hashed === undefined) return;
  const reason = decisions[hashed]?.reason ?? 'Nothing is known about its content.';
  throw new NotChecked('hashed', `Events of the type ${hashed} are published only as hashes. ${reason}`, {
    place: `/${candidate.table.path}`,
    expected: 'events whose lines are published',
    found: `events of the type ${hashed}, published as hashes`,
  });
}

/** One event gives the row. */
async function findEvent(candidate: Candidate, log: PublicLog): Promise<FoundRow> {
  const { table } = candidate;
  const link = linksIn(candidate.cells).event;
  const named = link === undefined ? null : indexOf(unmarked(link), table);
  const given = named === null ? [] : await eventAt(named, candidate, log);
  const own = given.filter((leaf) => givesRow(leaf, candidate));
  if (own.length > 0) return { table, leaves: own, words: eventWords(own, table) };
  const span = spanOf(candidate);
  const leaves = await log.between(span, typesOf(candidate));
  const same = leaves.filter((leaf) => givesRow(leaf, candidate));
  const [first] = same;
  if (first && named === null) return { table, leaves: [first], words: eventWords(same, table) };
  // Two events may give the same row, and nobody sees whether one that stays a hash does.
  if (given.length === 0) await assertAllPublic(candidate, span, log);
  if (first) {
    const { seq } = first.event;
    throw new Contradicted(
      `Event ${formatNumber(seq)} gives this row, and not event ${formatNumber(named!)}.`,
      [{ column: 'event', expected: `${seq}`, found: `${named}` }],
      seq,
    );
  }
  const rows = [...given, ...leaves].flatMap((leaf) =>
    rowsOf(leaf, table).map((text) => ({ text, event: leaf.event })),
  );
  if (rows.length === 0) throw await nothingThere(candidate, span.from, log);
  const { event, differences } = nearestOf(rows, candidate);
  throw new Contradicted(
    `Event ${formatNumber(event.seq)}, ${formatToken(event.type)} of ${formatMoment(event.timestamp)}, gives another row.`,
    differences,
    event.seq,
  );
}

/** The event that a row names. */
async function eventAt(index: number, candidate: Candidate, log: PublicLog): Promise<PublicLeaf[]> {
  if (index >= log.size)
    throw new NotChecked(
      'newer',
      `The row names event ${formatNumber(index)}, which is later than the checkpoint of this host.`,
      {
        place: `event ${index}`,
        expected: `one of the ${log.size} events of the checkpoint`,
        found: `${index}`,
      },
    );
  const leaf = await log.event(index);
  return leaf && typesOf(candidate).includes(leaf.event.type) ? [leaf] : [];
}

/** The events of its day give the row. */
async function findDay(candidate: Candidate, log: PublicLog): Promise<FoundRow> {
  const span = spanOf(candidate);
  const day = dayOf(span.from);
  const known = await log.day(day);
  const newest = known ? null : await log.newest();
  const isOver = known ? known.end < log.size : newest !== null && dayOf(newest) > day;
  if (!isOver) throw newerThan(candidate.table, day, 'a day that is over');
  const leaves = await log.between(span, typesOf(candidate));
  const row = await rowOf(candidate, log, { span, leaves, time: span.from });
  if (known) assertLinks(candidate, [known.first, known.end - 1], row.last);
  else if (Object.keys(linksIn(candidate.cells)).length > 0) throw unknownLinks(candidate);
  return {
    table: candidate.table,
    leaves,
    words: `${formatCount(leaves.length, 'public event')} of ${day} give this row, from event ${formatNumber(leaves[0]!.event.seq)} to event ${formatNumber(row.last)}. It is exactly theirs if this host withholds none.`,
  };
}

/** The events of its deliberation give the row, from the opening to the close. */
async function findDeliberation(candidate: Candidate, log: PublicLog): Promise<FoundRow> {
  const { table, cells } = candidate;
  const span = { from: assertTime(cells.opened!, table), to: assertTime(cells.closed!, table) };
  const all = await log.between(span, typesOf(candidate));
  const leaves = all.filter(({ event }) => event.data.deliberation === unmarked(cells.id!));
  const row = await rowOf(candidate, log, { span, leaves, time: span.to });
  assertLinks(candidate, row.events, row.last);
  return {
    table,
    leaves,
    words: `${formatCount(leaves.length, 'public event')} of deliberation ${unmarked(cells.id!)} give this row: its opening, the positions, and its close, event ${formatNumber(row.last)}. It is exactly theirs if this host withholds none.`,
  };
}

/** The row that several events give together, with the events that it names and the last of all. Throws what is wrong with the given one. */
async function rowOf(
  candidate: Candidate,
  log: PublicLog,
  { span, leaves, time }: { span: Span; leaves: readonly PublicLeaf[]; time: string },
): Promise<{ events: readonly number[]; last: number }> {
  await assertAllPublic(candidate, span, log);
  if (leaves.length === 0) throw await nothingThere(candidate, time, log);
  const last = leaves.at(-1)!.event.seq;
  const rows = foldRows(leaves, candidate.table);
  if (rows.length === 0) throw new Contradicted('The public events of the row give another one.', [], last);
  const { differences, events } = nearestOf(rows, candidate);
  if (differences.length === 0) return { events, last };
  throw new Contradicted('The public events of the row give another one.', differences, last);
}

/** The rows that the state has after these events alone, with the events that they name. */
function foldRows(leaves: readonly PublicLeaf[], { artifact }: HistoryTable) {
  let state = emptyState();
  for (const leaf of leaves) state = apply(state, leaf);
  const events = artifact.dayEvents?.(state);
  return artifact.dayRows!(state).map((text, at) => ({ text: withoutEnd(text), events: events?.[at] ?? [] }));
}

/** The row may be that of an event which stays a hash. Throws NotChecked. */
async function assertAllPublic(candidate: Candidate, span: Span, log: PublicLog): Promise<void> {
  const types = typesOf(candidate);
  if ((await log.withheldOn(types, span)).size === 0) return;
  throw new NotChecked(
    'hashed',
    'Some events of this type and time have members that no public file shows, so they stay hashes. The row may follow from one of them.',
    {
      place: `/${candidate.table.path}`,
      expected: `only public events of the types ${formatList(types)}`,
      found: 'some that stay hashes',
    },
  );
}

function typesOf({ table: { row }, cells }: Candidate): readonly string[] {
  return row.types === 'every' ? [cells.event_type ?? ''] : row.types;
}

const DATE = /^\d{4}-\d\d-\d\d$/;
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/;

/** From when to when the events of a row may have happened. */
function spanOf({ table, cells }: Candidate): Span {
  const time = cells[table.time]!;
  if (DATE.test(time) && !Number.isNaN(Date.parse(time)))
    return { from: `${time}T00:00:00Z`, to: `${time}T23:59:59.999999999Z` };
  assertTime(time, table);
  return { from: time, to: time };
}

function assertTime(time: string, { path, time: column }: HistoryTable): string {
  if (TIME.test(time) && !Number.isNaN(Date.parse(time))) return time;
  throw new NotChecked('unrecognised', 'The row has no time by which its event could be found.', {
    place: `/${path}, column ${column}`,
    expected: 'a date, or a time in UTC such as 2026-05-01T06:00:00Z',
    found: JSON.stringify(time.slice(0, 80)),
  });
}

/** The row must name its events as JSON lines do. Throws Contradicted. */
function assertLinks({ table, cells }: Candidate, events: readonly number[], event: number): void {
  const own = linksOf(table, events);
  const faults = Object.entries(linksIn(cells))
    .filter(([column, found]) => own[column] !== found)
    .map(([column, found]) => ({ column, expected: shownCell(own[column] ?? ''), found: shownCell(found) }));
  if (faults.length > 0)
    throw new Contradicted('The row holds, but it names other events than its own.', faults, event);
}

/** Without the index, nobody sees where the day begins and ends: it may do so with events that stay hashes. */
function unknownLinks({ table: { path }, cells }: Candidate): NotChecked {
  const names = formatList(Object.keys(linksIn(cells)));
  return new NotChecked(
    'not_published',
    `All other columns are proved, but this host has no index that says which ${names} are.`,
    { place: `/${path}, ${names}`, expected: 'an index of the month of the row', found: 'none' },
  );
}

function indexOf(json: string, { path }: HistoryTable): number {
  if (/^(?:0|[1-9]\d{0,14})$/.test(json)) return Number(json);
  throw new NotChecked('unrecognised', 'The row does not name an event by its index.', {
    place: `/${path}, column event`,
    expected: 'the index of an event',
    found: json.slice(0, 80),
  });
}

/** The rows that an event adds. */
function rowsOf(leaf: PublicLeaf, { artifact }: HistoryTable): string[] {
  return artifact.rows(leaf).map(withoutEnd);
}

function givesRow(leaf: PublicLeaf, candidate: Candidate): boolean {
  return rowsOf(leaf, candidate.table).some((text) => differences(text, candidate).length === 0);
}

/** In what a row differs from one that the log gives, but for columns that follow from other events as well. */
function differences(text: string, { table, form, cells }: Candidate): Difference[] {
  return differencesOf(table, form, { row: { text, links: null }, cells })
    .filter(({ column }) => !table.row.beyond?.includes(column))
    .map(({ column, expected, found }) => ({
      column,
      expected: shownCell(expected),
      found: shownCell(found),
    }));
}

/** The row that differs least. */
function nearestOf<Row extends { text: string }>(rows: readonly Row[], candidate: Candidate) {
  const compared = rows.map((row) => ({ ...row, differences: differences(row.text, candidate) }));
  return compared.toSorted((one, other) => one.differences.length - other.differences.length)[0]!;
}

/** No public event gives a row at this time. */
async function nothingThere(candidate: Candidate, from: string, log: PublicLog): Promise<Error> {
  const { table, cells } = candidate;
  const newest = await log.newest();
  if (newest === null || compareTimestamps(from, newest) > 0)
    return newerThan(table, from, `a time up to ${newest ?? 'the newest public event'}`);
  const types = typesOf(candidate).map((type) => formatToken(type));
  return new Contradicted(
    `The log has no public event of the type ${formatList(types)} at this time.`,
    [{ column: table.time, expected: 'the time of an event', found: cells[table.time]! }],
    null,
  );
}

function newerThan({ path, time }: HistoryTable, found: string, expected: string): NotChecked {
  return new NotChecked(
    'newer',
    'The row is later than the newest public event of this host’s checkpoint. Try again after the next release.',
    { place: `/${path}, column ${time}`, expected, found },
  );
}

function eventWords(leaves: readonly PublicLeaf[], { row }: HistoryTable): string {
  const { event } = leaves[0]!;
  const exactly = row.beyond ? 'gives this row' : 'gives exactly this row';
  const more =
    leaves.length === 1
      ? ''
      : ` So do ${formatCount(leaves.length - 1, 'other event')} of the same content: the file has the row ${leaves.length} times.`;
  return `Event ${formatNumber(event.seq)}, ${formatToken(event.type)} of ${formatMoment(event.timestamp)}, ${exactly}.${more}`;
}
