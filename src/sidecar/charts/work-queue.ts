import { ConcurrencyLimit } from '../limits/concurrency-limit.ts';

export interface WorkQueueOptions {
  /** Pieces of work done at once. */
  parallel: number;
  /** Pieces of work that may wait: in all, and a quarter of them for one client. */
  waiting: number;
}

/** Does a few pieces of work at once, and lets some wait in the order in which they came. Throws a Problem overloaded beyond that. */
export class WorkQueue {
  readonly #parallel: number;
  readonly #places: ConcurrencyLimit;
  readonly #waiting: (() => void)[] = [];
  #active = 0;

  constructor({ parallel, waiting }: WorkQueueOptions) {
    this.#parallel = parallel;
    this.#places = new ConcurrencyLimit({
      what: 'charts and pages are being drawn on request',
      parallel: parallel + waiting,
      perHolder: parallel + Math.ceil(waiting / 4),
    });
  }

  async run<T>(client: string, work: () => Promise<T>): Promise<T> {
    const leave = this.#places.take(client);
    // The place of what has ended goes to the first that waits.
    if (this.#active < this.#parallel) this.#active += 1;
    else await new Promise<void>((begin) => this.#waiting.push(begin));
    try {
      return await work();
    } finally {
      leave();
      const next = this.#waiting.shift();
      if (next) next();
      else this.#active -= 1;
    }
  }
}
