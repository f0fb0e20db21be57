import type { KnownType } from '../../ledger/events/event.ts';
import { DECISIONS } from '../../ledger/log/public-events.ts';
import { formatAmount, parseAmount } from '../../model/amount.ts';
import { dayOf } from '../../model/window.ts';
import { formatCount } from '../../words/number.ts';
import { formatList } from '../../words/phrase.ts';
import {
  type Cells,
  type Compared,
  compareRows,
  leftAsSentences,
  type RowFinding,
  type RowRules,
} from './compare-rows.ts';
import { type HistoryFile, type OtherFile, readHistoryFile } from './history-file.ts';
import { DayRows, eventRows, type HistoryRow, type HistoryRows, type OnProgress } from './history-rows.ts';
import {
  type Difference,
  differencesOf,
  type HistoryForm,
  type HistoryTable,
  linksOf,
  parseCells,
  parseLinks,
  shownCell,
  unmarked,
} from './history-tables.ts';
import type { RowText } from './lines.ts';
import type { PublicLog } from './public-log.ts';
import { compareTimes, RowFinder } from './row-finder.ts';

/** `cannot_be_checked`: nothing was found wrong, and something could not be compared. */
export type Verdict = 'proved' | 'does_not_hold' | 'cannot_be_checked';

export interface HistoryVerdict {
  verdict: Verdict;
  /** The history that the file is; null: none. */
  path: string | null;
  form: HistoryForm | null;
  /** Rows read, and how many of them follow from the log as they are. */
  rows: number;
  proved: number;
  findings: RowFinding[];
  /** Why something could not be checked, as sentences. */
  unchecked: string[];
  /** What the check covers, as sentences. */
  notes: string[];
  /** There were too many findings to read the file to its end. */
  isAbandoned: boolean;
}

export interface HistoryOptions {
  /** The history that the file has to be; by default the one that its first line shows. */
  path?: string | null;
  onProgress?: OnProgress;
}

/** Why a row without a public event may still be one of the history. */
const HIDDEN = 'of days with events that stay hashes, because they have members that no public file shows';
/** Rows whose supply at the beginning is compared. */
const SUPPLY_ROWS = 3;

/**
 * Columns that follow from the supply at the beginning, which a genesis event that stays a hash does not show. A supply history shows it
 * itself, unless a mint stays a hash, too.
 */
const OF_SUPPLY: Readonly<Record<string, readonly string[]>> = {
  'economy/supply-by-day.csv': ['total_supply', 'circulating'],
  'economy/mii-by-day.csv': ['threshold', 'minting_active'],
};

/** The types of events that a history follows from and that stay hashes. */
function hashedTypes({ types }: HistoryTable): KnownType[] {
  return types.filter((type) => !DECISIONS[type].public);
}

/**
 * Verifies a whole public history against a log, without a key: that each row follows from the log’s public events, and that no row
 * is missing. Reads the file once and keeps a chunk of it; of a history by day, it keeps the rows that follow from the log. Throws
 * log_invalid and the errors of `log`.
 */
export async function verifyHistory(
  chunks: AsyncIterable<Uint8Array>,
  log: PublicLog,
  options: HistoryOptions = {},
): Promise<HistoryVerdict> {
  const file = await readHistoryFile(chunks, options.path);
  if (!('table' in file)) return unlike(file);
  const hashed = hashedTypes(file.table);
  const isCounted = file.table.path === COUNTS;
  if (hashed.length > 0 && !isCounted) return fromHashed(file, hashed);
  const first = await firstRows(file);
  const hidesGenesis = file.table.types.includes('genesis') && (await hasHiddenGenesis(log));
  const showsMints = hidesGenesis && (await log.withheldOn(['mic_mint'])).size === 0;
  const supply = showsMints ? await supplyBefore(file, log, first) : null;
  const rows = file.table.artifact.dayRows
    ? await DayRows.fold(log, file.table, { supply: supply ?? 0n, onProgress: options.onProgress })
    : await eventRows(log, file.table);
  const rules = new HistoryRules(file, { log, rows, hidesGenesis, supply, logEnd: await log.newest() });
  const finder = new RowFinder(rows);
  const compared = await compareRows(file.rows, finder, rules, {
    ...(file.asOf === null ? {} : { start: await startOf(file.asOf, file.table, finder) }),
    read: first,
    onProgress(next) {
      const left = next === null ? 0 : log.size * finder.olderThan(next);
      options.onProgress?.({ stage: 'comparing', done: Math.round(log.size - left), total: log.size });
    },
  });
  const verdict = await verdictOf(file, rules, compared, finder);
  if (file.asOf === null || !(await isAfter(file.asOf, log))) return verdict;
  const unchecked = `The file says that it is of ${file.asOf}, after the log’s checkpoint: rows of the events since then may be missing.`;
  return {
    ...verdict,
    verdict: verdict.verdict === 'proved' ? 'cannot_be_checked' : verdict.verdict,
    unchecked: [...verdict.unchecked, unchecked],
  };
}

/** Whether the log has no event on the day of this time, nor later ones that are public. Those of its last day may all stay hashes. */
async function isAfter(time: string, log: PublicLog): Promise<boolean> {
  const newest = await log.newest();
  const isLater = newest === null || dayOf(time) > dayOf(newest);
  return isLater && (await log.day(dayOf(time))) === null;
}

/** Without the release’s index, the first event may be one. */
async function hasHiddenGenesis(log: PublicLog): Promise<boolean> {
  if (log.size === 0 || (await log.events(0))[0]) return false;
  const covered = await log.bundlesWith([]);
  return covered(0) || (await log.withheldOn(['genesis'])).size > 0;
}

/** The history of counts by type: of the types that stay hashes, only the publisher knows the number. */
const COUNTS = 'academics/events-by-day.csv';

function unlike({ path, reason }: OtherFile): HistoryVerdict {
  return { ...NOTHING, path, unchecked: [`The file cannot be compared: ${reason}.`] };
}

const NOTHING: HistoryVerdict = {
  verdict: 'cannot_be_checked',
  path: null,
  form: null,
  rows: 0,
  proved: 0,
  findings: [],
  unchecked: [],
  notes: [],
  isAbandoned: false,
};

function fromHashed({ table, form }: HistoryFile, hashed: readonly KnownType[]): HistoryVerdict {
  const others = table.types.filter((type) => !hashed.includes(type));
  const reason = `${table.path} follows from ${formatList(hashed)} events too, of which the log shows only hashes.`;
  const rest =
    others.length === 0
      ? []
      : [`Its events of the types ${formatList(others)} are public, but no column follows from them alone.`];
  return { ...NOTHING, path: table.path, form, unchecked: [reason, ...rest] };
}

/** The rows that say which supply the file begins with. */
async function firstRows({ rows }: HistoryFile): Promise<RowText[]> {
  const first: RowText[] = [];
  for (let row = await rows.peek(); row && first.length < SUPPLY_ROWS; row = await rows.peek()) {
    first.push(row);
    rows.skip();
  }
  return first;
}

/**
 * The supply at the beginning as a supply history states it: what two of its first rows have beyond the mints up to their day. Null
 * for another history.
 */
async function supplyBefore(
  { table, form }: HistoryFile,
  log: PublicLog,
  first: readonly RowText[],
): Promise<bigint | null> {
  const stated = first.flatMap(({ text }) => {
    const { date, total_supply: total = '' } = parseCells(table, form, text) ?? {};
    const digits = unmarked(total);
    return date && /^\d+(\.\d{1,6})?$/.test(digits) ? [{ date, total: parseAmount(digits), minted: 0n }] : [];
  });
  if (stated.length === 0) return null;
  for (let number = 0; number < log.bundles; number += 1)
    for (const leaf of await log.events(number)) {
      if (leaf?.event.type !== 'mic_mint') continue;
      const { timestamp, data } = leaf.event;
      for (const row of stated)
        if (dayOf(timestamp) <= row.date) row.minted += parseAmount((data as { amount: string }).amount);
    }
  const [one, ...others] = stated.map(({ total, minted }) => total - minted);
  return others.find((other, index) => others.indexOf(other) !== index) ?? one!;
}

/** A JSON history says up to when it has rows. */
function startOf(asOf: string, { artifact }: HistoryTable, finder: RowFinder<HistoryRow>) {
  return finder.newestWhere(({ time, timestamp }) =>
    artifact.dayRows ? dayOf(time) < dayOf(asOf) : compareTimes(timestamp, asOf) <= 0,
  );
}

interface Source {
  log: PublicLog;
  rows: HistoryRows;
  hidesGenesis: boolean;
  /** At the beginning, as the file states it; null: not known, or not needed. */
  supply: bigint | null;
  /** The time of the log’s newest public event. */
  logEnd: string | null;
}

/** What the rows of a history mean, and which of them may follow from events that stay hashes. */
class HistoryRules implements RowRules<HistoryRow> {
  readonly #form: HistoryForm;
  readonly #table: HistoryTable;
  readonly source: Source;
  /** Columns that cannot be compared. */
  readonly masked: readonly string[];
  /** Days with events that stay hashes, once a row differs. */
  #withheld: Promise<ReadonlySet<string>> | null = null;

  constructor({ table, form }: HistoryFile, source: Source) {
    [this.#table, this.#form, this.source] = [table, form, source];
    const isSupplyUnknown = source.hidesGenesis && source.supply === null;
    this.masked = isSupplyUnknown ? (OF_SUPPLY[table.path] ?? []) : [];
  }

  get table(): string {
    return this.#table.path;
  }

  cells(text: string): Cells | null {
    return parseCells(this.#table, this.#form, text);
  }

  timeOf(cells: Cells): string | null {
    const time = cells[this.#table.time]!;
    return TIME.test(time) ? time : null;
  }

  isSame(row: HistoryRow, text: string): boolean {
    if (this.#form !== 'ndjson' && row.text === text) return true;
    const cells = this.cells(text);
    return cells !== null && this.differences(row, cells, text).length === 0;
  }

  differences(row: HistoryRow, cells: Cells, text: string): string[] {
    const changed = this.#changed(row, cells).map(
      ({ column, expected, found }) =>
        `${column} of ${describe(row)}: the log gives ${shownCell(expected)}, the row has ${shownCell(found)}`,
    );
    return [...changed, ...this.#wrongLinks(row, text)];
  }

  #changed({ text }: HistoryRow, cells: Cells): Difference[] {
    const differences = differencesOf(this.#table, this.#form, { text, cells });
    return differences.filter(({ column }) => !this.masked.includes(column));
  }

  /** The events that a row of JSON lines names, as far as they are not those of the log. */
  #wrongLinks({ links }: HistoryRow, text: string): string[] {
    if (links === null || this.#form !== 'ndjson') return [];
    const expected = linksOf(this.#table, links);
    return Object.entries(parseLinks(text))
      .filter(([name, found]) => found !== expected[name])
      .map(
        ([name, found]) =>
          `${name}: the log gives ${shownCell(expected[name] ?? '')}, the row has ${shownCell(found)}`,
      );
  }

  isEdit(row: HistoryRow, cells: Cells): boolean {
    const changed = this.#changed(row, cells).map(({ column }) => column);
    if (changed.length <= 1) return true;
    const { key, time } = this.#table;
    if (key.length > 0) return !key.some((name) => changed.includes(name));
    return cells[time] === row.time && changed.length * 2 < Object.keys(cells).length;
  }

  nameOf(row: HistoryRow): string {
    return `the row of ${describe(row)}`;
  }

  nameOfMissing(oldest: HistoryRow, newest: HistoryRow, count: number): string {
    if (count === 1) return this.nameOf(newest);
    return `${formatCount(count, 'row')} of the log, ${describe(oldest)} to ${describe(newest)},`;
  }

  /** The counts of types whose events stay hashes; the genesis event may be one though its type is public. */
  exempts(cells: Cells): string | null {
    if (this.#table.path !== COUNTS) return null;
    const type = cells.event_type!;
    const isCounted = Object.hasOwn(DECISIONS, type) && DECISIONS[type as KnownType].public;
    return isCounted && !this.#isOfGenesis(cells) ? null : 'of types whose events stay hashes';
  }

  async excusesEdit(row: HistoryRow, isInNewestBlock: boolean): Promise<string | null> {
    // Events after the checkpoint may have changed the numbers of its last day.
    if (isInNewestBlock && this.source.rows.endsOpen) return 'of a day that was not over at the checkpoint';
    return this.#table.artifact.dayRows && (await this.#isHidden(dayOf(row.time))) ? HIDDEN : null;
  }

  /** An event that stays a hash may give the same row. */
  async excusesRepeat(row: HistoryRow): Promise<string | null> {
    return !this.#table.artifact.dayRows && (await this.#isHidden(dayOf(row.time))) ? HIDDEN : null;
  }

  /** The row of a day without a public event. */
  unchanged(cells: Cells): HistoryRow | null {
    const time = cells[this.#table.time]!;
    const text = this.#table.artifact.dayRows && isDate(time) ? this.source.rows.carried(time) : null;
    return text === null ? null : { text, time, event: null, links: null, timestamp: time };
  }

  async explain(cells: Cells): Promise<string | Omit<RowFinding, 'line'>[]> {
    const time = this.timeOf(cells);
    const column = this.#table.time;
    if (time === null)
      return [{ kind: 'unreadable', message: `${column} is not a time: ${shownCell(cells[column]!)}` }];
    if (this.#isAfterLog(time)) return 'newer than the log’s newest public event';
    if (this.#isOfGenesis(cells)) return 'of the genesis event, which stays a hash';
    if (await this.#isHidden(dayOf(time))) return HIDDEN;
    const message = `no public event of the log gives a row of ${shownCell(time)} with these cells`;
    return [{ kind: 'added', message }];
  }

  /** Whether the log’s public events end before this time. */
  #isAfterLog(time: string): boolean {
    const { logEnd } = this.source;
    return logEnd === null || compareTimes(time, isDate(time) ? dayOf(logEnd) : logEnd) > 0;
  }

  #isOfGenesis(cells: Cells): boolean {
    return this.source.hidesGenesis && [cells.reason, cells.event_type].includes('genesis');
  }

  /** Whether a row of this day may follow from an event that stays a hash though its type is public. */
  async #isHidden(date: string): Promise<boolean> {
    this.#withheld ??= this.source.log.withheldOn(this.#table.types.filter((type) => type !== 'genesis'));
    const days = await this.#withheld;
    return this.#table.artifact.dayRows ? [...days].some((day) => day <= date) : days.has(date);
  }
}

async function verdictOf(
  { table, form }: HistoryFile,
  { masked, source }: HistoryRules,
  compared: Compared,
  finder: RowFinder<HistoryRow>,
): Promise<HistoryVerdict> {
  const { findings, rows, proved, isAbandoned } = compared;
  const unchecked = leftAsSentences(compared);
  if (masked.length > 0)
    unchecked.push(
      `The columns ${formatList(masked)} cannot be checked: they follow from the first supply, and the genesis event that states it stays a hash.`,
    );
  if (source.supply !== null)
    unchecked.push(
      `The first supply cannot be checked, since the genesis event stays a hash: the rows follow from the log if it was ${formatAmount(source.supply)} MIC.`,
    );
  const verdict =
    findings.length > 0 ? 'does_not_hold' : unchecked.length > 0 ? 'cannot_be_checked' : 'proved';
  const notes = [...(await ageNotes(compared, table, source, finder)), ...notesOf(compared, { table, form })];
  return { verdict, path: table.path, form, rows, proved, findings, unchecked, notes, isAbandoned };
}

/** Whether the file is of an earlier release. */
async function ageNotes(
  { newest, left }: Compared,
  { artifact }: HistoryTable,
  { rows }: Source,
  finder: RowFinder<HistoryRow>,
): Promise<string[]> {
  const newer = newest === null ? null : await finder.newer(newest);
  // Newer rows of days may have been left because an event stays a hash.
  if (newer === null || (artifact.dayRows && left.has(HIDDEN))) return [];
  if (rows.endsOpen && finder.isInNewestBlock(newer)) return [];
  const [from, to] = [await finder.at(newest!), await finder.at((await finder.newest())!)];
  return [
    `The file is of an earlier release: it begins with ${describe(from)}, and the log goes on to ${describe(to)}. It was verified up to its own end.`,
  ];
}

function notesOf({ unchanged }: Compared, { table, form }: Pick<HistoryFile, 'table' | 'form'>): string[] {
  const { dayRows, dayEvents } = table.artifact;
  const notes: string[] = [];
  if (form === 'ndjson' && dayRows && !dayEvents)
    notes.push('first_event and last_event were not compared: they may be events that stay hashes.');
  if (unchanged > 0)
    notes.push(
      `${formatCount(unchanged, 'row')} ${unchanged === 1 ? 'is' : 'are'} of days without a public event: the numbers hold, and that such a day had an event at all cannot be seen.`,
    );
  return notes;
}

function describe({ event, time, timestamp }: HistoryRow): string {
  return event === null ? time : `event ${event}, ${timestamp}`;
}

const TIME = /^\d{4}-\d\d-\d\d(T\d\d:\d\d:\d\d(\.\d+)?Z)?$/;
const DATE = /^\d{4}-\d\d-\d\d$/;

function isDate(text: string): boolean {
  return DATE.test(text);
}
