import type { KnownType } from '../../ledger/events/event.ts';
import { DECISIONS } from '../../ledger/log/public-events.ts';
import { formatAmount, parseAmount } from '../../model/amount.ts';
import { dayOf } from '../../model/window.ts';
import { formatCount } from '../../words/number.ts';
import { formatList } from '../../words/phrase.ts';
import { type HistoryFile, type OtherFile, readHistoryFile } from './history-file.ts';
import {
  compareTimes,
  DayRows,
  eventRows,
  type LogRow,
  type LogRows,
  type OnProgress,
  type Place,
  RowFinder,
} from './history-rows.ts';
import {
  type Cells,
  cellsInForm,
  type HistoryForm,
  type HistoryTable,
  linksOf,
  parseCells,
  parseLinks,
} from './history-tables.ts';
import type { BytesOfPlatform, RowText } from './lines.ts';
import { bundlesOf, type PublicLog } from './public-log.ts';

/** `cannot_be_checked`: nothing was found wrong, and something could not be compared. */
export type Verdict = 'proved' | 'does_not_hold' | 'cannot_be_checked';

type FindingKind = 'edited' | 'added' | 'moved' | 'repeated' | 'missing' | 'unreadable';

interface RowFinding {
  /** Of the file, from 1. */
  line: number;
  kind: FindingKind;
  message: string;
}

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
  platform?: BytesOfPlatform;
  /** Prepares rows as bytes, ahead of the comparison. */
  rowBytes?: RowBytesAhead | null;
}

/** The rows of a block as bytes, each with its line end, and the offset of each and of the end. */
export interface BlockBytes {
  bytes: Uint8Array;
  ends: Uint32Array;
}

/** Makes the rows of the blocks of a history whose rows each state one event; the newest block is asked for first. */
export interface RowBytesAhead {
  /** Null: the block has to be read as events. `mayHave`: which older blocks will be asked for. */
  block(
    table: HistoryTable,
    number: number,
    mayHave: (number: number) => boolean,
  ): Promise<BlockBytes | null>;
}

/** Why a row without a public event may still be one of the history. */
const HIDDEN = 'of days with events that stay hashes, because they have members that no public file shows';
/** A file that has nothing to do with the log is not compared to its end. */
const MAX_FINDINGS = 1000;
/** How many rows that are not in the log may precede the first one that is. */
const MAX_WAITING = 1000;
/** Rows whose supply at the beginning is compared. */
const SUPPLY_ROWS = 3;
const PROGRESS_ROWS = 5000;
/** After so many rows in a row that differ, only parsed rows are compared. */
const MOST_USELESS = 1000;

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
  const file = await readHistoryFile(chunks, options.path, options.platform);
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
  const comparison = new Comparison(file, first, { log, rows, options, hidesGenesis, supply });
  return comparison.run();
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
    const digits = total.replace('#', '');
    return date && /^\d+(\.\d{1,6})?$/.test(digits) ? [{ date, total: parseAmount(digits), minted: 0n }] : [];
  });
  if (stated.length === 0) return null;
  for (let number = 0; number < bundlesOf(log); number += 1)
    for (const leaf of await log.events(number)) {
      if (leaf?.event.type !== 'mic_mint') continue;
      const { timestamp, data } = leaf.event;
      for (const row of stated)
        if (dayOf(timestamp) <= row.date) row.minted += parseAmount((data as { amount: string }).amount);
    }
  const [one, ...others] = stated.map(({ total, minted }) => total - minted);
  return others.find((other, index) => others.indexOf(other) !== index) ?? one!;
}

interface Source {
  log: PublicLog;
  rows: LogRows;
  options: HistoryOptions;
  hidesGenesis: boolean;
  supply: bigint | null;
}

/** Rows of the log without a row of the file, by place. */
interface MissingRange {
  newest: Place;
  oldest: Place;
  /** The line of the file that they should precede. */
  line: number;
}

/** Compares a file, newest row first, with the rows that follow from the log. */
class Comparison {
  readonly #file: HistoryFile;
  readonly #table: HistoryTable;
  readonly #source: Source;
  readonly #finder: RowFinder;
  /** Rows that were read and not compared yet. */
  readonly #waiting: RowText[];
  readonly #findings: RowFinding[] = [];
  /** Why rows could not be compared, with their number and the first of them. */
  readonly #unchecked = new Map<string, { rows: number; line: number }>();
  readonly #missing: MissingRange[] = [];
  readonly #masked: readonly string[];
  /** Days with events that stay hashes, once a row differs. */
  #withheld: Promise<ReadonlySet<string>> | null = null;
  /** Null: rows are compared one by one. */
  #bytes: RowBytesAhead | null;
  #open: { number: number; bytes: BlockBytes | null } | null = null;
  /** How often in a row no row was equal. */
  #useless = 0;
  #rows = 0;
  #proved = 0;
  #carried = 0;
  #line = 0;
  /** The place of the row expected next; null: the log has no more. */
  #next: Place | null = null;
  #newest: Place | null = null;
  /** The time of the last row that was compared. */
  #time: string | null = null;
  /** The time of the log’s newest public event. */
  #logEnd: string | null = null;

  constructor(file: HistoryFile, first: RowText[], source: Source) {
    this.#file = file;
    this.#table = file.table;
    this.#waiting = first;
    this.#source = source;
    this.#finder = new RowFinder(source.rows);
    this.#bytes = file.form === 'csv' ? (source.options.rowBytes ?? null) : null;
    const isSupplyUnknown = source.hidesGenesis && source.supply === null;
    this.#masked = isSupplyUnknown ? (OF_SUPPLY[file.table.path] ?? []) : [];
  }

  get #isAbandoned(): boolean {
    return this.#findings.length + this.#missing.length >= MAX_FINDINGS;
  }

  async run(): Promise<HistoryVerdict> {
    const isKnown = await this.#start();
    if (!isKnown) return this.#ofOtherLog();
    while (!this.#isAbandoned) {
      if (this.#waiting.length === 0) await this.#takeEqual();
      const row = this.#waiting.shift() ?? (await this.#readRow());
      if (!row) break;
      await this.#compare(row);
    }
    return this.#end();
  }

  async #readRow(): Promise<RowText | null> {
    const { rows } = this.#file;
    const row = rows.ready ?? (await rows.peek());
    if (row) rows.skip();
    return row;
  }

  async #following(): Promise<RowText | null> {
    return this.#waiting[0] ?? this.#file.rows.ready ?? (await this.#file.rows.peek());
  }

  /** Finds the row of the log that the file begins with. False: it has none of the log’s rows. */
  async #start(): Promise<boolean> {
    this.#logEnd = await this.#source.log.newest();
    const { asOf } = this.#file;
    if (asOf !== null) {
      const isByDay = this.#table.artifact.dayRows !== undefined;
      this.#startAt(
        await this.#finder.newestWhere(({ time, timestamp }) =>
          isByDay ? dayOf(time) < dayOf(asOf) : compareTimes(timestamp, asOf) <= 0,
        ),
      );
      return true;
    }
    for (let at = 0; at < MAX_WAITING; at += 1) {
      if (at === this.#waiting.length) {
        const row = await this.#readRow();
        if (!row) break;
        this.#waiting.push(row);
      }
      const place = await this.#placeOfRow(this.#waiting[at]!.text);
      if (place === null) continue;
      this.#startAt(await this.#before(place, at));
      return true;
    }
    // A short file may have no row as it was; one of the same time, or with most of its cells, will do.
    for (const [at, { text }] of this.#waiting.entries()) {
      const cells = this.#cells(text);
      const place = cells && (await this.#edited(cells, null));
      if (place === null || place === undefined) continue;
      this.#startAt(await this.#before(place, at));
      return true;
    }
    for (const { text } of this.#waiting) if (await this.#isExplained(text)) return true;
    if (this.#waiting.length === 0) this.#startAt(await this.#finder.newest());
    return this.#waiting.length === 0;
  }

  /** Whether a row without a row of the log is no sign of another log. */
  async #isExplained(text: string): Promise<boolean> {
    const cells = this.#cells(text);
    const time = cells?.[this.#table.time];
    if (!cells || time === undefined || !isTime(time)) return false;
    if (this.#isAfterLog(time) || this.#isOfGenesis(cells) || this.#isUncounted(cells)) return true;
    return (isDate(time) && this.#source.rows.carried(time) !== null) || this.#isHidden(dayOf(time));
  }

  #startAt(place: Place | null): void {
    this.#next = place;
    this.#newest = place;
  }

  /** Where a row of the file is in the log, exactly as it is. */
  async #placeOfRow(text: string): Promise<Place | null> {
    const cells = this.#cells(text);
    if (!cells) return null;
    const [place] = await this.#same(cells, text);
    return place ?? null;
  }

  /** The rows before the first one that is in the log may be edited ones of newer rows. */
  async #before(place: Place, rows: number): Promise<Place> {
    let newest = place;
    for (let at = rows - 1; at >= 0; at -= 1) {
      const cells = this.#cells(this.#waiting[at]!.text);
      if (cells && this.#isUncounted(cells)) continue;
      const newer = await this.#finder.newer(newest);
      if (newer === null || !cells || !this.#isEdit(await this.#finder.at(newer), cells)) break;
      newest = newer;
    }
    return newest;
  }

  async #compare(row: RowText): Promise<void> {
    const { line, text } = row;
    this.#rows += 1;
    this.#line = line;
    if (this.#rows % PROGRESS_ROWS === 0) this.#report();
    const expected = this.#next === null ? null : await this.#finder.at(this.#next);
    if (expected && this.#equals(expected, text)) return this.#take(this.#next!);
    const cells = this.#cells(text);
    if (!cells) return this.#fault(line, 'unreadable', `this is not a row of ${this.#table.path}`);
    if (this.#isUncounted(cells)) return this.#leave('of types whose events stay hashes', line);
    const same = await this.#same(cells, text);
    const next = this.#next ?? -1;
    const later = same.find((place) => place <= next);
    if (later !== undefined) return this.#skipTo(later, line);
    if (same.length > 0) return this.#compareLate(same, line);
    if (expected && this.#isEdit(expected, cells) && !(await this.#isFollowing(expected)))
      return this.#takeEdited(this.#next!, cells, row);
    const edited = await this.#edited(cells, next);
    if (edited !== null) {
      await this.#skipTo(edited, line, false);
      return this.#takeEdited(edited, cells, row);
    }
    return this.#compareUnknown(cells, line);
  }

  /** Whether a row of the log is the file’s next one, so that the row before it is not an edited version of it. */
  async #isFollowing(row: LogRow): Promise<boolean> {
    const following = await this.#following();
    return following !== null && this.#equals(row, following.text);
  }

  #equals(row: LogRow, text: string): boolean {
    const own = row.text;
    const { form } = this.#file;
    if (form !== 'ndjson' && own === text) return true;
    if (form === 'csv' && this.#masked.length === 0) return false;
    const cells = this.#cells(text);
    if (!cells) return false;
    return this.#changed(own, cells).length === 0 && this.#wrongLinks(row, text).length === 0;
  }

  #cells(text: string): Cells | null {
    return parseCells(this.#table, this.#file.form, text);
  }

  /** The columns in which a row of the file differs from one of the log. */
  #changed(own: string, cells: Cells): string[] {
    const expected = cellsInForm(this.#table, this.#file.form, own);
    return Object.keys(expected).filter(
      (name) => cells[name] !== expected[name] && !this.#masked.includes(name),
    );
  }

  /** The events that a row of JSON lines names, as far as they are not those of the log. */
  #wrongLinks({ links }: LogRow, text: string): string[] {
    if (links === null || this.#file.form !== 'ndjson') return [];
    const expected = linksOf(this.#table, links);
    return Object.entries(parseLinks(text))
      .filter(([name, found]) => found !== expected[name])
      .map(
        ([name, found]) =>
          `${name}: the log gives ${shown(expected[name] ?? '')}, the row has ${shown(found)}`,
      );
  }

  #isEdit({ text, time }: LogRow, cells: Cells): boolean {
    const changed = this.#changed(text, cells);
    if (changed.length <= 1) return true;
    const { key, time: column } = this.#table;
    if (key.length > 0) return !key.some((name) => changed.includes(name));
    return cells[column] === time && changed.length * 2 < Object.keys(cells).length;
  }

  /** Places of rows of the log with the cells of a row, the newest first. */
  async #same(cells: Cells, text: string): Promise<Place[]> {
    const places: Place[] = [];
    for (const place of await this.#ofTime(cells))
      if (this.#equals(await this.#finder.at(place), text)) places.push(place);
    return places;
  }

  async #ofTime(cells: Cells): Promise<Place[]> {
    const time = cells[this.#table.time]!;
    return isTime(time) ? this.#finder.ofTime(time) : [];
  }

  /** An older row of the log than the expected one, of which this row may be an edited version. */
  async #edited(cells: Cells, before: Place | null): Promise<Place | null> {
    for (const place of await this.#ofTime(cells))
      if ((before === null || place < before) && this.#isEdit(await this.#finder.at(place), cells))
        return place;
    return null;
  }

  async #take(place: Place): Promise<void> {
    this.#proved += 1;
    return this.#goBeyond(place);
  }

  async #goBeyond(place: Place): Promise<void> {
    this.#time = (await this.#finder.at(place)).time;
    this.#next = await this.#finder.older(place);
  }

  /** Accepts a row of the log that comes after others, which are missing. */
  async #skipTo(place: Place, line: number, isSame = true): Promise<void> {
    if (place !== this.#next)
      this.#missing.push({ newest: this.#next!, oldest: (await this.#finder.newer(place))!, line });
    if (isSame) await this.#take(place);
  }

  async #takeEdited(place: Place, cells: Cells, { line, text }: RowText): Promise<void> {
    const row = await this.#finder.at(place);
    // Events after the checkpoint may have changed the numbers of its last day.
    if (this.#finder.isOpen(place)) this.#leave('of a day that was not over at the checkpoint', line);
    else if (this.#table.artifact.dayRows && (await this.#isHidden(dayOf(row.time))))
      this.#leave(HIDDEN, line);
    else {
      const expected = cellsInForm(this.#table, this.#file.form, row.text);
      for (const name of this.#changed(row.text, cells))
        this.#fault(
          line,
          'edited',
          `${name} of ${describe(row)}: the log gives ${shown(expected[name]!)}, the row has ${shown(cells[name]!)}`,
        );
      for (const message of this.#wrongLinks(row, text)) this.#fault(line, 'edited', message);
    }
    await this.#goBeyond(place);
  }

  /** A row that comes after an older one. */
  async #compareLate(places: readonly Place[], line: number): Promise<void> {
    const row = await this.#finder.at(places[0]!);
    for (const place of places) {
      if (this.#newest !== null && place > this.#newest) continue;
      const at = this.#missing.findIndex(({ newest, oldest }) => oldest <= place && place <= newest);
      if (at < 0) continue;
      const range = this.#missing[at]!;
      const [newer, older] = [await this.#finder.newer(place), await this.#finder.older(place)];
      this.#missing.splice(
        at,
        1,
        ...(place < range.newest ? [{ ...range, oldest: newer! }] : []),
        ...(place > range.oldest ? [{ ...range, newest: older! }] : []),
      );
      return this.#fault(line, 'moved', `the row of ${describe(row)} should come earlier, among newer ones`);
    }
    const isNewer = this.#newest !== null && places.every((place) => place > this.#newest!);
    if (isNewer)
      return this.#fault(line, 'moved', `the row of ${describe(row)} should come before the first row`);
    // An event that stays a hash may give the same row.
    if (!this.#table.artifact.dayRows && (await this.#isHidden(dayOf(row.time))))
      return this.#leave(HIDDEN, line);
    return this.#fault(line, 'repeated', `the row of ${describe(row)} appears twice`);
  }

  /** A row that no public event gives. */
  async #compareUnknown(cells: Cells, line: number): Promise<void> {
    const time = cells[this.#table.time]!;
    if (!isTime(time))
      return this.#fault(line, 'unreadable', `${this.#table.time} is not a time: ${shown(time)}`);
    const carried = this.#table.artifact.dayRows && isDate(time) ? this.#source.rows.carried(time) : null;
    if (carried !== null) return this.#compareCarried(carried, cells, line);
    if (this.#isAfterLog(time)) return this.#leave('newer than the log’s newest public event', line);
    if (this.#isOfGenesis(cells)) return this.#leave('of the genesis event, which stays a hash', line);
    if (await this.#isHidden(dayOf(time))) return this.#leave(HIDDEN, line);
    this.#fault(line, 'added', `no public event of the log gives a row of ${shown(time)} with these cells`);
  }

  /** A row of a day without a public event. */
  async #compareCarried(own: string, cells: Cells, line: number): Promise<void> {
    const time = cells[this.#table.time]!;
    const expected = cellsInForm(this.#table, this.#file.form, own);
    const changed = this.#changed(own, cells);
    if (changed.length > 0 && (await this.#isHidden(time))) return this.#leave(HIDDEN, line);
    for (const name of changed)
      this.#fault(
        line,
        'edited',
        `${name} of ${time}: the log gives ${shown(expected[name]!)}, the row has ${shown(cells[name]!)}`,
      );
    if (changed.length > 0) return;
    if (this.#time !== null && compareTimes(time, this.#time) >= 0)
      this.#fault(line, 'moved', `the row of ${time} should come earlier, among newer ones`);
    else {
      this.#time = time;
      this.#proved += 1;
      this.#carried += 1;
    }
  }

  /** Whether the log’s public events end before this time. */
  #isAfterLog(time: string): boolean {
    const end = this.#logEnd;
    return end === null || compareTimes(time, isDate(time) ? dayOf(end) : end) > 0;
  }

  #isOfGenesis(cells: Cells): boolean {
    return this.#source.hidesGenesis && [cells.reason, cells.event_type].includes('genesis');
  }

  /** The counts of types whose events stay hashes; the genesis event may be one though its type is public. */
  #isUncounted(cells: Cells): boolean {
    const { event_type } = cells;
    if (this.#table.path !== COUNTS) return false;
    if (this.#isOfGenesis(cells)) return true;
    return !Object.hasOwn(DECISIONS, event_type!) || !DECISIONS[event_type as KnownType].public;
  }

  /** Whether a row of this day may follow from an event that stays a hash though its type is public. */
  async #isHidden(date: string): Promise<boolean> {
    this.#withheld ??= this.#source.log.withheldOn(this.#table.types.filter((type) => type !== 'genesis'));
    const days = await this.#withheld;
    return this.#table.artifact.dayRows ? [...days].some((day) => day <= date) : days.has(date);
  }

  /** Accepts rows as long as the file has the bytes of the expected ones. */
  async #takeEqual(): Promise<void> {
    const { mayHave } = this.#source.rows;
    if (!this.#bytes || !mayHave || this.#next === null) return;
    const start = this.#finder.partsOf(this.#next);
    let { block, row } = start;
    for (; block >= 0; block -= 1, row = 0) {
      if (!mayHave(block)) continue;
      const found = await this.#blockBytes(block, mayHave);
      if (!found) break;
      const rows = found.ends.length - 1;
      const count = row < rows ? await this.#file.rows.skipEqual(found.bytes, found.ends, row, rows) : 0;
      this.#rows += count;
      this.#proved += count;
      row += count;
      if (count > 0) this.#line = this.#file.rows.line - 1;
      if (row < rows) break;
      this.#report();
    }
    this.#useless = block === start.block && row === start.row ? this.#useless + 1 : 0;
    // A file that is written in another way has no row with these bytes.
    if (this.#useless === MOST_USELESS) this.#bytes = null;
    this.#next = await this.#finder.from(block, row);
  }

  async #blockBytes(number: number, mayHave: (number: number) => boolean): Promise<BlockBytes | null> {
    if (this.#open?.number !== number)
      this.#open = { number, bytes: await this.#bytes!.block(this.#table, number, mayHave) };
    return this.#open.bytes;
  }

  #report(): void {
    const { log, options } = this.#source;
    const done = this.#next === null ? log.size : log.size - this.#finder.eventsBefore(this.#next, log.size);
    options.onProgress?.({ stage: 'comparing', done, total: log.size });
  }

  #leave(reason: string, line: number): void {
    const known = this.#unchecked.get(reason);
    this.#unchecked.set(reason, { rows: (known?.rows ?? 0) + 1, line: known?.line ?? line });
  }

  #fault(line: number, kind: FindingKind, message: string): void {
    this.#findings.push({ line, kind, message });
  }

  /** None of its rows is in the log. */
  async #ofOtherLog(): Promise<HistoryVerdict> {
    const [first] = this.#waiting;
    this.#rows = this.#waiting.length;
    const rows = this.#rows === 1 ? 'its only row' : `any of its first ${this.#rows} rows`;
    this.#fault(
      first!.line,
      'added',
      `the log does not give ${rows}: the file is from another service, or nearly all of it was changed`,
    );
    return { ...(await this.#verdict([])), isAbandoned: true };
  }

  async #end(): Promise<HistoryVerdict> {
    const { log, options } = this.#source;
    options.onProgress?.({ stage: 'comparing', done: log.size, total: log.size });
    if (!this.#isAbandoned && this.#next !== null) {
      const oldest = await this.#oldest();
      this.#missing.push({ newest: this.#next, oldest, line: this.#line + 1 });
    }
    const isAbandoned = this.#isAbandoned;
    for (const range of this.#missing) await this.#reportMissing(range);
    const { hasEnded, fault } = this.#file.rows;
    if (hasEnded && fault) this.#findings.push({ kind: 'unreadable', ...fault });
    return { ...(await this.#verdict(await this.#notes())), isAbandoned };
  }

  async #oldest(): Promise<Place> {
    let place = this.#next!;
    for (let older: Place | null = place; older !== null; older = await this.#finder.older(older))
      place = older;
    return place;
  }

  async #reportMissing({ newest, oldest, line }: MissingRange): Promise<void> {
    let rows = 1;
    for (let place = newest; place > oldest; place = (await this.#finder.older(place))!) rows += 1;
    const [from, to] = [await this.#finder.at(oldest), await this.#finder.at(newest)];
    const what =
      rows === 1
        ? `the row of ${describe(to)}`
        : `${formatCount(rows, 'row')} of the log, ${describe(from)} to ${describe(to)},`;
    this.#fault(line, 'missing', `${what} should come before this line`);
  }

  async #notes(): Promise<string[]> {
    const notes: string[] = [];
    const newer = this.#newest === null ? null : await this.#finder.newer(this.#newest);
    // Newer rows of days may have been left because an event stays a hash.
    const isOpen = this.#table.artifact.dayRows && this.#unchecked.has(HIDDEN);
    if (newer !== null && !isOpen && !this.#finder.isOpen(newer)) {
      const from = await this.#finder.at(this.#newest!);
      const to = await this.#finder.at((await this.#finder.newest())!);
      notes.push(
        `The file is of an earlier release: it begins with ${describe(from)}, and the log goes on to ${describe(to)}. It was verified up to its own end.`,
      );
    }
    if (this.#file.form === 'ndjson' && this.#table.artifact.dayRows && !this.#table.artifact.dayEvents)
      notes.push('first_event and last_event were not compared: they may be events that stay hashes.');
    if (this.#carried > 0)
      notes.push(
        `${formatCount(this.#carried, 'row')} ${this.#carried === 1 ? 'is' : 'are'} of days without a public event: the numbers hold, and that such a day had an event at all cannot be seen.`,
      );
    return notes;
  }

  async #verdict(notes: string[]): Promise<HistoryVerdict> {
    const unchecked = [...this.#unchecked].map(
      ([reason, { rows, line }]) =>
        `${formatCount(rows, 'row')}, from line ${line} on, cannot be checked: ${rows === 1 ? 'it is' : 'they are'} ${reason}.`,
    );
    if (this.#masked.length > 0)
      unchecked.push(
        `The columns ${formatList(this.#masked)} cannot be checked: they follow from the first supply, and the genesis event that states it stays a hash.`,
      );
    if (this.#source.supply !== null)
      unchecked.push(
        `The first supply cannot be checked, since the genesis event stays a hash: the rows follow from the log if it was ${formatAmount(this.#source.supply)} MIC.`,
      );
    const findings = this.#findings.sort((one, other) => one.line - other.line);
    const verdict =
      findings.length > 0 ? 'does_not_hold' : unchecked.length > 0 ? 'cannot_be_checked' : 'proved';
    const { table, form } = this.#file;
    return {
      verdict,
      path: table.path,
      form,
      rows: this.#rows,
      proved: this.#proved,
      findings,
      unchecked,
      notes,
      isAbandoned: false,
    };
  }
}

function describe({ event, time, timestamp }: LogRow): string {
  return event === null ? time : `event ${event}, ${timestamp}`;
}

const TIME = /^\d{4}-\d\d-\d\d(T\d\d:\d\d:\d\d(\.\d+)?Z)?$/;
const DATE = /^\d{4}-\d\d-\d\d$/;

function isTime(text: string): boolean {
  return TIME.test(text);
}

function isDate(text: string): boolean {
  return DATE.test(text);
}

/** A cell for messages: a number without its mark, a long text shortened. */
function shown(cell: string): string {
  const text = cell.replace(/^#/, '');
  const short = text.length > 120 ? `${text.slice(0, 80)} … ${text.slice(-30)}` : text;
  return short === '' ? 'nothing' : short;
}
