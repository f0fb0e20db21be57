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

/** Future actions, in the order of their times. It forgets past ones, so its size does not grow with the ledger. */
export class Agenda {
  /** The next one last, so that it can be taken without moving the others. */
  readonly #actions: Action[] = [];
  #now = Number.NEGATIVE_INFINITY;

  /** Adds an action, rounded down to a whole second, after all others of that second. Throws for a time in the past. */
  add(at: number, act: Act): void {
    const action = { at: Math.floor(at / 1000) * 1000, act };
    if (action.at < this.#now)
      throw new Error(`cannot add an action at ${new Date(at).toISOString()}, which is in the past`);
    this.#actions.splice(this.#countFrom(action.at + 1), 0, action);
  }

  /** Nothing can be added before this time any more. */
  begin(at: number): void {
    this.#now = at;
  }

  get next(): Action | undefined {
    return this.#actions.at(-1);
  }

  /** Number of actions before this time. */
  countBefore(end: number): number {
    return this.#actions.length - this.#countFrom(end);
  }

  take(): Action | undefined {
    const action = this.#actions.pop();
    if (action) this.#now = action.at;
    return action;
  }

  /** Number of actions at this time or later. */
  #countFrom(at: number): number {
    let [low, high] = [0, this.#actions.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#actions[middle]!.at >= at) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
