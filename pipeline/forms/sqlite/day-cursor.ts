import type { Row } from '../row.ts';
import { type Table, timeColumn } from '../tables.ts';

/** Reads the rows of a growing table day by day. */
export class DayCursor {
  readonly table: Table;
  readonly #batches: AsyncIterator<Row[]>;
  readonly #column: number;
  #batch: readonly Row[] = [];
  #at = 0;

  constructor(table: Table, batches: AsyncIterator<Row[]>) {
    this.table = table;
    this.#batches = batches;
    this.#column = timeColumn(table);
  }

  /** Day of the next row; null at the end. */
  async day(): Promise<string | null> {
    while (this.#at === this.#batch.length) {
      const { value, done } = await this.#batches.next();
      if (done) return null;
      this.#batch = value;
      this.#at = 0;
    }
    return this.#dayAt(this.#at);
  }

  /** The rows of that day that are in memory; there may be more in the next batch. */
  take(day: string): readonly Row[] {
    const begin = this.#at;
    while (this.#at < this.#batch.length && this.#dayAt(this.#at) === day) this.#at += 1;
    return this.#batch.slice(begin, this.#at);
  }

  #dayAt(index: number): string {
    return (this.#batch[index]![this.#column] as string).slice(0, 10);
  }
}
