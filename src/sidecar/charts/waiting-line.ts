import { Problem } from '../problem.ts';

const RETRY_AFTER_S = 5;

export interface WaitingLineOptions {
  /** Done at once. */
  parallel: number;
  /** That wait besides. */
  waiting: number;
}

/** Lets a few pieces of work be done at once and some wait for it; what is more is refused: overloaded, 503. */
export class WaitingLine {
  readonly #options: WaitingLineOptions;
  readonly #line: (() => void)[] = [];
  #active = 0;

  constructor(options: WaitingLineOptions) {
    this.#options = options;
  }

  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#active < this.#options.parallel) this.#active += 1;
    else await this.#wait();
    try {
      return await work();
    } finally {
      // The place goes on to whoever waits longest.
      const next = this.#line.shift();
      if (next) next();
      else this.#active -= 1;
    }
  }

  #wait(): Promise<void> {
    if (this.#line.length >= this.#options.waiting) throw overloaded();
    return new Promise((resolve) => this.#line.push(resolve));
  }
}

function overloaded(): Problem {
  const detail =
    'More charts are asked for than can be drawn now. Those of the release are there all the same.';
  return new Problem('overloaded', detail, { 'Retry-After': String(RETRY_AFTER_S) });
}
