import { Problem } from '../../api/problem.ts';
import { isShed, type LoadLimits, PRIORITIES, type Priority } from './load-shedding.ts';

export interface LoadGateOptions {
  limits: LoadLimits;
  /** The latest measurement, ms. */
  loopDelayMs: () => number;
}

/** An admitted request. Both functions are idempotent. */
export interface Place {
  /** Call when the answer is rendered and only needs to be sent. */
  made: () => void;
  /** Call when the request has ended for any reason. */
  leave: () => void;
}

/** Admits requests while the server keeps up with them. Not for streams that stay open for hours. */
export class LoadGate {
  readonly #options: LoadGateOptions;
  #active = 0;
  #making = 0;

  constructor(options: LoadGateOptions) {
    this.#options = options;
  }

  /** Number of admitted requests that have not ended. */
  get active(): number {
    return this.#active;
  }

  /** Throws overloaded: 503. */
  enter(priority: Priority): Place {
    const { limits, loopDelayMs } = this.#options;
    const load = { loopDelayMs: loopDelayMs(), active: this.#active, making: this.#making };
    if (isShed(load, limits, priority)) throw overloaded(priority);
    this.#active += 1;
    this.#making += 1;
    let [isIn, isMade] = [true, false];
    const made = () => {
      if (!isMade) this.#making -= 1;
      isMade = true;
    };
    const leave = () => {
      made();
      if (isIn) this.#active -= 1;
      isIn = false;
    };
    return { made, leave };
  }
}

function overloaded(priority: Priority): Problem {
  const headers = { 'Retry-After': String(PRIORITIES[priority].retryAfterS) };
  return new Problem('overloaded', 'The server is handling too many requests.', headers);
}
