import { formatCount } from '../../words/number.ts';
import type { FileRows, RowText } from './file-rows.ts';
import {
  type Cells,
  type Difference,
  differencesOf,
  type HistoryForm,
  type HistoryTable,
  parseCells,
  shownCell,
} from './history-tables.ts';
import { compareTimes, type LogRow, type LogRows, type Place } from './log-rows.ts';

type FindingKind = 'edited' | 'added' | 'moved' | 'repeated' | 'missing' | 'unreadable';

export interface RowFinding {
  /** Of the file, from 1. */
  line: number;
  kind: FindingKind;
  message: string;
}

/** What the log does not show, so that a row which seems wrong may be right. Reasons end the sentence “it cannot be checked: it is …”. */
export interface Excuses {
  /** Why a row cannot be compared, whatever the log has; null: it can. */
  exempts(cells: Cells): string | null;
  /** The row that the log repeats for a time without an event; null for a row that needs an event. */
  carried(cells: Cells): LogRow | null;
  /** Why a row that differs from one of the log, repeats one, or has none, may be right; null: it is wrong. */
  excuse(
    kind: 'edited' | 'repeated' | 'added',
    row: { cells: Cells; time: string; isInNewestBlock: boolean },
  ): Promise<string | null>;
  /** What is wrong with a row that the log does not give. */
  added(cells: Cells): Promise<Omit<RowFinding, 'line'>[]>;
}

interface CompareOptions {
  table: HistoryTable;
  form: HistoryForm;
  /** Columns that cannot be compared. */
  masked?: readonly string[];
  /** The first row that the file should have; null: none. Omitted: the file’s first row that the log has says so. */
  start?: Place | null;
  /** The file may end anywhere, but has all rows of the time of its last one. Otherwise it ends with the log’s oldest row. */
  endsAnywhere?: boolean;
  /** Rows that were read from the file already. */
  read?: readonly RowText[];
  /** Called from time to time; null: all rows of the log were found. */
  onProgress?: (next: Place | null) => void;
}

export interface Compared {
  findings: RowFinding[];
  /** Rows read, and how many of them follow from the log as they are. */
  rows: number;
  proved: number;
  /** Of these, rows that no event of the log gives. */
  unchanged: number;
  /** Rows of the log that the file has or should have. */
  expected: number;
  newest: Place | null;
  oldest: Place | null;
  /** Why rows could not be compared, with their number and the first of them. */
  left: ReadonlyMap<string, { rows: number; line: number }>;
  /** There were too many findings to read the file to its end. */
  isAbandoned: boolean;
}

/** A file that has nothing to do with the log is not compared to its end. */
const MAX_FINDINGS = 1000;
/** How many rows that are not in the log may precede the first one that is. */
const MAX_WAITING = 1000;
const PROGRESS_ROWS = 5000;

/**
 * Compares the rows of a file with those of a log, both newest first. Every row of the log should come once, in its place; whatever is not
 * so is a finding with its line. Keeps the missing ranges in memory, and what `file` and `log` keep. Throws the errors of both.
 */
export function compareRows(
  file: FileRows,
  log: LogRows,
  excuses: Excuses,
  options: CompareOptions,
): Promise<Compared> {
  return new Comparison(file, log, excuses, options).run();
}

/** Rows of the log for which no row has been read: from one down to another, which is there; null: to the oldest. */
interface MissingRange {
  from: Place;
  until: Place | null;
  /** The line of the file that they should precede. */
  line: number;
}

class Comparison {
  readonly #file: FileRows;
  readonly #log: LogRows;
  readonly #excuses: Excuses;
  readonly #options: CompareOptions;
  /** Rows that were read and not compared yet. */
  readonly #waiting: RowText[];
  readonly #findings: RowFinding[] = [];
  readonly #left = new Map<string, { rows: number; line: number }>();
  #missing: MissingRange[] = [];
  #rows = 0;
  #proved = 0;
  #unchanged = 0;
  #expected = 0;
  #line = 0;
  /** The row expected next; null: the log has no more. */
  #next: Place | null = null;
  #newest: Place | null = null;
  #oldest: Place | null = null;
  /** Of the last row that was taken. */
  #time: string | null = null;

  constructor(file: FileRows, log: LogRows, excuses: Excuses, options: CompareOptions) {
    [this.#file, this.#log, this.#excuses, this.#options] = [file, log, excuses, options];
    this.#waiting = [...(options.read ?? [])];
  }

  get #isAbandoned(): boolean {
    return this.#findings.length + this.#missing.length >= MAX_FINDINGS;
  }

  async run(): Promise<Compared> {
    const { start } = this.#options;
    this.#newest = start === undefined ? await this.#withAll(await this.#start()) : start;
    this.#next = this.#newest;
    if (start === undefined && this.#next === null && !(await this.#isOfThisLog())) return this.#ofOtherLog();
    while (!this.#isAbandoned) {
      const row = this.#waiting.shift() ?? (await this.#read());
      if (!row) break;
      await this.#compare(row);
    }
    return this.#end();
  }

  async #read(): Promise<RowText | null> {
    const row = await this.#file.peek();
    if (row) this.#file.skip();
    return row;
  }

  /**
   * The row of the log that the file begins with; null: it has none of the log’s rows. A short file may have no row as it was, so an edited one
   * will do.
   */
  async #start(): Promise<Place | null> {
    for (const mayBeEdited of [false, true])
      for (let at = 0; at < MAX_WAITING; at += 1) {
        const row = this.#waiting[at] ?? (await this.#read());
        if (!row) break;
        this.#waiting[at] = row;
        const cells = this.#parse(row.text);
        const isWanted = (differences: Difference[]) =>
          differences.length === 0 || (mayBeEdited && this.#isEdit(differences, cells!, false));
        const [place] = cells ? await this.#like(cells, isWanted) : [];
        if (place !== undefined) return this.#before(place, at);
      }
    return this.#waiting.length === 0 ? this.#log.newest() : null;
  }

  /** The rows before the first one that is in the log may be edited ones of newer rows. */
  async #before(place: Place, rows: number): Promise<Place> {
    let newest = place;
    for (const { text } of this.#waiting.slice(0, rows).reverse()) {
      const cells = this.#parse(text);
      if (cells && this.#excuses.exempts(cells)) continue;
      const newer = await this.#log.newer(newest);
      if (
        newer === null ||
        !cells ||
        !this.#isEdit(this.#differences(await this.#log.at(newer), cells), cells, true)
      )
        break;
      newest = newer;
    }
    return newest;
  }

  /** Every release has all rows of an event, and all of a day. */
  async #withAll(first: Place | null): Promise<Place | null> {
    if (first === null) return null;
    const { event, time } = await this.#log.at(first);
    let newest = first;
    for (let place = await this.#log.newer(first); place !== null; place = await this.#log.newer(place)) {
      const row = await this.#log.at(place);
      if (row.event !== event || compareTimes(row.time, time) !== 0) break;
      newest = place;
    }
    return newest;
  }

  /** Whether a row without a row of the log is no sign of another log. */
  async #isOfThisLog(): Promise<boolean> {
    for (const { text } of this.#waiting) {
      const cells = this.#parse(text);
      if (!cells) continue;
      const known = this.#excuses.exempts(cells) ?? this.#excuses.carried(cells);
      if (known ?? (await this.#excuse('added', cells))) return true;
    }
    return this.#waiting.length === 0;
  }

  /** Null: the text is no row of the table. */
  #parse(text: string): Cells | null {
    const { table, form } = this.#options;
    return parseCells(table, form, text);
  }

  /** What the row is ordered by; null: that is no time. */
  #timeOf(cells: Cells): string | null {
    const time = cells[this.#options.table.time]!;
    return TIME.test(time) ? time : null;
  }

  /** In which columns a row of the file differs from a row of the log. */
  #differences(row: LogRow, cells: Cells): Difference[] {
    const { table, form, masked = [] } = this.#options;
    return differencesOf(table, form, { row, cells }).filter(({ column }) => !masked.includes(column));
  }

  #isSame(row: LogRow, text: string): boolean {
    // Most rows are spelt as the service does, which takes far less time to see than their cells.
    if (text === (this.#options.form === 'ndjson' ? row.spelt : (row.spelt ?? row.text))) return true;
    const cells = this.#parse(text);
    return cells !== null && this.#differences(row, cells).length === 0;
  }

  /** Whether a row with these differences may be an edited version of the row of the log; `isNext`: of the one that should come next. */
  #isEdit(differences: readonly Difference[], cells: Cells, isNext: boolean): boolean {
    const { key, time } = this.#options.table;
    const changed = differences.map(({ column }) => column);
    const isOther = key.every((name) => changed.includes(name));
    if (changed.length <= 1 && (isNext || !isOther)) return true;
    if (key.length > 0 && !key.some((name) => changed.includes(name))) return true;
    if (key.length > 0 && !isNext) return false;
    return !changed.includes(time) && changed.length * 2 < Object.keys(cells).length;
  }

  /** The rows of the log at the time of a row that differ from it as wanted, the newest first. */
  async #like(cells: Cells, isWanted: (differences: Difference[]) => boolean): Promise<Place[]> {
    const time = this.#timeOf(cells);
    const places: Place[] = [];
    for (const place of time === null ? [] : await this.#log.ofTime(time))
      if (isWanted(this.#differences(await this.#log.at(place), cells))) places.push(place);
    return places;
  }

  async #compare(row: RowText): Promise<void> {
    const { line, text } = row;
    this.#rows += 1;
    this.#line = line;
    if (this.#rows % PROGRESS_ROWS === 0) this.#options.onProgress?.(this.#next);
    const expected = this.#next === null ? null : await this.#log.at(this.#next);
    if (expected && this.#isSame(expected, text)) return this.#take(this.#next!);
    const cells = this.#parse(text);
    if (!cells) return this.#fault(line, 'unreadable', `this is not a row of ${this.#options.table.path}`);
    const reason = this.#excuses.exempts(cells);
    if (reason !== null) return this.#leave(reason, line);
    const next = this.#next ?? -1;
    const same = await this.#like(cells, (differences) => differences.length === 0);
    const later = same.find((place) => place <= next);
    if (later !== undefined) {
      this.#miss(later, line);
      return this.#take(later);
    }
    if (same.length > 0) return this.#compareLate(same, cells, line);
    if (
      expected &&
      this.#isEdit(this.#differences(expected, cells), cells, true) &&
      !(await this.#isNext(expected))
    )
      return this.#takeEdited(this.#next!, cells, line);
    const edited = await this.#like(cells, (differences) => this.#isEdit(differences, cells, false));
    const older = edited.find((place) => place < next);
    if (older !== undefined) {
      this.#miss(older, line);
      return this.#takeEdited(older, cells, line);
    }
    return this.#compareUnknown(cells, line);
  }

  /** Whether a row of the log is the file’s next one, so that the row before it is not an edited version of it. */
  async #isNext(row: LogRow): Promise<boolean> {
    const following = this.#waiting[0] ?? (await this.#file.peek());
    return following !== null && this.#isSame(row, following.text);
  }

  async #take(place: Place): Promise<void> {
    this.#proved += 1;
    return this.#goBeyond(place);
  }

  async #goBeyond(place: Place): Promise<void> {
    this.#expected += 1;
    this.#oldest = place;
    this.#time = (await this.#log.at(place)).time;
    this.#next = await this.#log.older(place);
  }

  /** The rows before this one are missing. */
  #miss(until: Place, line: number): void {
    if (until !== this.#next) this.#missing.push({ from: this.#next!, until, line });
  }

  async #takeEdited(place: Place, cells: Cells, line: number): Promise<void> {
    const isInNewestBlock = this.#log.blockOf(place) === this.#log.blocks - 1;
    await this.#blame(await this.#log.at(place), cells, line, isInNewestBlock);
    await this.#goBeyond(place);
  }

  /** Says in what a row differs from a row of the log. False: in nothing. */
  async #blame(row: LogRow, cells: Cells, line: number, isInNewestBlock: boolean): Promise<boolean> {
    const differences = this.#differences(row, cells);
    if (differences.length === 0) return false;
    const reason = await this.#excuses.excuse('edited', { cells, time: row.time, isInNewestBlock });
    if (reason !== null) this.#leave(reason, line);
    else
      for (const difference of differences) this.#fault(line, 'edited', describeDifference(difference, row));
    return true;
  }

  /** A row that comes after an older one. */
  async #compareLate(places: readonly Place[], cells: Cells, line: number): Promise<void> {
    const row = await this.#log.at(places[0]!);
    const name = `the row of ${describeRow(row)}`;
    for (const place of places) {
      if (!(await this.#isNoLongerMissing(place))) continue;
      this.#expected += 1;
      return this.#fault(line, 'moved', `${name} should come earlier, among newer ones`);
    }
    if (this.#newest !== null && places.every((place) => place > this.#newest!)) {
      // The file’s first row was not its newest; the rows between them are missing until they come.
      const first = places.at(-1)!;
      const from = (await this.#log.older(first))!;
      if (from !== this.#newest) this.#missing.push({ from, until: this.#newest, line });
      this.#newest = first;
      this.#expected += 1;
      return this.#fault(line, 'moved', `${name} should come before the first row`);
    }
    const reason = await this.#excuse('repeated', cells);
    if (reason !== null) return this.#leave(reason, line);
    return this.#fault(line, 'repeated', `${name} appears twice`);
  }

  /** Removes a row from the missing ones; false: it was not missing. */
  async #isNoLongerMissing(place: Place): Promise<boolean> {
    const range = this.#missing.find(({ from, until }) => place <= from && place > (until ?? -1));
    if (!range) return false;
    const older = await this.#log.older(place);
    this.#missing = this.#missing.flatMap((one) => {
      if (one !== range) return [one];
      return [
        ...(place < range.from ? [{ ...range, until: place }] : []),
        ...(older !== null && older !== range.until ? [{ ...range, from: older }] : []),
      ];
    });
    return true;
  }

  /** A row that no event of the log gives. */
  async #compareUnknown(cells: Cells, line: number): Promise<void> {
    const row = this.#excuses.carried(cells);
    if (row) {
      if (await this.#blame(row, cells, line, false)) return;
      if (this.#time !== null && compareTimes(row.time, this.#time) >= 0)
        return this.#fault(line, 'moved', `the row of ${row.time} should come earlier, among newer ones`);
      this.#time = row.time;
      this.#proved += 1;
      this.#unchanged += 1;
      return;
    }
    const { table } = this.#options;
    if (this.#timeOf(cells) === null)
      return this.#fault(line, 'unreadable', `${table.time} is not a time: ${shownCell(cells[table.time]!)}`);
    const reason = await this.#excuse('added', cells);
    if (reason !== null) return this.#leave(reason, line);
    for (const { kind, message } of await this.#excuses.added(cells)) this.#fault(line, kind, message);
  }

  async #excuse(kind: 'repeated' | 'added', cells: Cells): Promise<string | null> {
    const time = this.#timeOf(cells);
    return time === null ? null : this.#excuses.excuse(kind, { cells, time, isInNewestBlock: false });
  }

  #leave(reason: string, line: number): void {
    const known = this.#left.get(reason);
    this.#left.set(reason, { rows: (known?.rows ?? 0) + 1, line: known?.line ?? line });
  }

  #fault(line: number, kind: FindingKind, message: string): void {
    this.#findings.push({ line, kind, message });
  }

  /** None of its rows is in the log. */
  #ofOtherLog(): Compared {
    this.#rows = this.#waiting.length;
    const rows = this.#rows === 1 ? 'its only row' : `any of its first ${this.#rows} rows`;
    this.#fault(
      this.#waiting[0]!.line,
      'added',
      `the log does not give ${rows}: the file is from another service, or nearly all of it was changed`,
    );
    return this.#result(true);
  }

  async #end(): Promise<Compared> {
    this.#options.onProgress?.(null);
    const isAbandoned = this.#isAbandoned;
    const until = this.#options.endsAnywhere ? await this.#olderThanLast() : null;
    if (!isAbandoned && this.#next !== null && this.#next !== until)
      this.#missing.push({ from: this.#next, until, line: this.#line + 1 });
    for (const range of this.#missing) await this.#reportMissing(range);
    const { hasEnded, fault } = this.#file;
    if (hasEnded && fault) this.#findings.push({ kind: 'unreadable', ...fault });
    return this.#result(isAbandoned);
  }

  /** The newest row of the log that is older than the last one taken; null if that was of the oldest time. */
  async #olderThanLast(): Promise<Place | null> {
    const isOfLast = async (place: Place) =>
      this.#time !== null && compareTimes((await this.#log.at(place)).time, this.#time) === 0;
    let place = this.#next;
    while (place !== null && (await isOfLast(place))) place = await this.#log.older(place);
    return place;
  }

  async #reportMissing({ from, until, line }: MissingRange): Promise<void> {
    let [count, oldest] = [1, from];
    for (let place = await this.#log.older(from); place !== until; count += 1) {
      oldest = place!;
      place = await this.#log.older(place!);
    }
    this.#expected += count;
    if (this.#oldest === null || oldest < this.#oldest) this.#oldest = oldest;
    const [last, first] = [describeRow(await this.#log.at(oldest)), describeRow(await this.#log.at(from))];
    const what =
      count === 1 ? `the row of ${first}` : `${formatCount(count, 'row')} of the log, ${last} to ${first},`;
    this.#fault(line, 'missing', `${what} should come before this line`);
  }

  #result(isAbandoned: boolean): Compared {
    return {
      findings: this.#findings.sort((one, other) => one.line - other.line),
      rows: this.#rows,
      proved: this.#proved,
      unchanged: this.#unchanged,
      expected: this.#expected,
      newest: this.#newest,
      oldest: this.#oldest,
      left: this.#left,
      isAbandoned,
    };
  }
}

const TIME = /^\d{4}-\d\d-\d\d(T\d\d:\d\d:\d\d(\.\d+)?Z)?$/;

/** `amount of event 5, 2026-02-11T…: the log gives 960.01, the row has 1960.01` */
export function describeDifference({ column, expected, found }: Difference, row: LogRow): string {
  return `${column} of ${describeRow(row)}: the log gives ${shownCell(expected)}, the row has ${shownCell(found)}`;
}

export function describeRow({ event, time, timestamp }: LogRow): string {
  return event === null ? time : `event ${event}, ${timestamp}`;
}

/** `3 rows, from line 5 on, cannot be checked: they are of …`: why rows could not be compared, as sentences. */
export function leftAsSentences({ left }: Compared): string[] {
  return [...left].map(
    ([reason, { rows, line }]) =>
      `${formatCount(rows, 'row')}, from line ${line} on, cannot be checked: ${rows === 1 ? 'it is' : 'they are'} ${reason}.`,
  );
}
