import type { EventOf, KnownType } from '../ledger/event.ts';
import { SLOT_MS } from '../ledger/slot.ts';

/** What an event says; the ledger adds seq, time, cycle and salt. */
export interface Draft {
  type: KnownType;
  agent: string;
  data: Record<string, unknown>;
}

/** What happens at a moment: looks at the world as it is then, changes it, and says what the ledger records of it. */
export type Act = (at: number) => Draft | readonly Draft[] | null;

export interface Action {
  /** Unix ms, of a whole second. */
  at: number;
  act: Act;
}

export function draft<T extends KnownType>(type: T, agent: string, data: EventOf<T>['data']): Draft {
  return { type, agent, data };
}

/** What is to happen, by slot, so that memory holds what lies ahead and never what is over. */
export class Agenda {
  readonly #slots = new Map<number, Action[]>();
  #slot = Number.NEGATIVE_INFINITY;
  #actions: Action[] = [];
  /** Time of the action taken last. */
  #now = Number.NEGATIVE_INFINITY;
  /** Place of the next action in `#actions`; null while the slot is being planned. */
  #next: number | null = null;

  /** Adds an action; a fraction of a second is cut off. The past is refused. */
  add(at: number, act: Act): void {
    const action = { at: Math.floor(at / 1000) * 1000, act };
    const slot = Math.floor(at / SLOT_MS);
    if (slot < this.#slot || action.at < this.#now)
      throw new Error(`an action at ${new Date(at).toISOString()}, which is over`);
    if (slot > this.#slot) this.#later(slot).push(action);
    else if (this.#next === null) this.#actions.push(action);
    else this.#insert(action);
  }

  /** Opens the slot that begins at `start` for planning: its earlier entries are there already. */
  open(start: number): void {
    this.#slot = Math.floor(start / SLOT_MS);
    this.#actions = this.#slots.get(this.#slot) ?? [];
    this.#slots.delete(this.#slot);
    this.#next = null;
  }

  /** Number of actions that the slot being planned has so far. */
  get planned(): number {
    return this.#actions.length;
  }

  /** Ends the planning; the order of what is at the same second is the order in which it was added. */
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

  #later(slot: number): Action[] {
    let actions = this.#slots.get(slot);
    if (!actions) {
      actions = [];
      this.#slots.set(slot, actions);
    }
    return actions;
  }

  #insert(action: Action): void {
    let place = this.#actions.length;
    while (place > this.#next! && this.#actions[place - 1]!.at > action.at) place -= 1;
    this.#actions.splice(place, 0, action);
  }
}
