import { Problem } from '../problem.ts';
import { isShed, type LoadLimits, PRIORITIES, type Priority } from './load-shedding.ts';

export interface LoadGateOptions {
  limits: LoadLimits;
  /** The last measurement, ms. */
  loopDelayMs: () => number;
}

/** Lets requests in while the server keeps up with them. Streams that stay open for hours do not belong in here. */
export class LoadGate {
  readonly #options: LoadGateOptions;
  #active = 0;

  constructor(options: LoadGateOptions) {
    this.#options = options;
  }

  /** Requests that are let in and have not left. */
  get active(): number {
    return this.#active;
  }

  /** Returns what is to be called when the request is over, however it ends. Throws overloaded: 503. */
  enter(priority: Priority): () => void {
    const { limits, loopDelayMs } = this.#options;
    if (isShed({ loopDelayMs: loopDelayMs(), active: this.#active }, limits, priority))
      throw overloaded(priority);
    this.#active += 1;
    let isIn = true;
    return () => {
      if (isIn) this.#active -= 1;
      isIn = false;
    };
  }
}

function overloaded(priority: Priority): Problem {
  const headers = { 'Retry-After': String(PRIORITIES[priority].retryAfterS) };
  return new Problem('overloaded', 'There are more requests than can be answered now.', headers);
}
