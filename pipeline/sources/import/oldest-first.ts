import { CathedralError } from '../../errors.ts';
import { MAX_AHEAD_MS } from '../../ledger/events/draft.ts';
import { SEAL_DELAY_MS, slotStart } from './imported-row.ts';
import { type RowSource, rowPlace, type SourceRow } from './source.ts';

/** Rows of a first import that are looked at before any is taken, where they come over a connection that may break. */
const LOOKED_AT = 1000;

/**
 * The rows of a first import, whose order is looked at before one is taken. A ledger cannot go back in time: where the newest row comes
 * first, or newer rows before an older history, the others would get their time, signed for good, and where a ledger of `ledger init` begins
 * after the rows, they would get that of its genesis. A few rows that come late are reported instead. `read` reads them from the first.
 * `begin`: the time of the ledger's last event; null without one.
 */
export async function* oldestFirst(
  read: () => AsyncIterable<readonly SourceRow[]>,
  source: RowSource,
  now: number,
  begin: string | null,
): AsyncGenerator<readonly SourceRow[]> {
  const order = new Order(now, begin);
  if (source.isReadTwice) {
    for await (const batch of read()) order.add(batch);
    order.assertAscending(source);
    yield* read();
    return;
  }
  let first: SourceRow[] | null = [];
  for await (const batch of read()) {
    if (first === null) {
      yield batch;
      continue;
    }
    order.add(batch);
    first.push(...batch);
    if (first.length < LOOKED_AT) continue;
    order.assertAscending(source);
    yield first;
    first = null;
  }
  if (first === null) return;
  order.assertAscending(source);
  yield first;
}

/** How the times of rows follow each other. */
class Order {
  readonly #now: number;
  readonly #begin: string | null;
  #latest: string | null;
  #count = 0;
  #late = 0;
  /** The first late row, and the time of a row before it. */
  #first: { row: SourceRow; after: string } | null = null;

  constructor(now: number, begin: string | null) {
    this.#now = now;
    this.#begin = begin;
    this.#latest = begin;
  }

  add(rows: readonly SourceRow[]): void {
    for (const row of rows) {
      if (typeof row.event !== 'function') continue;
      const time = Date.parse(row.timestamp);
      // It is refused by itself, and no row is late because of it.
      if (time > this.#now + MAX_AHEAD_MS) continue;
      this.#count += 1;
      if (this.#latest === null || time >= slotStart(this.#latest) - SEAL_DELAY_MS) {
        this.#latest = row.timestamp;
        continue;
      }
      this.#late += 1;
      this.#first ??= { row, after: this.#latest };
    }
  }

  /** Throws import_failed. */
  assertAscending({ name, oldestFirst: remedy }: RowSource): void {
    if (this.#first === null || this.#late * 10 <= this.#count) return;
    const { row, after } = this.#first;
    const isBeforeLedger = this.#begin !== null && Date.parse(row.timestamp) < Date.parse(this.#begin);
    const [expected, before] = isBeforeLedger
      ? [`rows after ${this.#begin}, when the ledger begins: make it again with an earlier --from`, '']
      : [`rows whose times ascend, oldest first, in a first import: ${remedy}`, ` after ${after}`];
    throw new CathedralError('import_failed', {
      place: rowPlace(name, row),
      expected,
      found: `${row.timestamp}${before}; so are ${this.#late} of ${this.#count} rows, and the ledger would have them with a later time`,
    });
  }
}
