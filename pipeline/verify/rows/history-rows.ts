import { compareTimestamps } from '../../ledger/events/timestamp.ts';
import type { Leaf } from '../../ledger/log/leaf.ts';
import { TILE_WIDTH } from '../../ledger/log/tile.ts';
import { apply } from '../../model/fold.ts';
import { isNewDay } from '../../model/period.ts';
import { emptyDay, emptyState, type State } from '../../model/state.ts';
import { dayOf } from '../../model/window.ts';
import type { HistoryTable } from './history-tables.ts';
import { bundlesOf, type PublicLog } from './public-log.ts';

/** A row that follows from the log. */
export interface LogRow {
  /** Of the history’s own file, without separator and line end. */
  text: string;
  /** As in its time column. */
  time: string;
  /** Where the log has its event; null for a row of a whole day. */
  event: number | null;
  /** The events that its links name; null where hashes decide which these are. */
  links: readonly number[] | null;
  /** The time of the event, or of the last public one of the day. */
  timestamp: string;
}

/** The rows of a history that follow from a log, in blocks; block 0 has the oldest rows, and each has its newest row first. */
export interface LogRows {
  blocks: number;
  block(number: number): Promise<readonly LogRow[]>;
  /** For histories with a row per event, whose blocks are those of the log: which of them may have rows. */
  mayHave?: (number: number) => boolean;
  /** Of the newest block: rows whose day may not be over. */
  open: number;
  /** The row of a day without a public event; null: there can be none. */
  carried(date: string): string | null;
}

/** Called as work proceeds; `total` and `done` are events. */
export type OnProgress = (progress: { stage: 'folding' | 'comparing'; done: number; total: number }) => void;

/** Blocks in memory: enough for a search by time. */
const CACHED = 24;
const PROGRESS_BUNDLES = 64;

/** A history whose rows each state one event. */
export async function eventRows(log: PublicLog, table: HistoryTable): Promise<LogRows> {
  const mayHave = await log.bundlesWith(table.types);
  const cache = new Map<number, Promise<readonly LogRow[]>>();
  const read = async (number: number) =>
    !mayHave(number)
      ? []
      : (await log.events(number)).flatMap((leaf) => (leaf ? rowsOfEvent(table, leaf) : [])).reverse();
  return {
    blocks: bundlesOf(log),
    open: 0,
    mayHave,
    carried: () => null,
    block(number) {
      const known = cache.get(number) ?? read(number);
      cache.delete(number);
      cache.set(number, known);
      if (cache.size > CACHED) cache.delete(cache.keys().next().value!);
      return known;
    },
  };
}

/** The rows that an event adds, oldest first. */
function rowsOfEvent(table: HistoryTable, leaf: Leaf): LogRow[] {
  if (!(table.types as readonly string[]).includes(leaf.event.type)) return [];
  const { seq: event, timestamp } = leaf.event;
  const time = table.time === 'date' ? dayOf(timestamp) : timestamp;
  return table.artifact.rows(leaf).map((text) => ({
    text: withoutEnd(text),
    time,
    event,
    links: [event],
    timestamp,
  }));
}

function withoutEnd(text: string): string {
  return text.endsWith('\n') ? text.slice(0, -1) : text;
}

/** Days without a public event: after one day, before another (null: the log ends), and what their rows have after the date. */
interface Gap {
  after: string;
  before: string | null;
  rest: string;
}

/** A day of which any row serves as a pattern. */
const SOME_DAY = '2000-01-01';

/**
 * A history by day, recomputed with the fold of the pipeline over the public events, which must include all that its numbers follow from.
 * Its rows stay in memory: one or a few for each day.
 */
export class DayRows implements LogRows {
  readonly #table: HistoryTable;
  readonly #blocks: LogRow[][] = [];
  readonly #gaps: Gap[] = [];
  #state: State;
  /** Index of the last public event. */
  #last = -1;
  open = 0;

  private constructor(table: HistoryTable, supply: bigint) {
    this.#table = table;
    this.#state = emptyState();
    this.#state.supply.total = supply;
  }

  /** `supply`: of the beginning, in 1e-6 MIC, where the genesis event stays a hash. */
  static async fold(
    log: PublicLog,
    table: HistoryTable,
    { supply = 0n, onProgress }: { supply?: bigint | undefined; onProgress?: OnProgress | undefined } = {},
  ): Promise<DayRows> {
    const rows = new DayRows(table, supply);
    for (let number = 0; number < bundlesOf(log); number += 1) {
      if (number % PROGRESS_BUNDLES === 0)
        onProgress?.({ stage: 'folding', done: number * TILE_WIDTH, total: log.size });
      const block: LogRow[] = [];
      for (const leaf of await log.events(number)) if (leaf) block.push(...rows.#add(leaf));
      if (block.length > 0) rows.#blocks.push(block.reverse());
    }
    rows.#end(log.size);
    return rows;
  }

  get blocks(): number {
    return this.#blocks.length;
  }

  async block(number: number): Promise<readonly LogRow[]> {
    return this.#blocks[number]!;
  }

  carried(date: string): string | null {
    const gap = this.#gaps.find(({ after, before }) => after < date && (before === null || date < before));
    return gap ? date + gap.rest : null;
  }

  /** Adds an event; the rows of the day that it ends, in their order. */
  #add(leaf: Leaf): LogRow[] {
    const { timestamp, seq } = leaf.event;
    const closed = isNewDay(this.#state, timestamp) ? this.#closeDay() : [];
    const { date } = this.#state.day;
    if (dayOf(timestamp) !== date) this.#addGap(date, dayOf(timestamp), seq);
    this.#state = apply(this.#state, leaf);
    this.#last = seq;
    return closed;
  }

  #closeDay(): LogRow[] {
    const { artifact, time } = this.#table;
    const { asOf: timestamp, day } = this.#state;
    const events = artifact.dayEvents?.(this.#state);
    return artifact.dayRows!(this.#state).map((row, index) => {
      const text = withoutEnd(row);
      const at = time === 'closed' ? (JSON.parse(text) as { closed: string }).closed : day.date;
      return { text, time: at, event: null, links: events?.[index] ?? null, timestamp };
    });
  }

  /** Between two public events, all others stay hashes: a day in between has rows if one of them was on it. */
  #addGap(after: string, before: string | null, next: number): void {
    const { artifact, isCsv } = this.#table;
    if (next === this.#last + 1 || !isCsv) return;
    const [row] = artifact.dayRows!({ ...this.#state, day: emptyDay(SOME_DAY) });
    if (row) this.#gaps.push({ after, before, rest: withoutEnd(row).slice(SOME_DAY.length) });
  }

  #end(size: number): void {
    if (this.#last < 0) return;
    const rows = this.#closeDay().reverse();
    this.open = rows.length;
    if (rows.length > 0) this.#blocks.push(rows);
    this.#addGap(this.#state.day.date, null, size);
  }
}

/** Negative, 0 or positive as a row’s time is before, at or after another of the same history. */
export function compareTimes(one: string, other: string): number {
  if (one.length > 'YYYY-MM-DD'.length && other.length > 'YYYY-MM-DD'.length)
    return compareTimestamps(one, other);
  return one === other ? 0 : one < other ? -1 : 1;
}

/** Where a row is: greater for newer rows. */
export type Place = number;

/** More rows than any block has. */
const MOST_ROWS = 2 ** 22;

function placeOf(block: number, row: number): Place {
  return (block + 1) * MOST_ROWS - 1 - row;
}

/** Finds rows by their time, and goes from one to the next. */
export class RowFinder {
  readonly #rows: LogRows;
  #open: { number: number; rows: readonly LogRow[] } = { number: -1, rows: [] };

  constructor(rows: LogRows) {
    this.#rows = rows;
  }

  partsOf(place: Place): { block: number; row: number } {
    return { block: Math.floor(place / MOST_ROWS), row: MOST_ROWS - 1 - (place % MOST_ROWS) };
  }

  /** The place of this row or, if the block has fewer rows, of the next older one; null at the end of the history. */
  async from(block: number, row: number): Promise<Place | null> {
    if (block < 0) return null;
    return row < (await this.#block(block)).length ? placeOf(block, row) : this.#firstOf(block - 1);
  }

  /** How many of the log’s events are before this row’s block, about. */
  eventsBefore(place: Place, events: number): number {
    return Math.round((events * Math.floor(place / MOST_ROWS)) / this.#rows.blocks);
  }

  /** Whether the row is of a day that may not be over. */
  isOpen(place: Place): boolean {
    return this.#rows.open > 0 && Math.floor(place / MOST_ROWS) === this.#rows.blocks - 1;
  }

  async at(place: Place): Promise<LogRow> {
    const block = Math.floor(place / MOST_ROWS);
    return (await this.#block(block))[MOST_ROWS - 1 - (place % MOST_ROWS)]!;
  }

  /** Null: there are no rows. */
  newest(): Promise<Place | null> {
    return this.#firstOf(this.#rows.blocks - 1);
  }

  /** The place of the next older row; null at the end of the history. */
  async older(place: Place): Promise<Place | null> {
    const block = Math.floor(place / MOST_ROWS);
    const row = MOST_ROWS - 1 - (place % MOST_ROWS);
    return row + 1 < (await this.#block(block)).length ? place - 1 : this.#firstOf(block - 1);
  }

  /** The place of the next newer row; null at the end of the history. */
  async newer(place: Place): Promise<Place | null> {
    if (place % MOST_ROWS < MOST_ROWS - 1) return place + 1;
    for (let block = Math.floor(place / MOST_ROWS) + 1; block < this.#rows.blocks; block += 1) {
      const { length } = await this.#block(block);
      if (length > 0) return placeOf(block, length - 1);
    }
    return null;
  }

  /** Rows of exactly this time, the newest first. */
  async ofTime(time: string): Promise<Place[]> {
    const places: Place[] = [];
    for (let block = await this.#firstFrom(time); block < this.#rows.blocks; block += 1) {
      const rows = await this.#block(block);
      if (rows.length > 0 && compareTimes(rows.at(-1)!.time, time) > 0) break;
      const found = rows.flatMap((row, index) =>
        compareTimes(row.time, time) === 0 ? [placeOf(block, index)] : [],
      );
      places.unshift(...found);
    }
    return places;
  }

  /** The newest row of which `isBefore` holds, as of every older one. */
  async newestWhere(isBefore: (row: LogRow) => boolean): Promise<Place | null> {
    let [low, high] = [0, this.#rows.blocks];
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      const filled = await this.#filled(middle, low);
      if (filled === null || isBefore((await this.#block(filled)).at(-1)!)) low = middle + 1;
      else high = filled;
    }
    for (let block = low - 1; block >= 0; block -= 1) {
      const row = (await this.#block(block)).findIndex(isBefore);
      if (row >= 0) return placeOf(block, row);
    }
    return null;
  }

  /** The number of the oldest block that may have rows of this time. */
  async #firstFrom(time: string): Promise<number> {
    let [low, high] = [0, this.#rows.blocks];
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      const filled = await this.#filled(middle, low);
      if (filled === null || compareTimes((await this.#block(filled))[0]!.time, time) < 0) low = middle + 1;
      else high = filled;
    }
    return low;
  }

  /** The nearest block with rows from `number` down to `least`. */
  async #filled(number: number, least: number): Promise<number | null> {
    for (let block = number; block >= least; block -= 1)
      if ((await this.#block(block)).length > 0) return block;
    return null;
  }

  async #firstOf(newest: number): Promise<Place | null> {
    const block = await this.#filled(newest, 0);
    return block === null ? null : placeOf(block, 0);
  }

  async #block(number: number): Promise<readonly LogRow[]> {
    if (number !== this.#open.number) this.#open = { number, rows: await this.#rows.block(number) };
    return this.#open.rows;
  }
}
