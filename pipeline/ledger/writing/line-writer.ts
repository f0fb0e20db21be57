import { CathedralError } from '../../errors.ts';
import { type LedgerEvent, MAX_LINE_BYTES } from '../events/event.ts';
import { EventOrder } from '../events/event-order.ts';
import type { LedgerPosition } from '../log/leaf.ts';

const LINE_END = Buffer.from('\n');

/** Collects the lines of checked events that continue from a position, until somebody writes them. */
export class LineWriter {
  readonly #order: EventOrder;
  #lines: Buffer[] = [];
  #bytes = 0;

  constructor(position: Pick<LedgerPosition, 'size' | 'timestamp'>) {
    this.#order = new EventOrder(position);
  }

  /**
   * An event that has been checked, and its line without the line end, whose bytes it returns. Throws `ledger_order` or `ledger_corrupt`
   * (too long) with the place `event <seq>`.
   */
  add(event: LedgerEvent, line: string | Uint8Array): Buffer {
    const bytes = Buffer.from(line as string);
    if (bytes.length > MAX_LINE_BYTES) {
      const expected = `at most ${MAX_LINE_BYTES} bytes`;
      throw new CathedralError('ledger_corrupt', { place: this.place(), expected, found: `${bytes.length}` });
    }
    this.#order.accept(event, this.place);
    this.#lines.push(bytes, LINE_END);
    this.#bytes += bytes.length + 1;
    return bytes;
  }

  /** Names the next event in errors. */
  readonly place = () => `event ${this.#order.seq}`;

  /** Bytes of the lines since the last `take`. */
  get bytes(): number {
    return this.#bytes;
  }

  /** The lines since the last call, with line ends. */
  take(): Buffer {
    const lines = Buffer.concat(this.#lines, this.#bytes);
    this.#lines = [];
    this.#bytes = 0;
    return lines;
  }

  /** The end of the events so far: the seq of the next one, and the time of the last, null before the first. */
  get end(): Pick<LedgerPosition, 'size' | 'timestamp'> {
    return { size: this.#order.seq, timestamp: this.#order.timestamp };
  }
}
