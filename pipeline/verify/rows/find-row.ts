import type { Finding } from '../../errors.ts';
import { compareTimestamps } from '../../ledger/events/timestamp.ts';
import type { PublicLeaf } from '../../ledger/log/public-bundle.ts';
import { emptyState } from '../../model/empty-state.ts';
import { apply } from '../../model/fold.ts';
import { dayOf } from '../../model/window.ts';
import { formatMoment } from '../../words/moment.ts';
import { counted, formatCount, formatNumber } from '../../words/number.ts';
import { formatList, formatToken } from '../../words/phrase.ts';
import {
  type Difference,
  differencesOf,
  type HistoryTable,
  isLink,
  linksIn,
  shownCell,
  unmarked,
} from './history-table.ts';
import { DATE, type LogRow, TIMESTAMP, withoutEnd } from './log-rows.ts';
import type { PastedRow } from './pasted.ts';
import type { PublicLog, Span } from './public-log.ts';

/** Why there is nothing to prove. */
type Reason =
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

/** Why a row is not proved. */
export type Refusal =
  | {
      verdict: 'does_not_hold';
      /** `row`: the log contradicts it. `log`: what the host serves is not what was signed, which says nothing about the row. */
      about: 'row' | 'log';
      differences: readonly Difference[];
      /** The event that it was compared with; null: none gives such a row. */
      event: number | null;
    }
  | { verdict: 'cannot_be_checked'; reason: Reason; finding: Finding };

/** A row that is not proved, and why in words. */
export class Refused extends Error {
  readonly refusal: Refusal;

  constructor(words: string, refusal: Refusal) {
    super(words);
    this.refusal = refusal;
  }
}

/** The row proves nothing either way. */
export function notChecked(reason: Reason, words: string, fault: Omit<Finding, 'code'>): Refused {
  return new Refused(words, {
    verdict: 'cannot_be_checked',
    reason,
    finding: { code: 'proof_refused', ...fault },
  });
}

/** The log contradicts the row. */
export function contradicted(
  words: string,
  differences: readonly Difference[],
  event: number | null,
): Refused {
  return new Refused(words, { verdict: 'does_not_hold', about: 'row', differences, event });
}

/** The events that a row follows from. */
export interface FoundRow {
  leaves: readonly PublicLeaf[];
  words: string;
}

/** Finds the events that give a row. Throws Refused, and the errors of reading the log. */
export async function findRow(given: PastedRow, log: PublicLog): Promise<FoundRow> {
  const { path, row, artifact } = given.table;
  if (!(await log.policy()))
    throw notChecked('not_published', 'This host publishes no events, only their hashes.', {
      place: 'the log',
      expected: 'the public events of the log',
      found: 'none',
    });
  if (row.from === 'everything')
    throw notChecked(
      'follows_from_more',
      `A row of ${artifact.title} follows from all events before it. Choose or drop the whole file: it is compared with the signed one, and if all its events are public, every row is computed again.`,
      {
        place: `/${path}`,
        expected: 'a row that follows from its own events',
        found: 'one that follows from all events before it',
      },
    );
  await assertTypesPublic(given, log);
  return row.from === 'event' ? findEvent(given, log) : findTogether(given, log);
}

async function assertTypesPublic(given: PastedRow, log: PublicLog): Promise<void> {
  const { types: decisions } = (await log.policy())!;
  const hashed = typesOf(given).find((type) => !decisions[type]?.public);
  if (hashed === undefined) return;
  const reason = decisions[hashed]?.reason ?? 'Nothing is known about its content.';
  throw notChecked('hashed', `Events of the type ${hashed} are published only as hashes. ${reason}`, {
    place: `/${given.table.path}`,
    expected: 'events whose lines are published',
    found: `events of the type ${hashed}, published as hashes`,
  });
}

/** A row that public events give, with the last of them, and in what the pasted one differs. */
interface Given {
  leaf: PublicLeaf;
  differences: readonly Difference[];
}

const OTHER_EVENTS = 'The row holds, but it names other events than its own.';

/** One event gives the row. */
async function findEvent(given: PastedRow, log: PublicLog): Promise<FoundRow> {
  const { table, cells } = given;
  const link = linksIn(cells).event;
  const index = link === undefined ? null : indexOf(unmarked(link), table);
  const named = index === null ? [] : rowsOf(await eventAt(index, given, log), given);
  if (named.some(isSame)) return foundEvent(table, named.filter(isSame));
  const span = spanOf(given);
  const others = rowsOf(await log.between(span, typesOf(given)), given);
  if (others.some(isSame)) return foundEvent(table, others.filter(isSame));
  // Nobody sees whether an event that stays a hash gives the row.
  if (named.length === 0) await assertAllPublic(given, span, log);
  const nearest = nearestOf([...named, ...others]);
  if (!nearest) throw await nothingThere(given, span.from, log);
  const { event } = nearest.leaf;
  const isOther = nearest.differences.every(({ column }) => isLink(column));
  const words = !isOther
    ? `Event ${formatNumber(event.seq)}, ${formatToken(event.type)} of ${formatMoment(event.timestamp)}, gives another row.`
    : index === null || index === event.seq
      ? OTHER_EVENTS
      : `Event ${formatNumber(event.seq)} gives this row, and not event ${formatNumber(index)}.`;
  throw contradicted(words, nearest.differences, event.seq);
}

function foundEvent(table: HistoryTable, same: readonly Given[]): FoundRow {
  const { leaf } = same[0]!;
  const { seq, type, timestamp } = leaf.event;
  const exactly = table.row.beyond ? 'gives this row' : 'gives exactly this row';
  const more =
    same.length === 1
      ? ''
      : ` So do ${formatCount(same.length - 1, 'other event')} of the same content: the file has the row ${same.length} times.`;
  const words = `Event ${formatNumber(seq)}, ${formatToken(type)} of ${formatMoment(timestamp)}, ${exactly}.${more}`;
  return { leaves: [leaf], words };
}

/** The event that a row names. */
async function eventAt(index: number, given: PastedRow, log: PublicLog): Promise<PublicLeaf[]> {
  if (index >= log.size)
    throw notChecked(
      'newer',
      `The row names event ${formatNumber(index)}, which is later than the checkpoint of this host.`,
      {
        place: `event ${index}`,
        expected: `one of the ${counted(log.size, 'event')} of the checkpoint`,
        found: `${index}`,
      },
    );
  const leaf = await log.event(index);
  return leaf && typesOf(given).includes(leaf.event.type) ? [leaf] : [];
}

/** The events of its day, or of its deliberation from the opening to the close, give the row together. */
async function findTogether(given: PastedRow, log: PublicLog): Promise<FoundRow> {
  const { table, cells } = given;
  const isDay = table.row.from === 'day';
  const span = isDay
    ? spanOf(given)
    : { from: assertTime(cells.opened!, table), to: assertTime(cells.closed!, table) };
  const ends = isDay ? await endsOfDay(given, dayOf(span.from), log) : null;
  const all = await log.between(span, typesOf(given));
  const leaves = isDay ? all : all.filter(({ event }) => event.data.deliberation === unmarked(cells.id!));
  await assertAllPublic(given, span, log);
  const leaf = leaves.at(-1);
  if (!leaf) throw await nothingThere(given, isDay ? span.from : span.to, log);
  const rows = foldRows(leaves, table).map((row) => (isDay ? { ...row, links: ends } : row));
  const nearest = nearestOf(rows.map((row) => ({ leaf, differences: differences(row, given) })));
  const last = leaf.event.seq;
  if (!nearest?.differences.every(({ column }) => isLink(column)))
    throw contradicted('The public events of the row give another one.', nearest?.differences ?? [], last);
  if (nearest.differences.length > 0) throw contradicted(OTHER_EVENTS, nearest.differences, last);
  if (isDay && !ends && Object.keys(linksIn(cells)).length > 0) throw unknownLinks(given);
  const whose = isDay ? dayOf(span.from) : `deliberation ${unmarked(cells.id!)}`;
  const which = isDay
    ? `, from event ${formatNumber(leaves[0]!.event.seq)} to event ${formatNumber(last)}`
    : `: its opening, the positions, and its close, event ${formatNumber(last)}`;
  const words = `${formatCount(leaves.length, 'public event')} of ${whose} give this row${which}. It is exactly theirs if this host withholds none.`;
  return { leaves, words };
}

/** The first and the last event of a day that is over; null: this host has no index that says which they are. */
async function endsOfDay({ table }: PastedRow, day: string, log: PublicLog): Promise<number[] | null> {
  if (!(await log.isOver(day))) throw newerThan(table, day, 'a day that is over');
  const known = await log.day(day);
  return known && [known.first, known.end - 1];
}

/** The rows that the state has after these events alone, with the events that they name. */
function foldRows(
  leaves: readonly PublicLeaf[],
  { artifact }: HistoryTable,
): Pick<LogRow, 'text' | 'links'>[] {
  let state = emptyState();
  for (const leaf of leaves) state = apply(state, leaf);
  const events = artifact.dayEvents?.(state);
  return artifact.dayRows!(state).map((text, at) => ({ text: withoutEnd(text), links: events?.[at] ?? [] }));
}

/** The rows that events give one by one. */
function rowsOf(leaves: readonly PublicLeaf[], given: PastedRow): Given[] {
  return leaves.flatMap((leaf) =>
    given.table.artifact.rows(leaf).map((text) => {
      const row = { text: withoutEnd(text), links: [leaf.event.seq] };
      return { leaf, differences: differences(row, given) };
    }),
  );
}

function isSame({ differences }: Given): boolean {
  return differences.length === 0;
}

/** In what a row differs from one that the log gives, but for columns that follow from other events as well. */
function differences(row: Pick<LogRow, 'text' | 'links'>, { table, form, cells }: PastedRow): Difference[] {
  return differencesOf(table, form, { row, cells })
    .filter(({ column }) => !table.row.beyond?.includes(column))
    .map(({ column, expected, found }) => ({
      column,
      expected: shownCell(expected),
      found: shownCell(found),
    }));
}

/** The row that differs least. */
function nearestOf(rows: readonly Given[]): Given | undefined {
  return rows.toSorted((one, other) => one.differences.length - other.differences.length)[0];
}

/** The row may be that of an event which stays a hash. Throws Refused. */
async function assertAllPublic(given: PastedRow, span: Span, log: PublicLog): Promise<void> {
  const types = typesOf(given);
  if ((await log.withheldOn(types, span)).size === 0) return;
  throw notChecked(
    'hashed',
    'Some events of this type and time have members that no public file shows, so they stay hashes. The row may follow from one of them.',
    {
      place: `/${given.table.path}`,
      expected: `only public events of the types ${formatList(types)}`,
      found: 'some that stay hashes',
    },
  );
}

function typesOf({ table: { row, types }, cells }: PastedRow): readonly string[] {
  return row.types === 'every' ? [cells.event_type ?? ''] : (row.types ?? types);
}

/** From when to when the events of a row may have happened. */
function spanOf({ table, cells }: PastedRow): Span {
  const time = cells[table.time]!;
  if (DATE.test(time) && !Number.isNaN(Date.parse(time)))
    return { from: `${time}T00:00:00Z`, to: `${time}T23:59:59.999999999Z` };
  assertTime(time, table);
  return { from: time, to: time };
}

function assertTime(time: string, { path, time: column }: HistoryTable): string {
  if (TIMESTAMP.test(time) && !Number.isNaN(Date.parse(time))) return time;
  throw notChecked('unrecognised', 'The row has no time by which its event could be found.', {
    place: `/${path}, column ${column}`,
    expected: 'a date, or a time in UTC such as 2026-05-01T06:00:00Z',
    found: JSON.stringify(time.slice(0, 80)),
  });
}

/** Without the index, nobody sees where the day begins and ends: it may do so with events that stay hashes. */
function unknownLinks({ table: { path }, cells }: PastedRow): Refused {
  const names = formatList(Object.keys(linksIn(cells)));
  return notChecked(
    'not_published',
    `All other columns are proved, but this host has no index that says which ${names} are.`,
    { place: `/${path}, ${names}`, expected: 'an index of the month of the row', found: 'none' },
  );
}

function indexOf(json: string, { path }: HistoryTable): number {
  if (/^(?:0|[1-9]\d{0,14})$/.test(json)) return Number(json);
  throw notChecked('unrecognised', 'The row does not name an event by its index.', {
    place: `/${path}, column event`,
    expected: 'the index of an event',
    found: json.slice(0, 80),
  });
}

/** No public event gives a row at this time. */
async function nothingThere(given: PastedRow, from: string, log: PublicLog): Promise<Error> {
  const { table, cells } = given;
  const newest = await log.newest();
  if (newest === null || compareTimestamps(from, newest) > 0)
    return newerThan(table, from, `a time up to ${newest ?? 'the newest public event'}`);
  const types = typesOf(given).map((type) => formatToken(type));
  return contradicted(
    `The log has no public event of the type ${formatList(types)} at this time.`,
    [{ column: table.time, expected: 'the time of an event', found: cells[table.time]! }],
    null,
  );
}

function newerThan({ path, time }: HistoryTable, found: string, expected: string): Refused {
  return notChecked(
    'newer',
    'The row is later than the newest public event of this host’s checkpoint. Try again after the next release.',
    { place: `/${path}, column ${time}`, expected, found },
  );
}
