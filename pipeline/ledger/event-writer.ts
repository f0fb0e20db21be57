import { hash } from 'node:crypto';
import { CathedralError } from '../errors.ts';
import { type LedgerEvent, MAX_LINE_BYTES } from './event.ts';
import { assertEvent } from './event-check.ts';
import { formatEventLine } from './event-line.ts';
import { EventOrder } from './event-order.ts';
import type { LedgerPosition } from './leaf.ts';
import { CompactRange } from './merkle.ts';

const LINE_END = 0x0a;
const LEAF_PREFIX = 0x00;
/** UTF-8 needs at most three bytes for one UTF-16 unit. */
const ROOM = 3 * MAX_LINE_BYTES + 1;
const NONE = Buffer.alloc(0);

/**
 * Writes events that continue from a position as ledger lines, each validated as by a reader. Throws `ledger_schema`, `ledger_order` or
 * `ledger_corrupt` (too long) with the place `event <seq>`.
 */
export class EventWriter {
  readonly #order: EventOrder;
  readonly #tree: CompactRange;
  readonly #batchBytes: number;
  readonly #place = () => `event ${this.#order.seq}`;
  #batch = NONE;
  /** Offset of the next line. One byte precedes the first, for the leaf prefix. */
  #at = 1;

  /** `full` once `batchBytes` have been written. */
  constructor(position: LedgerPosition, batchBytes: number) {
    this.#order = new EventOrder(position);
    this.#tree = CompactRange.resume(position.size, position.range);
    this.#batchBytes = batchBytes;
  }

  append(event: LedgerEvent): void {
    assertEvent(event, this.#place);
    const line = formatEventLine(event);
    if (this.#batch === NONE) this.#batch = Buffer.allocUnsafeSlow(1 + this.#batchBytes + ROOM);
    const start = this.#at;
    const bytes = line.length > MAX_LINE_BYTES ? line.length : this.#batch.write(line, start);
    if (bytes > MAX_LINE_BYTES) {
      const expected = `at most ${MAX_LINE_BYTES} bytes`;
      throw new CathedralError('ledger_corrupt', { place: this.#place(), expected, found: `${bytes}` });
    }
    this.#order.accept(event, this.#place);
    this.#at += bytes;
    // The byte before the line is its predecessor's line end. The leaf prefix replaces it while the line is hashed.
    this.#batch[start - 1] = LEAF_PREFIX;
    this.#tree.append(hash('sha256', this.#batch.subarray(start - 1, this.#at), 'hex'));
    this.#batch[start - 1] = LINE_END;
    this.#batch[this.#at++] = LINE_END;
  }

  get full(): boolean {
    return this.#at > this.#batchBytes;
  }

  /** The lines since the last call, with line ends. The caller may keep the buffer. */
  take(): Buffer {
    const lines = this.#batch.subarray(1, this.#at);
    this.#batch = NONE;
    this.#at = 1;
    return lines;
  }

  get size(): number {
    return this.#tree.size;
  }

  /** RFC 6962 root over all events so far, hex. */
  root(): string {
    return this.#tree.root();
  }

  position(snapshot: string | null): LedgerPosition {
    return { snapshot, size: this.#tree.size, range: this.#tree.hashes(), timestamp: this.#order.timestamp };
  }
}
