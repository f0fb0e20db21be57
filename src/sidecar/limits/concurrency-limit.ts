import { Problem } from '../../api/problem.ts';

export interface ConcurrencyLimits {
  /** `exports are being sent`, for the message to a client that gets no slot. */
  what: string;
  /** Maximum in total. */
  parallel: number;
  /** Maximum per client, so that one client cannot block all others. */
  perHolder: number;
}

/** A slot is often free by then. */
const RETRY_AFTER_S = 10;

/** Limits how many long tasks run at the same time. */
export class ConcurrencyLimit {
  readonly #limits: ConcurrencyLimits;
  readonly #byHolder = new Map<string, number>();
  #taken = 0;

  constructor(limits: ConcurrencyLimits) {
    this.#limits = limits;
  }

  get taken(): number {
    return this.#taken;
  }

  /** Returns the function that releases the slot; it is idempotent. Throws a Problem overloaded. */
  take(holder: string): () => void {
    const { what, parallel, perHolder } = this.#limits;
    const own = this.#byHolder.get(holder) ?? 0;
    if (this.#taken >= parallel) throw overloaded(`${this.#taken} ${what}`);
    if (own >= perHolder) throw overloaded(`${own} ${what} for this client`);
    this.#taken += 1;
    this.#byHolder.set(holder, own + 1);
    let isTaken = true;
    return () => {
      if (isTaken) this.#release(holder);
      isTaken = false;
    };
  }

  #release(holder: string): void {
    this.#taken -= 1;
    const own = this.#byHolder.get(holder)! - 1;
    if (own > 0) this.#byHolder.set(holder, own);
    else this.#byHolder.delete(holder);
  }
}

function overloaded(what: string): Problem {
  const headers = { 'Retry-After': String(RETRY_AFTER_S) };
  return new Problem('overloaded', `${what}, which is the maximum. Try again later.`, headers);
}
