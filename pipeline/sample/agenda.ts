import type { EventOf, KnownType } from '../ledger/events/event.ts';

/** The content of an event; the generator adds seq, timestamp, cycle and salt. */
export interface Draft {
  type: KnownType;
  agent: string;
  data: Record<string, unknown>;
}

/** Reads the world at its time, changes it, and returns what the ledger records. */
export type Act = (at: number) => Draft | readonly Draft[] | null;

export interface Action {
  /** Unix ms, a whole second. */
  at: number;
  act: Act;
}

export function draft<T extends KnownType>(type: T, agent: string, data: EventOf<T>['data']): Draft {
  return { type, agent, data };
}

interface Entry extends Action {
  /** Actions of the same second keep the order in which they were added. */
  order: number;
}

/** Future actions, the next one first: a binary heap. It forgets past ones, so its size does not grow with the ledger. */
export class Agenda {
  readonly #heap: Entry[] = [];
  #added = 0;
  #now = Number.NEGATIVE_INFINITY;

  /** Adds an action, rounded down to a whole second. Throws for a time in the past. */
  add(at: number, act: Act): void {
    const entry = { at: Math.floor(at / 1000) * 1000, act, order: this.#added++ };
    if (entry.at < this.#now)
      throw new Error(`cannot add an action at ${new Date(at).toISOString()}, which is in the past`);
    const heap = this.#heap;
    let index = heap.length;
    for (let above = (index - 1) >> 1; index > 0 && isBefore(entry, heap[above]!); above = (index - 1) >> 1) {
      heap[index] = heap[above]!;
      index = above;
    }
    heap[index] = entry;
  }

  /** Nothing can be added before this time any more. */
  begin(at: number): void {
    this.#now = at;
  }

  get next(): Action | undefined {
    return this.#heap[0];
  }

  /** Number of actions before this time. */
  countBefore(end: number): number {
    return this.#heap.reduce((count, { at }) => (at < end ? count + 1 : count), 0);
  }

  take(): Action | undefined {
    const heap = this.#heap;
    const [first] = heap;
    const last = heap.pop();
    if (!first || !last) return undefined;
    this.#now = first.at;
    if (heap.length > 0) this.#sink(last);
    return first;
  }

  /** Puts an entry at the top, and moves it down to its place. */
  #sink(entry: Entry): void {
    const heap = this.#heap;
    let index = 0;
    for (;;) {
      let below = 2 * index + 1;
      if (below + 1 < heap.length && isBefore(heap[below + 1]!, heap[below]!)) below += 1;
      if (below >= heap.length || isBefore(entry, heap[below]!)) break;
      heap[index] = heap[below]!;
      index = below;
    }
    heap[index] = entry;
  }
}

function isBefore(a: Entry, b: Entry): boolean {
  return a.at < b.at || (a.at === b.at && a.order < b.order);
}
