import { compareTimestamps } from '../../ledger/events/timestamp.ts';

/** A row that follows from the log. */
export interface LogRow {
  /** As the service writes it, without separator and line end. */
  text: string;
  /** As in its time column: a time or a day. */
  time: string;
}

/** The rows that follow from a log, in blocks; block 0 has the oldest rows, and each has its newest row first. */
export interface LogRows<Row extends LogRow> {
  blocks: number;
  block(number: number): Promise<readonly Row[]>;
}

/** Negative, 0 or positive as a row’s time is before, at or after another of the same table. */
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

/** Blocks in memory: enough for a search by time. */
const CACHED = 24;

/** Keeps the blocks that were used last, and those that are on their way. */
export function cached<Row>(
  read: (number: number) => Promise<readonly Row[]>,
): (number: number) => Promise<readonly Row[]> {
  const cache = new Map<number, Promise<readonly Row[]>>();
  return (number) => {
    const known = cache.get(number) ?? read(number);
    cache.delete(number);
    cache.set(number, known);
    if (cache.size > CACHED) cache.delete(cache.keys().next().value!);
    return known;
  };
}

/** Finds rows by their time, and goes from one to the next. */
export class RowFinder<Row extends LogRow> {
  readonly #rows: LogRows<Row>;
  #open: { number: number; rows: readonly Row[] } = { number: -1, rows: [] };

  constructor(rows: LogRows<Row>) {
    this.#rows = rows;
  }

  partsOf(place: Place): { block: number; row: number } {
    return { block: Math.floor(place / MOST_ROWS), row: MOST_ROWS - 1 - (place % MOST_ROWS) };
  }

  /** The place of this row or, if the block has fewer rows, of the next older one; null at the end of the table. */
  async from(block: number, row: number): Promise<Place | null> {
    if (block < 0) return null;
    return row < (await this.#block(block)).length ? placeOf(block, row) : this.#firstOf(block - 1);
  }

  /** Which part of all blocks is older than the row’s, from 0 to 1. */
  olderThan(place: Place): number {
    return this.partsOf(place).block / this.#rows.blocks;
  }

  isInNewestBlock(place: Place): boolean {
    return this.partsOf(place).block === this.#rows.blocks - 1;
  }

  async at(place: Place): Promise<Row> {
    const { block, row } = this.partsOf(place);
    return (await this.#block(block))[row]!;
  }

  /** Null: there are no rows. */
  newest(): Promise<Place | null> {
    return this.#firstOf(this.#rows.blocks - 1);
  }

  /** Null: there are no rows. */
  oldest(): Promise<Place | null> {
    return this.#lastFrom(0);
  }

  /** The place of the next older row; null at the end of the table. */
  older(place: Place): Promise<Place | null> {
    const { block, row } = this.partsOf(place);
    return this.from(block, row + 1);
  }

  /** The place of the next newer row; null at the end of the table. */
  async newer(place: Place): Promise<Place | null> {
    const { block, row } = this.partsOf(place);
    return row > 0 ? place + 1 : this.#lastFrom(block + 1);
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
  async newestWhere(isBefore: (row: Row) => boolean): Promise<Place | null> {
    const end = await this.#firstBlock((rows) => !isBefore(rows.at(-1)!));
    for (let block = end - 1; block >= 0; block -= 1) {
      const row = (await this.#block(block)).findIndex(isBefore);
      if (row >= 0) return placeOf(block, row);
    }
    return null;
  }

  /** The number of the oldest block that may have rows of this time. */
  #firstFrom(time: string): Promise<number> {
    return this.#firstBlock((rows) => compareTimes(rows[0]!.time, time) >= 0);
  }

  /** The number of the oldest block of whose rows this holds, as of those of every newer block; blocks without rows are passed over. */
  async #firstBlock(holds: (rows: readonly Row[]) => boolean): Promise<number> {
    let [low, high] = [0, this.#rows.blocks];
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      const filled = await this.#filled(middle, low);
      if (filled === null || !holds(await this.#block(filled))) low = middle + 1;
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

  async #lastFrom(oldest: number): Promise<Place | null> {
    for (let block = oldest; block < this.#rows.blocks; block += 1) {
      const { length } = await this.#block(block);
      if (length > 0) return placeOf(block, length - 1);
    }
    return null;
  }

  async #block(number: number): Promise<readonly Row[]> {
    if (number !== this.#open.number) this.#open = { number, rows: await this.#rows.block(number) };
    return this.#open.rows;
  }
}
