import { Problem } from '../../api/problem.ts';
import { isShed, type LoadLimits, PRIORITIES, type Priority } from './load-shedding.ts';

export interface LoadGateOptions {
  limits: LoadLimits;
  /** The last measurement, ms. */
  loopDelayMs: () => number;
}

/** A place among the requests that are being answered. Calling either function twice does no harm. */
export interface Place {
  /** The answer is made; what is left to do is to send it. */
  made: () => void;
  /** The request is over, however it ended. */
  leave: () => void;
}

/** Lets requests in while the server keeps up with them. Streams that stay open for hours do not belong in here. */
export class LoadGate {
  readonly #options: LoadGateOptions;
  #active = 0;
  #making = 0;

  constructor(options: LoadGateOptions) {
    this.#options = options;
  }

  /** Requests that are let in and have not left. */
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
  return new Problem('overloaded', 'There are more requests than the server can answer now.', headers);
}
