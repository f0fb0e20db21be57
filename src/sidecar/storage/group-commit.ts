import { Problem } from '../../api/problem.ts';

export interface GroupCommitOptions<T, R> {
  /** Writes all items or none, and returns a result for each in order. */
  commit: (items: readonly T[]) => Promise<readonly R[]>;
  /** Maximum of waiting items. More are refused with `overloaded`, so that a slow disk does not fill the memory. */
  maxWaiting?: number;
  /** How many transactions may be under way at once. Default: 1. */
  parallel?: number;
}

interface Waiting<T, R> {
  item: T;
  resolve: (result: R) => void;
  reject: (error: unknown) => void;
}

/** Ten times the connections of a busy server. */
const MAX_WAITING = 10_000;
/** Items per transaction: a few milliseconds of work. */
const MAX_BATCH = 1_000;
const RETRY_AFTER_S = 5;

/**
 * Commits items in groups: all that arrive in one turn of the event loop, or during the previous transactions, form one
 * transaction. They share its cost, and each caller is answered after it has ended.
 */
export class GroupCommit<T, R> {
  readonly #options: Required<GroupCommitOptions<T, R>>;
  #waiting: Waiting<T, R>[] = [];
  readonly #running = new Set<Promise<void>>();
  /** Of these, those that will look for waiting items again. */
  #active = 0;

  constructor(options: GroupCommitOptions<T, R>) {
    this.#options = { maxWaiting: MAX_WAITING, parallel: 1, ...options };
  }

  /** Resolves after the transaction with this item. Rejects with the error of `commit`, or with overloaded. */
  add(item: T): Promise<R> {
    if (this.#waiting.length >= this.#options.maxWaiting) return Promise.reject(tooMany());
    return new Promise((resolve, reject) => {
      this.#waiting.push({ item, resolve, reject });
      if (this.#active < this.#options.parallel) this.#start();
    });
  }

  /** Resolves when no item is waiting. */
  async idle(): Promise<void> {
    while (this.#active > 0) await Promise.all(this.#running);
  }

  #start(): void {
    this.#active += 1;
    const running = this.#run().finally(() => this.#running.delete(running));
    this.#running.add(running);
  }

  async #run(): Promise<void> {
    // Runs after everything that this turn of the event loop reads from its sockets.
    await new Promise((resolve) => setImmediate(resolve));
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.splice(0, MAX_BATCH);
      await this.#commit(batch);
    }
    this.#active -= 1;
  }

  async #commit(batch: readonly Waiting<T, R>[]): Promise<void> {
    try {
      const results = await this.#options.commit(batch.map(({ item }) => item));
      for (const [index, { resolve }] of batch.entries()) resolve(results[index]!);
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
  }
}

function tooMany(): Problem {
  const headers = { 'Retry-After': String(RETRY_AFTER_S) };
  return new Problem('overloaded', 'Too many requests are waiting to be recorded.', headers);
}
