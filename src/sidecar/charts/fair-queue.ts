import { Problem } from '../../api/problem.ts';

const RETRY_AFTER_S = 5;

export interface FairQueueOptions {
  /** Pieces of work done at once. */
  parallel: number;
  /** Pieces of work that may wait. */
  waiting: number;
}

interface Waiting {
  begin: () => void;
  refuse: (problem: Problem) => void;
}

/**
 * Does a few pieces of work at once and lets some wait, with a fair share for each client: clients take turns, and when the
 * queue is full, the client with the most waiting work loses its last piece. What is refused is overloaded, 503.
 */
export class FairQueue {
  readonly #options: FairQueueOptions;
  /** By client, in the order of their turns; no list is empty. */
  readonly #waiting = new Map<string, Waiting[]>();
  #length = 0;
  #active = 0;

  constructor(options: FairQueueOptions) {
    this.#options = options;
  }

  async run<T>(client: string, work: () => Promise<T>): Promise<T> {
    if (this.#active < this.#options.parallel) this.#active += 1;
    else await this.#wait(client);
    try {
      return await work();
    } finally {
      // The slot goes to the next in turn.
      const next = this.#next();
      if (next) next.begin();
      else this.#active -= 1;
    }
  }

  #wait(client: string): Promise<void> {
    if (this.#length >= this.#options.waiting) this.#makeRoom(client);
    const own = this.#waiting.get(client) ?? [];
    this.#waiting.set(client, own);
    this.#length += 1;
    return new Promise((begin, refuse) => own.push({ begin, refuse }));
  }

  #makeRoom(client: string): void {
    const own = this.#waiting.get(client)?.length ?? 0;
    const longest = [...this.#waiting.values()].reduce(
      (most, list) => (list.length > most.length ? list : most),
      [],
    );
    // The other client must still have more than this one afterwards, so its list never becomes empty.
    if (longest.length <= own + 1) throw overloaded();
    longest.pop()!.refuse(overloaded());
    this.#length -= 1;
  }

  #next(): Waiting | null {
    for (const [client, list] of this.#waiting) {
      const first = list.shift()!;
      this.#length -= 1;
      // To the end of the map's order: the next turn is another client's.
      this.#waiting.delete(client);
      if (list.length > 0) this.#waiting.set(client, list);
      return first;
    }
    return null;
  }
}

function overloaded(): Problem {
  const detail =
    'Too many charts are being drawn now. The charts of the release, without parameters, are still available.';
  return new Problem('overloaded', detail, { 'Retry-After': String(RETRY_AFTER_S) });
}
