import { errorOf } from '../../errors.ts';
import type { LedgerPosition } from '../log/leaf.ts';
import type { LedgerEvent } from './event.ts';
import { compareTimestamps } from './timestamp.ts';

const disorder = errorOf('ledger_order');

/** Enforces the ledger's order: no gap in seq, no time before its predecessor's, at most one genesis. */
export class EventOrder {
  #seq: number;
  #timestamp: string | null;

  constructor(position: Pick<LedgerPosition, 'size' | 'timestamp'>) {
    this.#seq = position.size;
    this.#timestamp = position.timestamp;
  }

  /** Seq of the next event. */
  get seq(): number {
    return this.#seq;
  }

  /** Timestamp of the last event; null before the first. */
  get timestamp(): string | null {
    return this.#timestamp;
  }

  /** Throws `ledger_order`; `place` names the line. */
  accept(event: LedgerEvent, place: () => string): void {
    if (event.seq !== this.#seq) throw disorder(place(), `seq ${this.#seq}`, `seq ${event.seq}`);
    if (this.#timestamp !== null && compareTimestamps(event.timestamp, this.#timestamp) < 0) {
      throw disorder(place(), `a time at or after ${this.#timestamp}`, event.timestamp);
    }
    if (event.type === 'genesis' && event.seq !== 0)
      throw disorder(place(), 'genesis at seq 0 only', `seq ${event.seq}`);
    this.#seq += 1;
    this.#timestamp = event.timestamp;
  }
}
