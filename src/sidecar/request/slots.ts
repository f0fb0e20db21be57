import { Problem } from '../../api/problem.ts';

export interface SlotLimits {
  /** `exports are being sent`, for the answer to whoever gets none. */
  what: string;
  /** At once. */
  parallel: number;
  /** Of one client, so that one cannot keep everybody else out. */
  perHolder: number;
}

/** One of them has ended by then, often enough. */
const RETRY_AFTER_S = 10;

/** Counts what lasts for longer than a moment. */
export class Slots {
  readonly #limits: SlotLimits;
  readonly #byHolder = new Map<string, number>();
  #taken = 0;

  constructor(limits: SlotLimits) {
    this.#limits = limits;
  }

  get taken(): number {
    return this.#taken;
  }

  /** Returns what gives the slot back; calling it twice does no harm. Throws a Problem overloaded. */
  take(holder: string): () => void {
    const { what, parallel, perHolder } = this.#limits;
    const own = this.#byHolder.get(holder) ?? 0;
    if (this.#taken >= parallel) throw overloaded(`${this.#taken} ${what}`);
    if (own >= perHolder) throw overloaded(`${own} ${what} for this client`);
    this.#taken += 1;
    this.#byHolder.set(holder, own + 1);
    let isTaken = true;
    return () => {
      if (isTaken) this.#give(holder);
      isTaken = false;
    };
  }

  #give(holder: string): void {
    this.#taken -= 1;
    const own = this.#byHolder.get(holder)! - 1;
    if (own > 0) this.#byHolder.set(holder, own);
    else this.#byHolder.delete(holder);
  }
}

function overloaded(what: string): Problem {
  const headers = { 'Retry-After': String(RETRY_AFTER_S) };
  return new Problem(
    'overloaded',
    `${what}, which is as many as may be. Try again when one has ended.`,
    headers,
  );
}
