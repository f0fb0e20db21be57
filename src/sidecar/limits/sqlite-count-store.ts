import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import type { Area } from '../../../pipeline/artifacts/artifact.ts';
import type { CopiedTable } from '../storage/copy-tables.ts';
import { asStoreError, asStoreErrors, type DatabaseSchema, openDatabase } from '../storage/open-database.ts';
import { StoreFile } from '../storage/store-file.ts';
import type { CountRequest, CountStore } from './count-store.ts';

export const COUNT_SCHEMA: DatabaseSchema = {
  name: 'a store of counts',
  applicationId: 0x4344_5331,
  steps: [
    `
    CREATE TABLE counts (
      day TEXT NOT NULL, area TEXT NOT NULL, subject TEXT NOT NULL, n INTEGER NOT NULL,
      PRIMARY KEY (day, area, subject)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE secrets (day TEXT PRIMARY KEY, secret BLOB NOT NULL) STRICT, WITHOUT ROWID;
    `,
  ],
};

/** The tables of all stores of counts. */
export const COUNT_TABLES: readonly CopiedTable[] = [
  {
    file: 'counts',
    database: 'counts',
    columns: { day: 'date', area: 'text', subject: 'text', n: 'bigint' },
    // Of the last statement, which a copy has not.
    more: { granted: 0, most: 0 },
  },
  { file: 'secrets', database: 'count_secrets', columns: { day: 'date', secret: 'bytea' } },
];

/** SQLite's result code for a lock held by another connection. */
const SQLITE_BUSY = 5;
/** Other processes hold the lock for about a millisecond at a time. */
const RETRY_MS = 1;
/** A lock held for seconds is a fault: a forgotten shell on the file, or a disk that hangs. */
const BUSY_RETRIES = 2_000;
/** A few milliseconds of work, so that pruning does not delay requests. */
const PRUNE_ROWS = 500;

const SQL = {
  begin: 'BEGIN IMMEDIATE',
  commit: 'COMMIT',
  rollback: 'ROLLBACK',
  read: 'SELECT n FROM counts WHERE day = ? AND area = ? AND subject = ?',
  write:
    'INSERT INTO counts (day, area, subject, n) VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE SET n = excluded.n',
  offer: 'INSERT INTO secrets (day, secret) VALUES (?, ?) ON CONFLICT DO NOTHING',
  secret: 'SELECT secret FROM secrets WHERE day = ?',
  // Rewrites the current value, only to test a write. Every version of this program has the same one.
  touch: `PRAGMA application_id = ${COUNT_SCHEMA.applicationId}`,
  forget: 'DELETE FROM secrets WHERE day < ?',
  prune: `DELETE FROM counts WHERE (day, area, subject) IN
    (SELECT day, area, subject FROM counts WHERE day < ? LIMIT ${PRUNE_ROWS})`,
} as const;

type Statements = Record<keyof typeof SQL, StatementSync>;

export interface CountStoreOptions {
  /** How often to try for another process's lock, one millisecond apart. */
  busyRetries?: number;
  /** Called after the open file was removed or replaced, so that counting restarted. */
  onReplaced?: () => void;
}

interface OpenCounts {
  database: DatabaseSync;
  statements: Statements;
}

/**
 * Counts in a SQLite file that several processes may share. Creates a new file if it was removed. Throws store_failed if the
 * file cannot be opened.
 */
export function openSqliteCountStore(path: string, options: CountStoreOptions = {}): CountStore {
  const { busyRetries = BUSY_RETRIES, onReplaced = () => undefined } = options;
  const open = (isFirst: boolean): OpenCounts => {
    // NORMAL: no flush per request. A power failure may lose the counts of the last moments.
    const database = openDatabase(path, COUNT_SCHEMA, { synchronous: 'NORMAL' });
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

  takeAll(takes: readonly CountRequest[]): Promise<(number | null)[]> {
    return this.#transaction((statements) => takeAll(statements, takes));
  }

  async count(day: string, area: Area, subject: string): Promise<number> {
    return asStoreErrors(this.#path, () => readCount(this.#file.take().statements, day, area, subject));
  }

  secret(day: string, candidate: Uint8Array): Promise<Uint8Array> {
    return this.#transaction((statements) => {
      statements.offer.run(day, candidate);
      return statements.secret.get(day)!.secret as Uint8Array;
    });
  }

  async prune(before: string): Promise<void> {
    // Delete the secret first: without it, the remaining counts identify nobody.
    let removed = await this.#transaction(({ forget }) => Number(forget.run(before).changes));
    for (let rows = PRUNE_ROWS; rows === PRUNE_ROWS; removed += rows) {
      rows = await this.#transaction(({ prune }) => Number(prune.run(before).changes));
      await nextTurn();
    }
    // The write-ahead log still contains deleted rows. If a reader prevents truncation, a later prune does it.
    const truncate = () => this.#file.take().database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    if (removed > 0) asStoreErrors(this.#path, truncate);
  }

  async check(): Promise<void> {
    await this.#transaction(({ touch }) => touch.run());
  }

  async close(): Promise<void> {
    this.#file.close();
  }

  /** Waits for other processes without blocking this one. */
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

  /** Runs synchronously, so that nothing else in this process joins the transaction. */
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

/** Reads and writes each count once, however many requests of the batch share it. */
function takeAll(statements: Statements, takes: readonly CountRequest[]): (number | null)[] {
  const counts = new Map<string, { take: CountRequest; before: number; now: number }>();
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
