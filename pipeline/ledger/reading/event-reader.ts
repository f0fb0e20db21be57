import { parseEventLine } from '../events/event-line.ts';
import { EventOrder } from '../events/event-order.ts';
import type { LedgerPosition, ReadLeaf } from '../log/leaf.ts';
import { CompactRange, leafHash } from '../log/merkle.ts';

/** Verifies ledger lines that continue from a position: each by itself, after its predecessor, and as a leaf of the tree. */
export class EventReader {
  readonly #order: EventOrder;
  readonly #tree: CompactRange;
  readonly #place: () => string;
  #lines: number;

  /** `place` names a line in errors; the first is `linesBefore` + 1. */
  constructor(position: LedgerPosition, place: (line: number) => string, linesBefore = 0) {
    this.#order = new EventOrder(position);
    this.#tree = CompactRange.resume(position.size, position.range);
    this.#place = () => place(this.#lines);
    this.#lines = linesBefore;
  }

  /** The next lines, without line ends. Throws `ledger_corrupt`, `ledger_schema` or `ledger_order` at the first wrong one. */
  read(lines: readonly Buffer[]): ReadLeaf[] {
    return lines.map((line) => {
      this.#lines += 1;
      const event = parseEventLine(line, this.#place);
      this.#order.accept(event, this.#place);
      const hash = leafHash(line);
      this.#tree.append(hash);
      return { event, hash, line };
    });
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
