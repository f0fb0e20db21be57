import type { EventOf, KnownEvent, KnownType } from '../../pipeline/ledger/events/event.ts';
import type { Leaf } from '../../pipeline/ledger/log/leaf.ts';
import { cycleLabel } from './cycle.ts';

/** Builds a ledger in memory: `ledger().add('2025-07-03T00:00:00Z', 'genesis', 'LEDGER', {...})`. */
export class TestLedger {
  readonly leaves: Leaf[] = [];

  add<T extends KnownType>(timestamp: string, type: T, agent: string, data: EventOf<T>['data']): this {
    const seq = this.leaves.length;
    const event = { seq, timestamp, cycle: cycleLabel(timestamp), type, agent, data, salt: 'A'.repeat(22) };
    this.leaves.push({ event: event as KnownEvent, hash: seq.toString(16).padStart(64, '0') });
    return this;
  }
}
