import { Worker } from 'node:worker_threads';
import { moduleUrl } from '../config/project.ts';
import { CathedralError } from '../errors.ts';
import { type Call, type Failure, type Outcome, SqliteCalls } from './sqlite-calls.ts';
import type { SqliteForm } from './sqlite-file.ts';
import type { Reply, Request } from './sqlite-thread.ts';
import type { Answer, Query, SqlStore } from './store.ts';

export interface SqliteOptions {
  /** Refuses a path without a file, and makes none. */
  mustExist?: boolean;
  /** How long to wait for a lock that another process has, ms. One that is held for seconds is a fault. */
  waitMs?: number;
  /** Called when other files were found at the path. */
  onReplaced?: () => void;
}

const WAIT_MS = 5_000;

/**
 * Opens a file of this machine, readable by its owner alone, which several processes may use. Throws store_failed, and wrong_user where root would
 * make a file in somebody's folder.
 */
export async function openSqlite(
  path: string,
  form: SqliteForm,
  { mustExist = false, waitMs = WAIT_MS, onReplaced = () => undefined }: SqliteOptions = {},
): Promise<SqlStore> {
  const user = form.isWaitedFor ? new Thread(waitMs) : new SqliteCalls(waitMs);
  const end = () => (user instanceof Thread ? user.end() : undefined);
  const call = async <T>(what: Call): Promise<T> => {
    const { wasReplaced, ...outcome } = await user.handle(what);
    if (wasReplaced) onReplaced();
    if ('result' in outcome) return outcome.result as T;
    throw asStoreError({ path, form }, outcome.failure);
  };
  try {
    await call({ call: 'open', path, form, mustExist });
  } catch (error) {
    end();
    throw error;
  }
  return new SqliteStore({ path, form }, call, end);
}

class SqliteStore implements SqlStore {
  readonly engine = 'sqlite';
  readonly name: string;
  readonly #place: Place;
  readonly #call: <T>(call: Call) => Promise<T>;
  readonly #end: () => void;
  // The file has one connection, so nothing else may come between the statements of a transaction.
  /** Settles when the last transaction that was asked for is done. */
  #transactions: Promise<unknown> = Promise.resolve();
  /** Statements alone that are under way. */
  readonly #alone = new Set<Promise<unknown>>();
  #isClosed = false;

  constructor(place: Place, call: <T>(call: Call) => Promise<T>, end: () => void) {
    this.name = place.path;
    this.#place = place;
    this.#call = call;
    this.#end = end;
  }

  query: Query = (text, values) => this.#beside(() => this.#run(text, values, false));

  async transaction<T>(work: (query: Query) => Promise<T>): Promise<T> {
    this.#assertOpen();
    const own = Promise.all([this.#transactions, ...this.#alone]).then(async () => {
      let hasBegun = false;
      const query: Query = (text, values) => {
        const begins = !hasBegun;
        hasBegun = true;
        return this.#run(text, values, begins);
      };
      try {
        const result = await work(query);
        if (hasBegun) await this.#call({ call: 'commit' });
        return result;
      } catch (error) {
        await this.#call({ call: 'rollback' }).catch(() => undefined);
        throw error;
      }
    });
    this.#transactions = own.catch(() => undefined);
    return own;
  }

  check(): Promise<void> {
    return this.#beside(() => this.#call({ call: 'check' }));
  }

  scrub(): Promise<void> {
    return this.#beside(() => this.#call({ call: 'scrub' }));
  }

  clock(): number {
    return 0;
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    await Promise.all([this.#transactions, ...this.#alone]);
    await this.#call({ call: 'close' }).finally(this.#end);
  }

  #run<Row>(text: string, values: readonly unknown[] = [], begins: boolean): Promise<Answer<Row>> {
    return this.#call({ call: 'run', text, values, begins });
  }

  /** After the transactions that were asked for before. */
  async #beside<T>(work: () => Promise<T>): Promise<T> {
    this.#assertOpen();
    const own = this.#transactions.then(work);
    const settled = own.then(
      () => undefined,
      () => undefined,
    );
    this.#alone.add(settled);
    return own.finally(() => this.#alone.delete(settled));
  }

  #assertOpen(): void {
    if (this.#isClosed) throw asStoreError(this.#place, { message: 'the store was closed' });
  }
}

interface Place {
  path: string;
  form: SqliteForm;
}

/** SQLite's messages name constraints and files, never values. */
function asStoreError({ path: place, form }: Place, failure: Failure): CathedralError {
  if ('code' in failure) return new CathedralError(failure.code, failure.fault);
  return new CathedralError('store_failed', {
    place,
    expected: `${form.name} that can be read and written`,
    found: failure.message,
  });
}

/** A thread that has one file open. */
class Thread {
  readonly #worker: Worker;
  readonly #waiting = new Map<number, (outcome: Outcome) => void>();
  #requests = 0;
  #fault: string | null = null;

  constructor(waitMs: number) {
    this.#worker = new Worker(moduleUrl('pipeline/sql/sqlite-thread.ts'), { workerData: { waitMs } });
    this.#worker.on('message', ({ id, outcome }: Reply) => this.#settle(id, outcome));
    this.#worker.on('error', (error: Error) => this.#fail(error.message));
    this.#worker.on('exit', () => this.#fail('the thread of the database has ended'));
    // What is under way keeps the process alive, and an open file does not.
    this.#worker.unref();
  }

  handle(call: Call): Promise<Outcome> {
    this.#requests += 1;
    const id = this.#requests;
    return new Promise((resolve) => {
      this.#waiting.set(id, resolve);
      if (this.#fault !== null) return this.#fail(this.#fault);
      if (this.#waiting.size === 1) this.#worker.ref();
      this.#worker.postMessage({ id, call } satisfies Request);
    });
  }

  end(): void {
    void this.#worker.terminate();
  }

  #settle(id: number, outcome: Outcome): void {
    this.#waiting.get(id)?.(outcome);
    this.#waiting.delete(id);
    if (this.#waiting.size === 0) this.#worker.unref();
  }

  #fail(message: string): void {
    this.#fault = message;
    for (const id of [...this.#waiting.keys()])
      this.#settle(id, { wasReplaced: false, failure: { message } });
  }
}
