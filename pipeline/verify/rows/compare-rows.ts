import { formatCount } from '../../words/number.ts';
import type { FileRows } from './file-rows.ts';
import type { RowText } from './lines.ts';
import { compareTimes, type LogRow, type Place, type RowFinder } from './row-finder.ts';

type FindingKind = 'edited' | 'added' | 'moved' | 'repeated' | 'missing' | 'unreadable';

export interface RowFinding {
  /** Of the file, from 1. */
  line: number;
  kind: FindingKind;
  message: string;
}

/** The cells of a row as texts, by column: the same text stands for the same cell, however the row is written. */
export type Cells = Readonly<Record<string, string>>;

/** What the rows of a table mean, for the comparison of a file with a log. */
export interface RowRules<Row extends LogRow> {
  /** The table, for messages. */
  table: string;
  /** Null: the text is no row of the table. */
  cells(text: string): Cells | null;
  /** What the row is ordered by; null: that is no time. */
  timeOf(cells: Cells): string | null;
  isSame(row: Row, text: string): boolean;
  /** In what a row of the file differs from a row of the log; empty if in nothing. */
  differences(row: Row, cells: Cells, text: string): string[];
  /** Whether a row of the file may be an edited version of a row of the log; `isNext`: of the one that should come next. */
  isEdit(row: Row, cells: Cells, isNext: boolean): boolean;
  /** The row for messages: `event 5 of the log`. */
  nameOf(row: Row): string;
  /** Rows that follow each other for messages, of which these are the ends. */
  nameOfMissing(oldest: Row, newest: Row, count: number): string;
  /** Why a row cannot be compared, whatever the log has; null: it can. */
  exempts?(cells: Cells): string | null;
  /** Why a row that differs from this one of the log may be right; null: it is not. */
  excusesEdit?(row: Row, isInNewestBlock: boolean): Promise<string | null>;
  /** Why this row may occur a second time; null: it may not. */
  excusesRepeat?(row: Row): Promise<string | null>;
  /** The row that the log gives although no event of the log does. */
  unchanged?(cells: Cells): Row | null;
  /** Of a row that the log does not give: why that may be right, or what is wrong with it. */
  explain(cells: Cells): Promise<string | Omit<RowFinding, 'line'>[]>;
}

export interface CompareOptions {
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
  /** Rows of the log between `oldest` and `newest`. */
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
 * so is a finding with its line. Keeps the missing ranges in memory, and what `file` and `finder` keep. Throws the errors of both.
 */
export function compareRows<Row extends LogRow>(
  file: FileRows,
  finder: RowFinder<Row>,
  rules: RowRules<Row>,
  options: CompareOptions,
): Promise<Compared> {
  return new Comparison(file, finder, rules, options).run();
}

/** Rows of the log for which no row has been read. */
interface MissingRange {
  newest: Place;
  oldest: Place;
  /** The line of the file that they should precede. */
  line: number;
}

class Comparison<Row extends LogRow> {
  readonly #file: FileRows;
  readonly #finder: RowFinder<Row>;
  readonly #rules: RowRules<Row>;
  readonly #options: CompareOptions;
  /** Rows that were read and not compared yet. */
  readonly #waiting: RowText[];
  readonly #findings: RowFinding[] = [];
  readonly #left = new Map<string, { rows: number; line: number }>();
  #missing: MissingRange[] = [];
  #rows = 0;
  #proved = 0;
  #unchanged = 0;
  /** Rows of the log with a row of the file. */
  #found = 0;
  #line = 0;
  /** The place of the row expected next; null: the log has no more. */
  #next: Place | null = null;
  #newest: Place | null = null;
  /** Of the last row that was taken. */
  #time: string | null = null;

  constructor(file: FileRows, finder: RowFinder<Row>, rules: RowRules<Row>, options: CompareOptions) {
    [this.#file, this.#finder, this.#rules, this.#options] = [file, finder, rules, options];
    this.#waiting = [...(options.read ?? [])];
  }

  get #isAbandoned(): boolean {
    return this.#findings.length + this.#missing.length >= MAX_FINDINGS;
  }

  async run(): Promise<Compared> {
    const { start } = this.#options;
    if (start !== undefined) this.#startAt(start);
    else if (!(await this.#start())) return this.#ofOtherLog();
    while (!this.#isAbandoned) {
      const row = this.#waiting.shift() ?? (await this.#readRow());
      if (!row) break;
      await this.#compare(row);
    }
    return this.#end();
  }

  async #readRow(): Promise<RowText | null> {
    const row = await this.#file.peek();
    if (row) this.#file.skip();
    return row;
  }

  #startAt(place: Place | null): void {
    [this.#next, this.#newest] = [place, place];
  }

  /** Finds the row of the log that the file begins with. False: it has none of the log’s rows. */
  async #start(): Promise<boolean> {
    for (let at = 0; at < MAX_WAITING; at += 1) {
      if (at === this.#waiting.length) {
        const row = await this.#readRow();
        if (!row) break;
        this.#waiting.push(row);
      }
      const { text } = this.#waiting[at]!;
      const cells = this.#rules.cells(text);
      const [place] = cells ? await this.#same(cells, text) : [];
      if (place === undefined) continue;
      this.#startAt(await this.#before(place, at));
      return true;
    }
    // A short file may have no row as it was; an edited one will do.
    for (const [at, { text }] of this.#waiting.entries()) {
      const cells = this.#rules.cells(text);
      const place = cells && (await this.#edited(cells, () => true));
      if (place === null) continue;
      this.#startAt(await this.#before(place, at));
      return true;
    }
    for (const { text } of this.#waiting) if (await this.#isExplained(text)) return true;
    if (this.#waiting.length === 0) this.#startAt(await this.#finder.newest());
    return this.#waiting.length === 0;
  }

  /** Whether a row without a row of the log is no sign of another log. */
  async #isExplained(text: string): Promise<boolean> {
    const rules = this.#rules;
    const cells = rules.cells(text);
    if (!cells) return false;
    if (rules.exempts?.(cells) || rules.unchanged?.(cells)) return true;
    return typeof (await rules.explain(cells)) === 'string';
  }

  /** The rows before the first one that is in the log may be edited ones of newer rows. */
  async #before(place: Place, rows: number): Promise<Place> {
    const rules = this.#rules;
    let newest = place;
    for (let at = rows - 1; at >= 0; at -= 1) {
      const cells = rules.cells(this.#waiting[at]!.text);
      if (cells && rules.exempts?.(cells)) continue;
      const newer = await this.#finder.newer(newest);
      if (newer === null || !cells || !rules.isEdit(await this.#finder.at(newer), cells, true)) break;
      newest = newer;
    }
    return newest;
  }

  async #compare(row: RowText): Promise<void> {
    const { line, text } = row;
    const rules = this.#rules;
    this.#rows += 1;
    this.#line = line;
    if (this.#rows % PROGRESS_ROWS === 0) this.#options.onProgress?.(this.#next);
    const expected = this.#next === null ? null : await this.#finder.at(this.#next);
    if (expected && rules.isSame(expected, text)) return this.#take(this.#next!);
    const cells = rules.cells(text);
    if (!cells) return this.#fault(line, 'unreadable', `this is not a row of ${rules.table}`);
    const reason = rules.exempts?.(cells) ?? null;
    if (reason !== null) return this.#leave(reason, line);
    const same = await this.#same(cells, text);
    const next = this.#next ?? -1;
    const later = same.find((place) => place <= next);
    if (later !== undefined) {
      await this.#skipTo(later, line);
      return this.#take(later);
    }
    if (same.length > 0) return this.#compareLate(same, line);
    if (expected && rules.isEdit(expected, cells, true) && !(await this.#isFollowing(expected)))
      return this.#takeEdited(this.#next!, cells, row);
    const older = await this.#edited(cells, (place) => place < next);
    if (older !== null) {
      await this.#skipTo(older, line);
      return this.#takeEdited(older, cells, row);
    }
    return this.#compareUnknown(cells, row);
  }

  /** Whether a row of the log is the file’s next one, so that the row before it is not an edited version of it. */
  async #isFollowing(row: Row): Promise<boolean> {
    const following = this.#waiting[0] ?? (await this.#file.peek());
    return following !== null && this.#rules.isSame(row, following.text);
  }

  /** Places of rows of the log that are the same as a row, the newest first. */
  async #same(cells: Cells, text: string): Promise<Place[]> {
    const places: Place[] = [];
    for (const place of await this.#ofTime(cells))
      if (this.#rules.isSame(await this.#finder.at(place), text)) places.push(place);
    return places;
  }

  async #ofTime(cells: Cells): Promise<Place[]> {
    const time = this.#rules.timeOf(cells);
    return time === null ? [] : this.#finder.ofTime(time);
  }

  /** A row of the log, not the expected one, of which this row may be an edited version. */
  async #edited(cells: Cells, mayBe: (place: Place) => boolean): Promise<Place | null> {
    for (const place of await this.#ofTime(cells))
      if (mayBe(place) && this.#rules.isEdit(await this.#finder.at(place), cells, false)) return place;
    return null;
  }

  async #take(place: Place): Promise<void> {
    this.#proved += 1;
    return this.#goBeyond(place);
  }

  async #goBeyond(place: Place): Promise<void> {
    this.#found += 1;
    this.#time = (await this.#finder.at(place)).time;
    this.#next = await this.#finder.older(place);
  }

  /** The rows before this one are missing. */
  async #skipTo(place: Place, line: number): Promise<void> {
    if (place === this.#next) return;
    this.#missing.push({ newest: this.#next!, oldest: (await this.#finder.newer(place))!, line });
  }

  async #takeEdited(place: Place, cells: Cells, { line, text }: RowText): Promise<void> {
    const row = await this.#finder.at(place);
    await this.#blame(row, { cells, text, line, isInNewestBlock: this.#finder.isInNewestBlock(place) });
    await this.#goBeyond(place);
  }

  /** False: the row is the same. */
  async #blame(
    row: Row,
    { cells, text, line, isInNewestBlock }: RowText & { cells: Cells; isInNewestBlock: boolean },
  ): Promise<boolean> {
    const differences = this.#rules.differences(row, cells, text);
    if (differences.length === 0) return false;
    const reason = (await this.#rules.excusesEdit?.(row, isInNewestBlock)) ?? null;
    if (reason !== null) this.#leave(reason, line);
    else for (const message of differences) this.#fault(line, 'edited', message);
    return true;
  }

  /** A row that comes after an older one. */
  async #compareLate(places: readonly Place[], line: number): Promise<void> {
    const row = await this.#finder.at(places[0]!);
    const name = this.#rules.nameOf(row);
    for (const place of places) {
      if (!(await this.#isNoLongerMissing(place))) continue;
      this.#found += 1;
      return this.#fault(line, 'moved', `${name} should come earlier, among newer ones`);
    }
    const isNewer = this.#newest !== null && places.every((place) => place > this.#newest!);
    if (isNewer) {
      this.#found += 1;
      await this.#extendTo(places.at(-1)!, line);
      return this.#fault(line, 'moved', `${name} should come before the first row`);
    }
    const reason = (await this.#rules.excusesRepeat?.(row)) ?? null;
    if (reason !== null) return this.#leave(reason, line);
    return this.#fault(line, 'repeated', `${name} appears twice`);
  }

  /** Removes a row from the missing ones; false: it was not missing. */
  async #isNoLongerMissing(place: Place): Promise<boolean> {
    const range = this.#missing.find(({ newest, oldest }) => oldest <= place && place <= newest);
    if (!range) return false;
    const [newer, older] = [await this.#finder.newer(place), await this.#finder.older(place)];
    this.#missing = this.#missing.flatMap((one) => {
      if (one !== range) return [one];
      return [
        ...(place < range.newest ? [{ ...range, oldest: newer! }] : []),
        ...(place > range.oldest ? [{ ...range, newest: older! }] : []),
      ];
    });
    return true;
  }

  /** The file’s first row was not its newest; the rows between them are missing until they come. */
  async #extendTo(place: Place, line: number): Promise<void> {
    const oldest = (await this.#finder.newer(this.#newest!))!;
    if (oldest < place) this.#missing.push({ newest: (await this.#finder.older(place))!, oldest, line });
    this.#newest = place;
  }

  /** A row that no event of the log gives. */
  async #compareUnknown(cells: Cells, { line, text }: RowText): Promise<void> {
    const row = this.#rules.unchanged?.(cells);
    if (row) {
      if (await this.#blame(row, { cells, text, line, isInNewestBlock: false })) return;
      if (this.#time !== null && compareTimes(row.time, this.#time) >= 0)
        return this.#fault(line, 'moved', `${this.#rules.nameOf(row)} should come earlier, among newer ones`);
      this.#time = row.time;
      this.#proved += 1;
      this.#unchanged += 1;
      return;
    }
    const explained = await this.#rules.explain(cells);
    if (typeof explained === 'string') this.#leave(explained, line);
    else for (const { kind, message } of explained) this.#fault(line, kind, message);
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
    const [first] = this.#waiting;
    this.#rows = this.#waiting.length;
    const rows = this.#rows === 1 ? 'its only row' : `any of its first ${this.#rows} rows`;
    this.#fault(
      first!.line,
      'added',
      `the log does not give ${rows}: the file is from another service, or nearly all of it was changed`,
    );
    return this.#result(null, true);
  }

  async #end(): Promise<Compared> {
    this.#options.onProgress?.(null);
    const isAbandoned = this.#isAbandoned;
    const oldest = await this.#oldest();
    if (!isAbandoned && this.#next !== null && oldest !== null && oldest <= this.#next)
      this.#missing.push({ newest: this.#next, oldest, line: this.#line + 1 });
    for (const range of this.#missing) await this.#reportMissing(range);
    const { hasEnded, fault } = this.#file;
    if (hasEnded && fault) this.#findings.push({ kind: 'unreadable', ...fault });
    return this.#result(oldest, isAbandoned);
  }

  /** The place of the oldest row that the file should have; null: it should have none. */
  async #oldest(): Promise<Place | null> {
    if (!this.#options.endsAnywhere) return this.#newest === null ? null : this.#finder.oldest();
    if (this.#time === null) return null;
    return (await this.#finder.ofTime(this.#time)).at(-1) ?? null;
  }

  async #reportMissing({ newest, oldest, line }: MissingRange): Promise<void> {
    let count = 1;
    for (let place = newest; place > oldest; place = (await this.#finder.older(place))!) count += 1;
    this.#found += count;
    const [from, to] = [await this.#finder.at(oldest), await this.#finder.at(newest)];
    const what = this.#rules.nameOfMissing(from, to, count);
    this.#fault(line, 'missing', `${what} should come before this line`);
  }

  #result(oldest: Place | null, isAbandoned: boolean): Compared {
    return {
      findings: this.#findings.sort((one, other) => one.line - other.line),
      rows: this.#rows,
      proved: this.#proved,
      unchanged: this.#unchanged,
      expected: this.#found,
      newest: this.#newest,
      oldest,
      left: this.#left,
      isAbandoned,
    };
  }
}

/** `3 rows, from line 5 on, cannot be checked: they are of …`: why rows could not be compared, as sentences. */
export function leftAsSentences({ left }: Compared): string[] {
  return [...left].map(
    ([reason, { rows, line }]) =>
      `${formatCount(rows, 'row')}, from line ${line} on, cannot be checked: ${rows === 1 ? 'it is' : 'they are'} ${reason}.`,
  );
}
