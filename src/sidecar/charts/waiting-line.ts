import { Problem } from '../../api/problem.ts';

const RETRY_AFTER_S = 5;

export interface WaitingLineOptions {
  /** Done at once. */
  parallel: number;
  /** That wait besides. */
  waiting: number;
}

interface Waiting {
  begin: () => void;
  refuse: (problem: Problem) => void;
}

/**
 * Lets a few pieces of work be done at once and some wait for it, with a fair share for each client: they take turns, and
 * where the line is full, whoever has most in it gives up the last place. What is refused is overloaded, 503.
 */
export class WaitingLine {
  readonly #options: WaitingLineOptions;
  /** By client, in the order in which they get their turns; none is empty. */
  readonly #lines = new Map<string, Waiting[]>();
  #length = 0;
  #active = 0;

  constructor(options: WaitingLineOptions) {
    this.#options = options;
  }

  async run<T>(client: string, work: () => Promise<T>): Promise<T> {
    if (this.#active < this.#options.parallel) this.#active += 1;
    else await this.#wait(client);
    try {
      return await work();
    } finally {
      // The place goes on to whoever's turn it is.
      const next = this.#next();
      if (next) next.begin();
      else this.#active -= 1;
    }
  }

  #wait(client: string): Promise<void> {
    if (this.#length >= this.#options.waiting) this.#makeRoom(client);
    const line = this.#lines.get(client) ?? [];
    this.#lines.set(client, line);
    this.#length += 1;
    return new Promise((begin, refuse) => line.push({ begin, refuse }));
  }

  #makeRoom(client: string): void {
    const own = this.#lines.get(client)?.length ?? 0;
    const longest = [...this.#lines.values()].reduce(
      (most, line) => (line.length > most.length ? line : most),
      [],
    );
    // More than one after it has given up a place, so that none is left empty.
    if (longest.length <= own + 1) throw overloaded();
    longest.pop()!.refuse(overloaded());
    this.#length -= 1;
  }

  #next(): Waiting | null {
    for (const [client, line] of this.#lines) {
      const first = line.shift()!;
      this.#length -= 1;
      // To the end of the map's order: the next turn is another client's.
      this.#lines.delete(client);
      if (line.length > 0) this.#lines.set(client, line);
      return first;
    }
    return null;
  }
}

function overloaded(): Problem {
  const detail =
    'More charts are asked for than can be drawn now. Those of the release are there all the same.';
  return new Problem('overloaded', detail, { 'Retry-After': String(RETRY_AFTER_S) });
}
