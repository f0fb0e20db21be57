import type { EventOf, KnownType } from '../ledger/events/event.ts';
import { SLOT_MS } from '../ledger/events/slot.ts';

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

/** Future actions, by slot. It forgets past ones, so its size does not grow with the ledger. */
export class Agenda {
  readonly #slots = new Map<number, Action[]>();
  #slot = Number.NEGATIVE_INFINITY;
  #actions: Action[] = [];
  /** Time of the latest action taken. */
  #now = Number.NEGATIVE_INFINITY;
  /** Index of the next action in `#actions`; null while the slot is being planned. */
  #next: number | null = null;

  /** Adds an action, rounded down to a whole second. Throws for a time in the past. */
  add(at: number, act: Act): void {
    const action = { at: Math.floor(at / 1000) * 1000, act };
    const slot = Math.floor(at / SLOT_MS);
    if (slot < this.#slot || action.at < this.#now)
      throw new Error(`cannot add an action at ${new Date(at).toISOString()}, which is in the past`);
    if (slot > this.#slot) this.#actionsOf(slot).push(action);
    else if (this.#next === null) this.#actions.push(action);
    else this.#insert(action);
  }

  /** Opens the slot that begins at `start` for planning. It already contains the actions added to it before. */
  open(start: number): void {
    this.#slot = Math.floor(start / SLOT_MS);
    this.#actions = this.#slots.get(this.#slot) ?? [];
    this.#slots.delete(this.#slot);
    this.#next = null;
  }

  /** Number of actions in the slot so far. */
  get planned(): number {
    return this.#actions.length;
  }

  /** Ends the planning. Actions of the same second keep the order in which they were added. */
  begin(): void {
    this.#actions.sort((a, b) => a.at - b.at);
    this.#next = 0;
  }

  /** Time of the slot's next action. */
  get nextAt(): number | undefined {
    return this.#actions[this.#next ?? 0]?.at;
  }

  take(): Action | undefined {
    const action = this.#actions[this.#next ?? 0];
    if (!action) return undefined;
    this.#next = (this.#next ?? 0) + 1;
    this.#now = action.at;
    return action;
  }

  #actionsOf(slot: number): Action[] {
    let actions = this.#slots.get(slot);
    if (!actions) {
      actions = [];
      this.#slots.set(slot, actions);
    }
    return actions;
  }

  #insert(action: Action): void {
    let index = this.#actions.length;
    while (index > this.#next! && this.#actions[index - 1]!.at > action.at) index -= 1;
    this.#actions.splice(index, 0, action);
  }
}
