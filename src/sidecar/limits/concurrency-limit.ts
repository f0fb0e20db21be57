import { Problem } from '../../api/problem.ts';

export interface ConcurrencyLimits {
  /** `exports are being sent`, for the message to a client that gets no slot; or what it is told instead. */
  what: string | ((whose: 'all' | 'own') => Error);
  /** Maximum in total. */
  parallel: number;
  /** Maximum per client, so that one client cannot block all others. */
  perHolder: number;
}

/** Limits how many long tasks run at the same time. */
export class ConcurrencyLimit {
  readonly #limits: ConcurrencyLimits;
  readonly #byHolder = new Map<string, number>();
  #taken = 0;

  constructor(limits: ConcurrencyLimits) {
    this.#limits = limits;
  }

  /** Returns the function that releases the slot; it is idempotent. Throws a Problem overloaded, or what else is told. */
  take(holder: string): () => void {
    const { what, parallel, perHolder } = this.#limits;
    const own = this.#byHolder.get(holder) ?? 0;
    if (this.#taken >= parallel) throw refusal(what, 'all', this.#taken);
    if (own >= perHolder) throw refusal(what, 'own', own);
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

function refusal(what: ConcurrencyLimits['what'], whose: 'all' | 'own', taken: number): Error {
  if (typeof what === 'function') return what(whose);
  const whom = whose === 'own' ? ' for this client' : '';
  return new Problem('overloaded', `${taken} ${what}${whom}, which is the maximum. Try again later.`);
}
