import { isAscii, isUtf8 } from 'node:buffer';
import { hash } from 'node:crypto';
import { CathedralError } from '../../errors.ts';
import { type LedgerEvent, MAX_LINE_BYTES } from '../events/event.ts';
import { parseEventLine, parseEventText } from '../events/event-line.ts';
import { EventOrder } from '../events/event-order.ts';
import type { Leaf, LedgerPosition } from '../log/leaf.ts';
import { CompactRange } from '../log/merkle.ts';

const LINE_END = 0x0a;
const LEAF_PREFIX = 0x00;

/**
 * Parses the bytes of ledger lines, in chunks of any size, into verified leaves that continue from a position. Throws
 * `ledger_corrupt`, `ledger_schema` or `ledger_order` at the first wrong line.
 */
export class EventReader {
  readonly #order: EventOrder;
  readonly #tree: CompactRange;
  readonly #place: () => string;
  /** The leaf prefix, followed by the beginning of an incomplete line. */
  readonly #rest = Buffer.allocUnsafeSlow(1 + MAX_LINE_BYTES);
  #restBytes = 0;
  #lines: number;

  /** `place` names a line in errors; the first is `linesBefore` + 1. */
  constructor(position: LedgerPosition, place: (line: number) => string, linesBefore = 0) {
    this.#order = new EventOrder(position);
    this.#tree = CompactRange.resume(position.size, position.range);
    this.#place = () => place(this.#lines + 1);
    this.#lines = linesBefore;
    this.#rest[0] = LEAF_PREFIX;
  }

  /** The leaves of the lines that end in `chunk`. Overwrites bytes of `chunk`. */
  push(chunk: Buffer): Leaf[] {
    let end = chunk.indexOf(LINE_END);
    if (end < 0) {
      this.#keep(chunk);
      return [];
    }
    this.#keep(chunk.subarray(0, end));
    const leaves = [this.#takeRest()];
    const begin = end + 1;
    const decode = decoderOf(chunk.subarray(begin, chunk.lastIndexOf(LINE_END) + 1));
    let start = begin;
    for (;;) {
      end = chunk.indexOf(LINE_END, start);
      if (end < 0) break;
      const fits = end - start <= MAX_LINE_BYTES;
      const event =
        decode && fits
          ? parseEventText(decode(start - begin, end - begin), this.#place)
          : parseEventLine(chunk.subarray(start, end), this.#place());
      // The line end before this line has done its work: in its place the prefix is hashed without copying the line.
      chunk[start - 1] = LEAF_PREFIX;
      leaves.push(this.#leaf(event, chunk.subarray(start - 1, end)));
      start = end + 1;
    }
    this.#keep(chunk.subarray(start));
    return leaves;
  }

  /** Ends the input. Throws if the last line is incomplete. */
  end(): void {
    if (this.#restBytes === 0) return;
    const found = JSON.stringify(this.#rest.toString('utf8', 1, Math.min(this.#restBytes, 80) + 1));
    throw new CathedralError('ledger_corrupt', { place: this.#place(), expected: 'a line end', found });
  }

  /** Bytes of an incomplete last line. */
  get pending(): number {
    return this.#restBytes;
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

  #keep(bytes: Buffer): void {
    if (this.#restBytes + bytes.length > MAX_LINE_BYTES) {
      const found = `more than ${MAX_LINE_BYTES}`;
      throw new CathedralError('ledger_corrupt', {
        place: this.#place(),
        expected: `at most ${MAX_LINE_BYTES} bytes`,
        found,
      });
    }
    bytes.copy(this.#rest, 1 + this.#restBytes);
    this.#restBytes += bytes.length;
  }

  #takeRest(): Leaf {
    const prefixed = this.#rest.subarray(0, 1 + this.#restBytes);
    this.#restBytes = 0;
    return this.#leaf(parseEventLine(prefixed.subarray(1), this.#place()), prefixed);
  }

  #leaf(event: LedgerEvent, prefixedLine: Buffer): Leaf {
    this.#order.accept(event, this.#place);
    const leaf = hash('sha256', prefixedLine, 'hex');
    this.#tree.append(leaf);
    this.#lines += 1;
    return { event, hash: leaf };
  }
}

/** How to take any line out of `lines`, by offsets in them; none where not all is UTF-8, so that each is looked at. */
function decoderOf(lines: Buffer): ((start: number, end: number) => string) | undefined {
  if (!isAscii(lines)) return isUtf8(lines) ? (start, end) => lines.toString('utf8', start, end) : undefined;
  // One text for all lines: a part of it is quicker had than a text made of a part of the bytes.
  const text = lines.toString('latin1');
  return (start, end) => text.slice(start, end);
}
