import { hash } from 'node:crypto';
import { CathedralError } from '../../errors.ts';
import { type LedgerEvent, MAX_LINE_BYTES } from '../events/event.ts';
import { assertEvent } from '../events/event-check.ts';
import { formatEventLine } from '../events/event-line.ts';
import { EventOrder } from '../events/event-order.ts';
import type { LedgerPosition } from '../log/leaf.ts';
import { CompactRange } from '../log/merkle.ts';

const LINE_END = 0x0a;
const LEAF_PREFIX = 0x00;
/** UTF-8 needs at most three bytes for one UTF-16 unit. */
const ROOM = 3 * MAX_LINE_BYTES + 1;
const NONE = Buffer.alloc(0);

/**
 * Collects the lines of checked events that continue from a position. Throws `ledger_order` or `ledger_corrupt` (too long) with the
 * place `event <seq>`.
 */
export class LineWriter {
  readonly #order: EventOrder;
  readonly #batchBytes: number;
  /** Names the next event in errors. */
  protected readonly place = () => `event ${this.#order.seq}`;
  #batch = NONE;
  /** Offset of the next line. One byte precedes the first, for the leaf prefix. */
  #at = 1;

  /** `full` once `batchBytes` have been written. */
  constructor(position: Pick<LedgerPosition, 'size' | 'timestamp'>, batchBytes: number) {
    this.#order = new EventOrder(position);
    this.#batchBytes = batchBytes;
  }

  /** An event that has been checked, and its line without the line end. Returns the line after one byte that belongs to its predecessor. */
  appendLine(event: LedgerEvent, line: string | Uint8Array): Buffer {
    if (this.#batch === NONE) this.#batch = Buffer.allocUnsafeSlow(1 + this.#batchBytes + ROOM);
    const start = this.#at;
    const bytes = line.length > MAX_LINE_BYTES ? line.length : this.#write(line);
    if (bytes > MAX_LINE_BYTES) {
      const expected = `at most ${MAX_LINE_BYTES} bytes`;
      throw new CathedralError('ledger_corrupt', { place: this.place(), expected, found: `${bytes}` });
    }
    this.#order.accept(event, this.place);
    this.#at += bytes;
    this.#batch[this.#at++] = LINE_END;
    return this.#batch.subarray(start - 1, start + bytes);
  }

  #write(line: string | Uint8Array): number {
    if (typeof line === 'string') return this.#batch.write(line, this.#at);
    this.#batch.set(line, this.#at);
    return line.length;
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

  /** Timestamp of the last event; null before the first. */
  get timestamp(): string | null {
    return this.#order.timestamp;
  }

  /** Seq of the next event. */
  get size(): number {
    return this.#order.seq;
  }
}

/**
 * Writes events that continue from a position as ledger lines, each validated as by a reader, and computes their Merkle tree. Throws
 * `ledger_schema`, `ledger_order` or `ledger_corrupt` (too long) with the place `event <seq>`.
 */
export class EventWriter extends LineWriter {
  readonly #tree: CompactRange;

  constructor(position: LedgerPosition, batchBytes: number) {
    super(position, batchBytes);
    this.#tree = CompactRange.resume(position.size, position.range);
  }

  append(event: LedgerEvent): void {
    assertEvent(event, this.place);
    this.appendLine(event, formatEventLine(event));
  }

  override appendLine(event: LedgerEvent, line: string | Uint8Array): Buffer {
    const leaf = super.appendLine(event, line);
    // The byte before the line is its predecessor's line end. The leaf prefix replaces it while the line is hashed.
    leaf[0] = LEAF_PREFIX;
    this.#tree.append(hash('sha256', leaf, 'hex'));
    leaf[0] = LINE_END;
    return leaf;
  }

  /** RFC 6962 root over all events so far, hex. */
  root(): string {
    return this.#tree.root();
  }

  position(snapshot: string | null): LedgerPosition {
    return { snapshot, size: this.size, range: this.#tree.hashes(), timestamp: this.timestamp };
  }
}
