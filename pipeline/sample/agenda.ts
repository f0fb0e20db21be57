import type { EventOf, KnownType } from '../ledger/events/event.ts';

/** The content of an event; the generator adds seq, timestamp, cycle and salt. */
export interface Draft {
  type: KnownType;
  agent: string;
  data: Record<string, unknown>;
}

/** What the ledger records of something. Null: nothing. */
type Recorded = Draft | null | readonly (Draft | null)[];

/** Reads the world at its time, changes it, and returns what the ledger records. */
type Act = (at: number) => Recorded;

/**
 * A course of events: it yields the time at which it goes on, and is told it again as a whole second; and it yields what the ledger records
 * then.
 */
export type Course = Generator<number | Recorded, void, number>;

interface Action {
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

  /** Follows a course, which begins with a time. */
  follow(course: Course): void {
    this.#goOn(course, this.#now);
  }

  /** Up to the time at which the course goes on. */
  #goOn(course: Course, now: number): Draft[] {
    const drafts: Draft[] = [];
    for (let step = course.next(now); !step.done; step = course.next(now)) {
      if (typeof step.value === 'number') {
        this.add(step.value, (at) => this.#goOn(course, at));
        break;
      }
      drafts.push(...draftsOf(step.value));
    }
    return drafts;
  }

  /** Nothing can be added before this time any more. */
  begin(at: number): void {
    this.#now = at;
  }

  /** The time of the next action. */
  get next(): number | undefined {
    return this.#actions.at(-1)?.at;
  }

  /** Number of actions before this time. */
  countBefore(end: number): number {
    return this.#actions.length - this.#countFrom(end);
  }

  /** Performs the next action, and returns what is recorded of it. */
  step(): { at: number; drafts: Draft[] } {
    const { at, act } = this.#actions.pop()!;
    this.#now = at;
    return { at, drafts: draftsOf(act(at)) };
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

function draftsOf(recorded: Recorded): Draft[] {
  return [recorded].flat().filter((draft) => draft !== null);
}
