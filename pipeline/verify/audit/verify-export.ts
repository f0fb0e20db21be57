import { TILE_WIDTH } from '../../ledger/log/tile.ts';
import type { FileRows } from '../rows/file-rows.ts';
import type { RowText } from '../rows/lines.ts';
import { type FoundEntry, formatRow } from './entry-row.ts';
import { type ExportRow, parseRow, type RowForm } from './export-row.ts';
import { EntryFinder, type LogEntries } from './log-entries.ts';
import type { LogRows, RowsOfBundle } from './log-rows.ts';
import { differences, type ExportFile, isOther } from './read-export.ts';
import type { FilterFields } from './row-bytes.ts';

type FaultKind = 'edited' | 'added' | 'moved' | 'repeated' | 'missing' | 'unreadable';

interface RowFault {
  /** Of the file, from 1. */
  line: number;
  kind: FaultKind;
  message: string;
}

export interface ExportVerdict {
  /** Rows read. */
  rows: number;
  /** Entries of the log in the period that match the filter. */
  entries: number;
  /** Timestamps of the oldest and the newest of these entries; null: there are none. */
  period: { from: string; to: string } | null;
  faults: RowFault[];
  /** The time of the log's last entry if the period extends beyond it, else null. */
  logEndsAt: string | null;
  /** There were too many faults to read the file to its end. */
  isAbandoned: boolean;
}

export interface ExportOptions {
  /** The beginning of the export's period; null: of the ledger. Undefined: the time of its oldest row. */
  from: string | null | undefined;
  /** The end of the period; undefined: the time of its newest row. */
  to: string | undefined;
  /** The filter that the export was made with; null: all events. */
  wanted: ((event: FilterFields, hash: string) => boolean) | null;
}

/** A file that has nothing to do with the log is not compared to its end. */
const MAX_FAULTS = 1000;
/** How many rows that are not in the log may precede the first one that is. */
const MAX_WAITING = 1000;
/** After so many bundles without a row that has the bytes of its entry, only parsed rows are compared. */
const MOST_USELESS = 4;

/**
 * Compares an export, newest row first, with a log: each row with the entry of its hash, and all rows with the entries of the
 * period. Keeps a chunk of the file, some bundles, and the missing entries in memory. With `logRows`, bytes are compared, and only
 * rows that differ are parsed; the verdict is the same.
 */
export async function verifyExport(
  file: ExportFile,
  log: LogEntries,
  options: ExportOptions,
  logRows: LogRows | null = null,
): Promise<ExportVerdict> {
  const comparison = new Comparison(file, new EntryFinder(log), options, logRows);
  await comparison.begin();
  await comparison.compare();
  const verdict = await comparison.end();
  const { hasEnded, fault } = file.rows;
  if (hasEnded && fault) verdict.faults.push({ kind: 'unreadable', ...fault });
  return verdict;
}

/** Entries of the log, by number, for which no row has been read yet. */
interface MissingRange {
  first: number;
  last: number;
  /** The line of the file that they should precede. */
  line: number;
}

/** The missing entries as ranges; a row that comes late is removed from them. */
class MissingEntries {
  readonly ranges: MissingRange[] = [];

  add(range: MissingRange): void {
    if (range.first <= range.last) this.ranges.push(range);
  }

  /** Removes an entry; false: it was not missing. */
  take(index: number): boolean {
    const at = this.ranges.findIndex(({ first, last }) => first <= index && index <= last);
    if (at < 0) return false;
    const { first, last, line } = this.ranges[at]!;
    const rest = [
      { first, last: index - 1, line },
      { first: index + 1, last, line },
    ];
    this.ranges.splice(at, 1, ...rest.filter((range) => range.first <= range.last));
    return true;
  }
}

class Comparison {
  readonly #form: RowForm;
  readonly #file: FileRows;
  readonly #finder: EntryFinder;
  #logRows: LogRows | null;
  #bundle: RowsOfBundle | null = null;
  /** `#found` when the bundle was opened, and the number of bundles before it without a row that was equal. */
  #foundBefore = 0;
  #useless = 0;
  readonly #options: ExportOptions;
  readonly #faults: RowFault[] = [];
  readonly #missing = new MissingEntries();
  /** Rows read before their place in the log is known. */
  readonly #waiting: RowText[] = [];
  #rows = 0;
  /** Entries with a row. */
  #found = 0;
  /** Number of the entry expected next; null: not known yet. */
  #next: number | null = null;
  /** Numbers of the newest and the oldest entry of the period. */
  #newest = -1;
  #oldest = 0;
  /** Number of the oldest entry with a row. */
  #last: number | null = null;
  #line = 0;

  constructor(
    { form, rows }: ExportFile,
    finder: EntryFinder,
    options: ExportOptions,
    logRows: LogRows | null,
  ) {
    this.#form = form;
    this.#file = rows;
    this.#finder = finder;
    this.#options = options;
    this.#logRows = logRows;
  }

  get isAbandoned(): boolean {
    return this.#faults.length + this.#missing.ranges.length >= MAX_FAULTS;
  }

  async begin(): Promise<void> {
    const { from, to } = this.#options;
    if (from != null) this.#oldest = await this.#finder.countBefore(from, { inclusive: false });
    if (to !== undefined) this.#startAt((await this.#finder.countBefore(to, { inclusive: true })) - 1);
  }

  async compare(): Promise<void> {
    const file = this.#file;
    while (!this.isAbandoned) {
      if (this.#logRows) await this.#takeEqual();
      const row = file.ready ?? (await file.peek());
      if (!row) return;
      file.skip();
      if (!this.#isNext(row)) await this.#accept(row);
    }
  }

  async end(): Promise<ExportVerdict> {
    if (this.#next === null) await this.#startWith(null);
    const isAbandoned = this.isAbandoned;
    if (!isAbandoned) {
      if (this.#options.from === undefined) this.#oldest = await this.#ownBeginning();
      this.#missing.add({ first: this.#oldest, last: this.#next!, line: this.#line + 1 });
    }
    const counts = [];
    for (const range of this.#missing.ranges) counts.push(await this.#report(range));
    const entries = this.#found + counts.reduce((sum, count) => sum + count, 0);
    const faults = this.#faults.sort((a, b) => a.line - b.line);
    const logEndsAt = await this.#finder.endBefore(this.#options.to);
    return { rows: this.#rows, entries, period: await this.#period(), faults, logEndsAt, isAbandoned };
  }

  #startAt(index: number): void {
    this.#next = index;
    this.#newest = index;
  }

  /** Accepts rows as long as the file has the bytes of the expected ones. */
  async #takeEqual(): Promise<void> {
    while (this.#logRows && this.#next !== null && this.#next >= this.#oldest) {
      const number = Math.floor(this.#next / TILE_WIDTH);
      if (this.#bundle?.number !== number) await this.#openBundle(this.#logRows, number);
      if (!this.#bundle || !(await this.#takeEqualOf(this.#bundle))) return;
    }
  }

  /** A file that is written in another way has no row with these bytes. */
  async #openBundle(logRows: LogRows, number: number): Promise<void> {
    this.#useless = this.#bundle && this.#found === this.#foundBefore ? this.#useless + 1 : 0;
    this.#foundBefore = this.#found;
    if (this.#useless === MOST_USELESS) this.#logRows = null;
    this.#bundle = await logRows.bundle(number, this.#oldest);
  }

  /** False: the next row differs from the expected one, or there is none. */
  async #takeEqualOf({ number, bytes, ends, fields, hashOf }: RowsOfBundle): Promise<boolean> {
    const { wanted } = this.#options;
    const isWanted = (row: number) => !wanted || wanted(fields![row]!, hashOf(row));
    const newest = number * TILE_WIDTH + TILE_WIDTH - 1;
    const end = newest - Math.max(this.#oldest, number * TILE_WIDTH) + 1;
    for (let from = newest - this.#next!; from < end; from = newest - this.#next!) {
      let first = from;
      while (wanted && first < end && !isWanted(first)) first += 1;
      // Entries that the filter leaves out are passed only where a row follows, as in `#expected`.
      if (first > from && !(await this.#file.peek())) return false;
      this.#next = newest - first;
      let to = wanted ? first : end;
      while (to < end && isWanted(to)) to += 1;
      if (to > first && !(await this.#takeRows(bytes, ends, first, to))) return false;
    }
    return true;
  }

  /** Whether the file has all of these rows; takes those that it has. */
  async #takeRows(bytes: Buffer, ends: Uint32Array, first: number, to: number): Promise<boolean> {
    const count = await this.#file.skipEqual(bytes, ends, first, to);
    if (count > 0) {
      this.#rows += count;
      this.#found += count;
      this.#line = this.#file.line - 1;
      this.#next = this.#next! - count;
      this.#last = this.#next + 1;
    }
    return count === to - first;
  }

  /** Accepts a row that equals the expected entry in the open bundle. This is nearly every row, so it is synchronous. */
  #isNext({ line, text }: RowText): boolean {
    if (this.#next === null || this.#next < this.#oldest || this.#options.wanted) return false;
    const entry = this.#finder.inOpenBundle(this.#next);
    if (!entry || formatRow(this.#form, entry.row) !== text) return false;
    this.#rows += 1;
    this.#line = line;
    this.#take(entry);
    return true;
  }

  async #accept(row: RowText): Promise<void> {
    if (this.#next === null) await this.#wait(row);
    else await this.#compareRow(row, await this.#file.peek());
  }

  /** Keeps rows until one is found in the log, which shows where the rows before it belong. */
  async #wait(row: RowText): Promise<void> {
    this.#waiting.push(row);
    const parsed = parseRow(this.#form, row.text);
    const found = parsed && (await this.#finder.locate(parsed));
    if (found || this.#waiting.length > MAX_WAITING) await this.#startWith(found);
  }

  async #startWith(found: FoundEntry | null): Promise<void> {
    let newest = found?.index ?? -1;
    for (const { text } of this.#waiting.slice(0, -1).reverse()) {
      const row = parseRow(this.#form, text);
      if (!found || !row || newest + 1 >= this.#finder.size) break;
      if (isOther(row, (await this.#finder.at(newest + 1)).row)) break;
      newest += 1;
    }
    this.#startAt(newest);
    const rows = this.#waiting.splice(0);
    for (const [index, row] of rows.entries())
      if (!this.isAbandoned) await this.#compareRow(row, rows[index + 1] ?? (await this.#file.peek()));
  }

  async #compareRow({ line, text }: RowText, following: RowText | null): Promise<void> {
    this.#rows += 1;
    this.#line = line;
    const expected = await this.#expected();
    if (expected && formatRow(this.#form, expected.row) === text) return this.#take(expected);
    const row = parseRow(this.#form, text);
    if (!row) return this.#fault(line, 'unreadable', 'this is not a row of the export');
    if (expected?.row.attestation_hash === row.attestation_hash) {
      this.#compareCells(line, row, expected);
      return this.#take(expected);
    }
    const found = await this.#finder.locate(row);
    if (found) return this.#compareOther(line, row, found);
    if (!expected || isOther(row, expected.row) || this.#isOf(following, expected))
      return this.#fault(
        line,
        'added',
        `the log has no event with the hash ${row.attestation_hash} at that time`,
      );
    this.#compareCells(line, row, expected);
    this.#take(expected);
  }

  /** Whether a row belongs to this entry, so that the row before it belongs to none. */
  #isOf(row: RowText | null, { row: expected }: FoundEntry): boolean {
    const hash = row && parseRow(this.#form, row.text)?.attestation_hash;
    return hash === expected.attestation_hash;
  }

  /** The entry that the next row should have; null: the period is over. */
  async #expected(): Promise<FoundEntry | null> {
    const { wanted } = this.#options;
    for (; this.#next! >= this.#oldest; this.#next! -= 1) {
      const entry = await this.#finder.at(this.#next!);
      if (!wanted || wanted(entry.event, entry.row.attestation_hash)) return entry;
    }
    return null;
  }

  #take(entry: FoundEntry): void {
    this.#found += 1;
    this.#next = entry.index - 1;
    this.#last = entry.index;
  }

  /** A row of another entry than the expected one. */
  #compareOther(line: number, row: ExportRow, found: FoundEntry): void {
    const { index } = found;
    const reason = this.#reasonAgainst(found);
    if (reason) this.#fault(line, 'added', reason);
    else {
      this.#compareCells(line, row, found);
      if (index <= this.#next!) {
        this.#missing.add({ first: index + 1, last: this.#next!, line });
        this.#take(found);
      } else this.#compareLate(line, index);
    }
  }

  /** A row that comes after an older one. */
  #compareLate(line: number, index: number): void {
    // The beginning of the export was not given, and its first row was not its newest.
    const isNewest = index > this.#newest;
    if (isNewest) {
      this.#missing.add({ first: this.#newest + 1, last: index - 1, line });
      this.#newest = index;
    }
    if (isNewest || this.#missing.take(index)) {
      this.#found += 1;
      this.#fault(line, 'moved', `event ${index} of the log should come earlier, among newer events`);
    } else this.#fault(line, 'repeated', `event ${index} of the log appears twice`);
  }

  /** Why an entry does not belong in the export. */
  #reasonAgainst({ index, event, row }: FoundEntry): string | null {
    const { wanted, to } = this.#options;
    if (index < this.#oldest || (to !== undefined && index > this.#newest))
      return `event ${index} of the log is outside the period`;
    const isWanted = !wanted || wanted(event, row.attestation_hash);
    return isWanted ? null : `event ${index} does not match the filter`;
  }

  #compareCells(line: number, row: ExportRow, { index, row: expected }: FoundEntry): void {
    for (const name of differences(row, expected)) {
      const [was, is] = [expected[name], row[name]].map((text) => shorten(text));
      this.#fault(line, 'edited', `${name} of event ${index}: the log has ${was}, the row has ${is}`);
    }
  }

  /** The first entry of the log with the same time as the last row. */
  async #ownBeginning(): Promise<number> {
    if (this.#last === null) return this.#next! + 1;
    const { row } = await this.#finder.at(this.#last);
    return this.#finder.countBefore(row.timestamp, { inclusive: false });
  }

  /** Reports missing entries; returns how many of them match the filter. */
  async #report({ first, last, line }: MissingRange): Promise<number> {
    const { wanted } = this.#options;
    let count = wanted ? 0 : last - first + 1;
    for (let index = first; wanted && index <= last; index += 1) {
      const { event, row } = await this.#finder.at(index);
      if (wanted(event, row.attestation_hash)) count += 1;
    }
    if (count === 0) return 0;
    const [oldest, newest] = [await this.#finder.at(first), await this.#finder.at(last)];
    const events = first === last ? `event ${first}` : `${count} of the events ${first} to ${last}`;
    const times =
      first === last ? oldest.row.timestamp : `${oldest.row.timestamp} to ${newest.row.timestamp}`;
    this.#fault(line, 'missing', `${events} of the log, ${times}, should come before this line`);
    return count;
  }

  async #period(): Promise<ExportVerdict['period']> {
    if (this.#newest < this.#oldest || this.#newest < 0) return null;
    const [from, to] = [await this.#finder.at(this.#oldest), await this.#finder.at(this.#newest)];
    return { from: from.row.timestamp, to: to.row.timestamp };
  }

  #fault(line: number, kind: FaultKind, message: string): void {
    this.#faults.push({ line, kind, message });
  }
}

function shorten(text: string): string {
  return text.length > 120 ? `${text.slice(0, 80)} … ${text.slice(-30)}` : text;
}
