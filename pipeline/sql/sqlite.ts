import { Worker } from 'node:worker_threads';
import { moduleUrl } from '../config/project.ts';
import { CathedralError } from '../errors.ts';
import type { SqliteForm } from './sqlite-file.ts';
import type { Call, Reply, Request } from './sqlite-thread.ts';
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
 * Opens a file of this machine, readable by its owner alone, which several processes may use. One thread of this process has all such files open,
 * so that nothing else waits for the disk. Throws store_failed, and wrong_user where root would make a file in somebody's folder.
 */
export async function openSqlite(
  path: string,
  form: SqliteForm,
  { mustExist = false, waitMs = WAIT_MS, onReplaced = () => undefined }: SqliteOptions = {},
): Promise<SqlStore> {
  const thread = takeThread();
  const file = thread.newFile();
  const call = async <T>(what: Call): Promise<T> => {
    const { wasReplaced, ...reply } = await thread.ask({ ...what, id: 0, file, waitMs });
    if (wasReplaced) onReplaced();
    if ('result' in reply) return reply.result as T;
    throw asStoreError({ path, form }, reply.failure);
  };
  try {
    await call({ call: 'open', path, form, mustExist });
  } catch (error) {
    thread.release();
    throw error;
  }
  return new SqliteStore({ path, form }, call, () => thread.release());
}

class SqliteStore implements SqlStore {
  readonly engine = 'sqlite';
  readonly name: string;
  readonly #place: Place;
  readonly #call: <T>(call: Call) => Promise<T>;
  readonly #release: () => void;
  // The file has one connection, so nothing else may come between the statements of a transaction. Statements alone follow each other in the thread.
  /** Settles when the last transaction that was asked for is done. */
  #transactions: Promise<unknown> = Promise.resolve();
  /** Statements alone that are under way. */
  readonly #alone = new Set<Promise<unknown>>();
  #isClosed = false;

  constructor(place: Place, call: <T>(call: Call) => Promise<T>, release: () => void) {
    this.name = place.path;
    this.#place = place;
    this.#call = call;
    this.#release = release;
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
    await this.#call({ call: 'close' }).finally(this.#release);
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

type Failure = Extract<Reply, { failure: unknown }>['failure'];

/** SQLite's messages name constraints and files, never values. */
function asStoreError({ path: place, form }: Place, failure: Failure): CathedralError {
  if ('code' in failure) return new CathedralError(failure.code, failure.fault);
  return new CathedralError('store_failed', {
    place,
    expected: `${form.name} that can be read and written`,
    found: failure.message,
  });
}

/** The thread that has the files of this process open, from the first one until the last is closed. */
class Thread {
  readonly #worker = new Worker(moduleUrl('pipeline/sql/sqlite-thread.ts'));
  readonly #waiting = new Map<number, (reply: Reply) => void>();
  #requests = 0;
  #files = 0;
  #users = 0;
  #end: string | null = null;

  constructor() {
    this.#worker.on('message', (reply: Reply) => this.#settle(reply));
    this.#worker.on('error', (error: Error) => this.#fail(error.message));
    this.#worker.on('exit', () => this.#fail('the thread of the database has ended'));
    // What is under way keeps the process alive, and an open file does not.
    this.#worker.unref();
  }

  newFile(): number {
    this.#users += 1;
    this.#files += 1;
    return this.#files;
  }

  ask(request: Request): Promise<Reply> {
    this.#requests += 1;
    const id = this.#requests;
    return new Promise((resolve) => {
      this.#waiting.set(id, resolve);
      if (this.#end !== null) return this.#fail(this.#end);
      if (this.#waiting.size === 1) this.#worker.ref();
      this.#worker.postMessage({ ...request, id });
    });
  }

  release(): void {
    this.#users -= 1;
    if (this.#users > 0) return;
    if (running === this) running = null;
    void this.#worker.terminate();
  }

  #settle(reply: Reply): void {
    this.#waiting.get(reply.id)?.(reply);
    this.#waiting.delete(reply.id);
    if (this.#waiting.size === 0) this.#worker.unref();
  }

  #fail(message: string): void {
    this.#end = message;
    if (running === this) running = null;
    for (const id of [...this.#waiting.keys()])
      this.#settle({ id, wasReplaced: false, failure: { message } });
  }
}

let running: Thread | null = null;

function takeThread(): Thread {
  running ??= new Thread();
  return running;
}
