import { plainDigits } from '../../artifacts/format/csv.ts';
import type { Finding } from '../../errors.ts';
import { csvCells } from '../../formats/csv-cells.ts';
import { compareTimestamps } from '../../ledger/events/timestamp.ts';
import type { PublicLeaf } from '../../ledger/log/public-bundle.ts';
import { apply } from '../../model/fold.ts';
import { emptyState } from '../../model/state.ts';
import { dayOf } from '../../model/window.ts';
import { formatMoment } from '../../words/moment.ts';
import { formatCount, formatNumber } from '../../words/number.ts';
import { formatList, formatToken } from '../../words/phrase.ts';
import { parseObject } from '../audit/export-row.ts';
import { type Candidate, canonical, type PastedForm, type PastedRow } from './pasted.ts';
import type { ProvableHistory } from './provable-histories.ts';
import type { PublicLog } from './public-log.ts';

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

/** A column in which the row differs from what the log gives. */
export interface Difference {
  column: string;
  expected: string;
  found: string;
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
  history: ProvableHistory;
  leaves: readonly PublicLeaf[];
  words: string;
}

/**
 * Finds the events that give a row. The row holds for the first of its histories for which it does; if for none, the history whose row is
 * nearest says why. Throws NotChecked, Contradicted, and the errors of reading the log.
 */
export async function findRow(row: PastedRow, log: PublicLog): Promise<FoundRow> {
  if (!(await log.policy()))
    throw new NotChecked('not_published', 'This host publishes no events, only their hashes.', {
      place: 'the log',
      expected: 'the public events of the log',
      found: 'none',
    });
  const refused: Error[] = [];
  for (const candidate of row.candidates) {
    try {
      return await findIn(candidate, row, log);
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

async function findIn(candidate: Candidate, row: PastedRow, log: PublicLog): Promise<FoundRow> {
  await assertPublic(candidate, log);
  switch (candidate.history.origin) {
    case 'event':
      return findEvent(candidate, row, log);
    case 'day':
      return findDay(candidate, row, log);
    case 'deliberation':
      return findDeliberation(candidate, row, log);
    case 'everything':
      throw followsFromMore(candidate);
  }
}

async function assertPublic({ history, cells }: Candidate, log: PublicLog): Promise<void> {
  const { types: decisions } = (await log.policy())!;
  const types = history.types === 'every' ? [cells.event_type ?? ''] : history.types;
  if (history.origin === 'everything') return;
  const hashed = types.find((type) => !decisions[type]?.public);
  if (hashed === undefined) return;
  const reason = decisions[hashed]?.reason ?? 'Nothing is known about its content.';
  throw new NotChecked('hashed', `Events of the type ${hashed} are published only as hashes. ${reason}`, {
    place: `/${history.path}`,
    expected: 'events whose lines are published',
    found: `events of the type ${hashed}, published as hashes`,
  });
}

function followsFromMore({ history: { path, title } }: Candidate): NotChecked {
  return new NotChecked(
    'follows_from_more',
    `A row of ${title} follows from all events before it. Choose or drop the whole file: it is compared with the signed one, and if all its events are public, every row is computed again.`,
    {
      place: `/${path}`,
      expected: 'a row that follows from its own events',
      found: 'one that follows from all events before it',
    },
  );
}

/** One event gives the row. */
async function findEvent(candidate: Candidate, row: PastedRow, log: PublicLog): Promise<FoundRow> {
  const { history, cells, links } = candidate;
  const named = links.event === undefined ? null : indexOf(links.event, history);
  const given = named === null ? [] : await eventAt(named, candidate, log);
  const own = given.filter((leaf) => isSame(row.form, history, cells, leaf));
  if (own.length > 0) return { history, leaves: own, words: eventWords(own, history) };
  const [from, to] = spanOf(history, cells);
  const leaves = await log.between({ from, to }, typesOf(candidate));
  const same = leaves.filter((leaf) => isSame(row.form, history, cells, leaf));
  if (same.length > 0 && named === null)
    return { history, leaves: [same[0]!], words: eventWords(same, history) };
  // Two events may give the same row, and nobody sees whether one that stays a hash does.
  if (given.length === 0) await assertAllPublic(candidate, [from, to], log);
  if (same.length > 0)
    throw new Contradicted(
      `Event ${formatNumber(same[0]!.event.seq)} gives this row, and not event ${formatNumber(named!)}.`,
      [{ column: 'event', expected: `${same[0]!.event.seq}`, found: `${named}` }],
      same[0]!.event.seq,
    );
  const nearest = nearestOf(row.form, history, cells, [...given, ...leaves]);
  if (nearest) throw nearest;
  throw await nothingThere(candidate, from, log);
}

/** The event that a row names. */
async function eventAt(index: number, candidate: Candidate, log: PublicLog): Promise<PublicLeaf[]> {
  const { size } = log.checkpoint;
  const place = `event ${index}`;
  if (index >= size)
    throw new NotChecked(
      'newer',
      `The row names event ${formatNumber(index)}, which is later than the checkpoint of this host.`,
      {
        place,
        expected: `one of the ${size} events of the checkpoint`,
        found: `${index}`,
      },
    );
  const leaf = await log.event(index);
  return leaf && typesOf(candidate).includes(leaf.event.type) ? [leaf] : [];
}

/** The events of its day give the row. */
async function findDay(candidate: Candidate, row: PastedRow, log: PublicLog): Promise<FoundRow> {
  const { history, cells, links } = candidate;
  const [from, to] = spanOf(history, cells);
  const day = dayOf(from);
  const known = await log.day(day);
  const newest = known ? null : await log.newest();
  const isOver = known ? known.end < log.checkpoint.size : newest !== null && dayOf(newest) > day;
  if (!isOver) throw newerThan(history, day, 'a day that is over');
  const leaves = await log.between({ from, to }, typesOf(candidate));
  await assertAllPublic(candidate, [from, to], log);
  if (leaves.length === 0) throw await nothingThere(candidate, from, log);
  const rows = foldDay(history, leaves);
  if (rows.some(({ text }) => differences(row.form, history, cells, text).length === 0)) {
    const own = known && { first_event: `${known.first}`, last_event: `${known.end - 1}` };
    if (own) assertLinks(links, own, leaves.at(-1)!.event.seq);
    return {
      history,
      leaves,
      words: `${formatCount(leaves.length, 'public event')} of ${day} give this row, from event ${formatNumber(leaves[0]!.event.seq)} to event ${formatNumber(leaves.at(-1)!.event.seq)}. It is exactly theirs if this host withholds none.`,
    };
  }
  throw contradictedBy(row.form, history, cells, rows, leaves.at(-1)!.event.seq);
}

/** The events of its deliberation give the row, from the opening to the close. */
async function findDeliberation(candidate: Candidate, row: PastedRow, log: PublicLog): Promise<FoundRow> {
  const { history, cells, links } = candidate;
  const [id, opened, closed] = ['id', 'opened', 'closed'].map((name) => textOf(cells[name]!));
  const [from, to] = [opened, closed].map((time) => assertTime(time!, history));
  const all = await log.between({ from: from!, to: to! }, typesOf(candidate));
  const leaves = all.filter(({ event }) => event.data.deliberation === id);
  await assertAllPublic(candidate, [from!, to!], log);
  if (leaves.length === 0) throw await nothingThere(candidate, to!, log);
  const rows = foldDay(history, leaves);
  const same = rows.find(({ text }) => differences(row.form, history, cells, text).length === 0);
  if (same) {
    const [event, opened_event, ...position_events] = same.events;
    const own = {
      event: `${event}`,
      opened_event: `${opened_event}`,
      position_events: canonical(position_events),
    };
    assertLinks(links, own, leaves.at(-1)!.event.seq);
    return {
      history,
      leaves,
      words: `${formatCount(leaves.length, 'public event')} of deliberation ${id} give this row: its opening, the positions, and its close, event ${formatNumber(leaves.at(-1)!.event.seq)}. It is exactly theirs if this host withholds none.`,
    };
  }
  throw contradictedBy(row.form, history, cells, rows, leaves.at(-1)!.event.seq);
}

/** The row may be that of an event which stays a hash. Throws NotChecked. */
async function assertAllPublic(
  candidate: Candidate,
  [from, to]: [from: string, to: string],
  log: PublicLog,
): Promise<void> {
  const types = typesOf(candidate);
  if ((await log.withheldOn(types, { from, to })).size === 0) return;
  const names = formatList(types);
  throw new NotChecked(
    'hashed',
    'Some events of this type and time have members that no public file shows, so they stay hashes. The row may follow from one of them.',
    {
      place: `/${candidate.history.path}`,
      expected: `only public events of the types ${names}`,
      found: 'some that stay hashes',
    },
  );
}

function typesOf({ history: { types }, cells }: Candidate): readonly string[] {
  return types === 'every' ? [cells.event_type!] : types;
}

const DATE = /^\d{4}-\d\d-\d\d$/;
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/;

/** From when to when the events of a row may have happened. */
function spanOf(history: ProvableHistory, cells: Candidate['cells']): [from: string, to: string] {
  const time = history.form === 'json' ? textOf(cells[history.time]!) : cells[history.time]!;
  if (DATE.test(time) && !Number.isNaN(Date.parse(time)))
    return [`${time}T00:00:00Z`, `${time}T23:59:59.999999999Z`];
  return [assertTime(time, history), time];
}

function assertTime(time: string, { path, time: column }: ProvableHistory): string {
  if (TIME.test(time) && !Number.isNaN(Date.parse(time))) return time;
  throw new NotChecked('unrecognised', 'The row has no time by which its event could be found.', {
    place: `/${path}, column ${column}`,
    expected: 'a date, or a time in UTC such as 2026-05-01T06:00:00Z',
    found: JSON.stringify(time.slice(0, 80)),
  });
}

function textOf(json: string): string {
  return json.startsWith('"') ? (JSON.parse(json) as string) : json;
}

/** The rows that the state has after these events alone, with the events that they name. */
function foldDay(
  { artifact }: ProvableHistory,
  leaves: readonly PublicLeaf[],
): { text: string; events: readonly number[] }[] {
  let state = emptyState();
  for (const leaf of leaves) state = apply(state, leaf);
  const events = artifact.dayEvents?.(state);
  return artifact.dayRows!(state).map((text, at) => ({ text, events: events?.[at] ?? [] }));
}

/** The row must name its events as JSON lines do. Throws Contradicted. */
function assertLinks(given: Candidate['links'], own: Readonly<Record<string, string>>, event: number): void {
  const faults = Object.entries(given)
    .map(([column, found]) => ({ column, expected: own[column]!, found }))
    .filter(({ expected, found }) => expected !== found);
  if (faults.length > 0)
    throw new Contradicted('The row holds, but it names other events than its own.', faults, event);
}

function indexOf(json: string, { path }: ProvableHistory): number {
  if (/^(?:0|[1-9]\d{0,14})$/.test(json)) return Number(json);
  throw new NotChecked('unrecognised', 'The row does not name an event by its index.', {
    place: `/${path}, column event`,
    expected: 'the index of an event',
    found: json.slice(0, 80),
  });
}

function isSame(
  form: PastedForm,
  history: ProvableHistory,
  cells: Candidate['cells'],
  leaf: PublicLeaf,
): boolean {
  return history.artifact.rows(leaf).some((text) => differences(form, history, cells, text).length === 0);
}

/** The columns in which a row differs from one that the service would write. */
function differences(
  form: PastedForm,
  history: ProvableHistory,
  cells: Candidate['cells'],
  text: string,
): Difference[] {
  const own = cellsOf(history, text);
  return (
    Object.keys(history.columns)
      // JSON lines leave some columns out.
      .filter((column) => cells[column] !== undefined && !history.beyond.includes(column))
      .filter((column) => !isEqual(form, own[column]!, cells[column]!))
      .map((column) => ({ column, expected: own[column]!, found: cells[column]! }))
  );
}

function cellsOf(history: ProvableHistory, text: string): Record<string, string> {
  if (history.form === 'json')
    return Object.fromEntries(
      Object.entries(parseObject(text)!).map(([name, value]) => [name, canonical(value)]),
    );
  const [row] = csvCells(text);
  return Object.fromEntries(Object.keys(history.columns).map((name, at) => [name, row![at]!]));
}

/** A CSV cell is compared as it is written, a number of another format by its value: those drop zeros at the end. */
function isEqual(form: PastedForm, own: string, given: string): boolean {
  if (own === given) return true;
  return form !== 'csv' && isNumber(own) && isNumber(given) && plainDigits(own) === plainDigits(given);
}

function isNumber(text: string): boolean {
  return /^-?\d+(\.\d+)?(e[-+]?\d+)?$/i.test(text);
}

/** What the nearest of these events says instead; null if there is none. */
function nearestOf(
  form: PastedForm,
  history: ProvableHistory,
  cells: Candidate['cells'],
  leaves: readonly PublicLeaf[],
): Contradicted | null {
  const rows = leaves.flatMap((leaf) => history.artifact.rows(leaf).map((text) => ({ leaf, text })));
  if (rows.length === 0) return null;
  const [nearest] = rows
    .map(({ leaf, text }) => ({ leaf, faults: differences(form, history, cells, text) }))
    .toSorted((one, other) => one.faults.length - other.faults.length);
  const { leaf, faults } = nearest!;
  return new Contradicted(
    `Event ${formatNumber(leaf.event.seq)}, ${formatToken(leaf.event.type)} of ${formatMoment(leaf.event.timestamp)}, gives another row.`,
    faults,
    leaf.event.seq,
  );
}

function contradictedBy(
  form: PastedForm,
  history: ProvableHistory,
  cells: Candidate['cells'],
  rows: readonly { text: string }[],
  event: number,
): Contradicted {
  const [nearest = []] = rows
    .map(({ text }) => differences(form, history, cells, text))
    .toSorted((one, other) => one.length - other.length);
  return new Contradicted('The public events of the row give another one.', nearest, event);
}

/** No public event gives a row at this time. */
async function nothingThere(candidate: Candidate, from: string, log: PublicLog): Promise<Error> {
  const { history, cells } = candidate;
  const newest = await log.newest();
  if (newest === null || compareTimestamps(from, newest) > 0)
    return newerThan(history, from, `a time up to ${newest ?? 'the newest public event'}`);
  const types = typesOf(candidate);
  const time = cells[history.time]!;
  return new Contradicted(
    `The log has no public event of the type ${formatList(types.map((type) => formatToken(type)))} at this time.`,
    [{ column: history.time, expected: 'the time of an event', found: time }],
    null,
  );
}

function newerThan({ path, time }: ProvableHistory, found: string, expected: string): NotChecked {
  return new NotChecked(
    'newer',
    'The row is later than the newest public event of this host’s checkpoint. Try again after the next release.',
    { place: `/${path}, column ${time}`, expected, found },
  );
}

function eventWords(leaves: readonly PublicLeaf[], { beyond }: ProvableHistory): string {
  const [{ event }] = leaves as [PublicLeaf];
  const exactly = beyond.length === 0 ? 'gives exactly this row' : 'gives this row';
  const more =
    leaves.length === 1
      ? ''
      : ` So do ${formatCount(leaves.length - 1, 'other event')} of the same content: the file has the row ${leaves.length} times.`;
  return `Event ${formatNumber(event.seq)}, ${formatToken(event.type)} of ${formatMoment(event.timestamp)}, ${exactly}.${more}`;
}
