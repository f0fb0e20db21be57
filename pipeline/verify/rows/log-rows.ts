import { compareTimestamps } from '../../ledger/events/timestamp.ts';

/** A row that follows from the log. */
export interface LogRow {
  /** As its own file has it, without separator and line end. */
  text: string;
  /** As the service writes it in the form that it is compared in, if that is another one. */
  spelt?: string;
  /** As in its time column: a time or a day. */
  time: string;
  /** Where the log has its event; null for a row of a whole day. */
  event: number | null;
  /** The events that its links name; null where hashes decide which these are. */
  links: readonly number[] | null;
  /** The time of the event, or of the last public one of the day. */
  timestamp: string;
}

/** The times of rows. */
export const DATE = /^\d{4}-\d\d-\d\d$/;
export const TIMESTAMP = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/;

/** Negative, 0 or positive as a row’s time is before, at or after another of the same table. */
export function compareTimes(one: string, other: string): number {
  if (one.length > 'YYYY-MM-DD'.length && other.length > 'YYYY-MM-DD'.length)
    return compareTimestamps(one, other);
  return one === other ? 0 : one < other ? -1 : 1;
}

/** A row as the artifact makes it, without its line end. */
export function withoutEnd(text: string): string {
  return text.endsWith('\n') ? text.slice(0, -1) : text;
}

/** Where a row is: greater for newer rows. */
export type Place = number;

/** More rows than any block has. */
const MOST_ROWS = 2 ** 22;

function placeOf(block: number, row: number): Place {
  return (block + 1) * MOST_ROWS - 1 - row;
}

function partsOf(place: Place): { block: number; row: number } {
  return { block: Math.floor(place / MOST_ROWS), row: MOST_ROWS - 1 - (place % MOST_ROWS) };
}

/** Blocks in memory: enough for a search by time. */
const CACHED = 24;

/** The rows that follow from a log, in blocks; block 0 has the oldest rows, and each has its newest row first. */
export class LogRows<Row extends LogRow = LogRow> {
  readonly blocks: number;
  readonly #read: (number: number) => Promise<readonly Row[]>;
  /** Those that were used last. */
  readonly #cache = new Map<number, Promise<readonly Row[]>>();
  #open: { number: number; rows: readonly Row[] } = { number: -1, rows: [] };

  constructor(blocks: number, read: (number: number) => Promise<readonly Row[]>) {
    [this.blocks, this.#read] = [blocks, read];
  }

  async block(number: number): Promise<readonly Row[]> {
    if (number === this.#open.number) return this.#open.rows;
    const known = this.#cache.get(number) ?? this.#read(number);
    this.#cache.delete(number);
    this.#cache.set(number, known);
    if (this.#cache.size > CACHED) this.#cache.delete(this.#cache.keys().next().value!);
    this.#open = { number, rows: await known };
    return this.#open.rows;
  }

  blockOf(place: Place): number {
    return partsOf(place).block;
  }

  async at(place: Place): Promise<Row> {
    const { block, row } = partsOf(place);
    return (await this.block(block))[row]!;
  }

  /** Null: there are no rows. */
  newest(): Promise<Place | null> {
    return this.#newestUpTo(this.blocks - 1);
  }

  /** The next older row; null at the end of the table. */
  async older(place: Place): Promise<Place | null> {
    const { block, row } = partsOf(place);
    return row + 1 < (await this.block(block)).length ? place - 1 : this.#newestUpTo(block - 1);
  }

  /** The next newer row; null at the end of the table. */
  async newer(place: Place): Promise<Place | null> {
    const { block, row } = partsOf(place);
    if (row > 0) return place + 1;
    for (let next = block + 1; next < this.blocks; next += 1) {
      const { length } = await this.block(next);
      if (length > 0) return placeOf(next, length - 1);
    }
    return null;
  }

  /** Rows of exactly this time, the newest first. */
  async ofTime(time: string): Promise<Place[]> {
    const places: Place[] = [];
    let place = await this.newestWhere((row) => compareTimes(row.time, time) <= 0);
    while (place !== null && compareTimes((await this.at(place)).time, time) === 0) {
      places.push(place);
      place = await this.older(place);
    }
    return places;
  }

  /** The newest row of which `isBefore` holds, as of every older one. */
  async newestWhere(isBefore: (row: Row) => boolean): Promise<Place | null> {
    // The oldest block in whose oldest row this does not hold; blocks without rows are passed over.
    let [low, high] = [0, this.blocks];
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      const filled = await this.#filled(middle, low);
      if (filled === null || isBefore((await this.block(filled)).at(-1)!)) low = middle + 1;
      else high = filled;
    }
    const block = await this.#filled(low - 1, 0);
    return block === null ? null : placeOf(block, (await this.block(block)).findIndex(isBefore));
  }

  async #newestUpTo(number: number): Promise<Place | null> {
    const block = await this.#filled(number, 0);
    return block === null ? null : placeOf(block, 0);
  }

  /** The nearest block with rows from `number` down to `least`. */
  async #filled(number: number, least: number): Promise<number | null> {
    for (let block = number; block >= least; block -= 1)
      if ((await this.block(block)).length > 0) return block;
    return null;
  }
}
