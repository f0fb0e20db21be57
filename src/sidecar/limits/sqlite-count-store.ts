import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import type { Area } from '../../../pipeline/artifacts/artifact.ts';
import { asStoreError, type DatabaseForm, guardedStore, openDatabase } from '../storage/open-database.ts';
import { StoreFile } from '../storage/store-file.ts';
import type { CountStore, Take } from './count-store.ts';

const FORM: DatabaseForm = {
  applicationId: 0x4344_5331,
  version: 1,
  schema: `
    CREATE TABLE counts (
      day TEXT NOT NULL, area TEXT NOT NULL, subject TEXT NOT NULL, n INTEGER NOT NULL,
      PRIMARY KEY (day, area, subject)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE secrets (day TEXT PRIMARY KEY, secret BLOB NOT NULL) STRICT, WITHOUT ROWID;`,
};

/** SQLite's result code for a lock that another connection holds. */
const SQLITE_BUSY = 5;
/** Other processes hold the lock for a millisecond or so at a time. */
const RETRY_MS = 1;
/** A lock held for longer, some seconds, is a fault: a forgotten shell on the file, a disk that hangs. */
const BUSY_RETRIES = 2_000;
/** A few milliseconds of work, so that no request waits longer for yesterday to be cleared away. */
const PRUNE_ROWS = 500;

const SQL = {
  begin: 'BEGIN IMMEDIATE',
  commit: 'COMMIT',
  rollback: 'ROLLBACK',
  read: 'SELECT n FROM counts WHERE day = ? AND area = ? AND subject = ?',
  write: 'INSERT INTO counts VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE SET n = excluded.n',
  offer: 'INSERT INTO secrets VALUES (?, ?) ON CONFLICT DO NOTHING',
  secret: 'SELECT secret FROM secrets WHERE day = ?',
  // Writes what is there already, for the sake of writing.
  touch: `PRAGMA user_version = ${FORM.version}`,
  forget: 'DELETE FROM secrets WHERE day < ?',
  prune: `DELETE FROM counts WHERE (day, area, subject) IN
    (SELECT day, area, subject FROM counts WHERE day < ? LIMIT ${PRUNE_ROWS})`,
} as const;

type Statements = Record<keyof typeof SQL, StatementSync>;

export interface CountStoreOptions {
  /** How often a lock of another process is tried, a millisecond apart. */
  busyRetries?: number;
  /** Called after the file was removed or replaced while it was open, so that counting began anew. */
  onReplaced?: () => void;
}

interface OpenCounts {
  database: DatabaseSync;
  statements: Statements;
}

/**
 * Counts in a SQLite file, which several processes may share. Where it was removed, another one is made at its path. Throws
 * store_failed where the file cannot be opened.
 */
export function openSqliteCountStore(path: string, options: CountStoreOptions = {}): CountStore {
  const { busyRetries = BUSY_RETRIES, onReplaced = () => undefined } = options;
  const open = (isFirst: boolean): OpenCounts => {
    // NORMAL: without a flush for each request. A power failure may give back the last moments' requests.
    const database = openDatabase(path, FORM, { synchronous: 'NORMAL' });
    if (!isFirst) onReplaced();
    const prepared = Object.entries(SQL).map(([name, sql]) => [name, database.prepare(sql)]);
    return { database, statements: Object.fromEntries(prepared) as Statements };
  };
  return new SqliteCountStore(path, new StoreFile(path, open), busyRetries);
}

class SqliteCountStore implements CountStore {
  readonly #path: string;
  readonly #file: StoreFile<OpenCounts>;
  readonly #busyRetries: number;

  constructor(path: string, file: StoreFile<OpenCounts>, busyRetries: number) {
    this.#path = path;
    this.#file = file;
    this.#busyRetries = busyRetries;
  }

  takeAll(takes: readonly Take[]): Promise<(number | null)[]> {
    return this.#transaction((statements) => takeAll(statements, takes));
  }

  async count(day: string, area: Area, subject: string): Promise<number> {
    return guardedStore(this.#path, () => readCount(this.#file.take().statements, day, area, subject));
  }

  secret(day: string, candidate: Uint8Array): Promise<Uint8Array> {
    return this.#transaction((statements) => {
      statements.offer.run(day, candidate);
      return statements.secret.get(day)!.secret as Uint8Array;
    });
  }

  async prune(before: string): Promise<void> {
    // The secret first: without it, what is left of the counts says nothing about anybody.
    let removed = await this.#transaction(({ forget }) => Number(forget.run(before).changes));
    for (let rows = PRUNE_ROWS; rows === PRUNE_ROWS; removed += rows) {
      rows = await this.#transaction(({ prune }) => Number(prune.run(before).changes));
      await nextTurn();
    }
    // Deleted rows still stand in the write-ahead log. Where a reader keeps it from being emptied, a later prune does it.
    const truncate = () => this.#file.take().database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    if (removed > 0) guardedStore(this.#path, truncate);
  }

  async check(): Promise<void> {
    await this.#transaction(({ touch }) => touch.run());
  }

  async close(): Promise<void> {
    this.#file.close();
  }

  /** Waits for other processes without stopping this one. */
  async #transaction<T>(work: (statements: Statements) => T): Promise<T> {
    for (let retries = 0; ; retries += 1) {
      try {
        return this.#transact(work);
      } catch (cause) {
        const isBusy = (cause as { errcode?: number }).errcode === SQLITE_BUSY;
        if (!isBusy || retries >= this.#busyRetries) throw asStoreError(this.#path, cause);
      }
      await sleep(RETRY_MS);
    }
  }

  /** From beginning to end without giving way, so that nothing else of this process comes into the transaction. */
  #transact<T>(work: (statements: Statements) => T): T {
    const { database, statements } = this.#file.take();
    statements.begin.run();
    try {
      const result = work(statements);
      statements.commit.run();
      return result;
    } catch (error) {
      if (database.isTransaction) statements.rollback.run();
      throw error;
    }
  }
}

/** Reads and writes each count once, however many of its requests are in the batch. */
function takeAll(statements: Statements, takes: readonly Take[]): (number | null)[] {
  const counts = new Map<string, { take: Take; before: number; now: number }>();
  const results = takes.map((take) => {
    const id = `${take.day} ${take.area} ${take.subject}`;
    let count = counts.get(id);
    if (!count) {
      const before = readCount(statements, take.day, take.area, take.subject);
      count = { take, before, now: before };
      counts.set(id, count);
    }
    if (count.now >= take.limit) return null;
    count.now += 1;
    return count.now;
  });
  for (const { take, before, now } of counts.values())
    if (now > before) statements.write.run(take.day, take.area, take.subject, now);
  return results;
}

function readCount({ read }: Statements, day: string, area: Area, subject: string): number {
  return Number(read.get(day, area, subject)?.n ?? 0);
}
