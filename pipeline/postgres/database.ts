import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { CathedralError } from '../errors.ts';
import type { Query, SqlStore } from '../sql/store.ts';
import { type DatabaseAddress, parseDatabaseAddress } from './address.ts';
import { DatabaseClock } from './clock.ts';
import { courseOf, runStatement, runTransaction } from './connection.ts';
import { isUnreachable, sqlState, storeFault } from './fault.ts';
import { Listener } from './listener.ts';
import { migrate, STEPS } from './migrations.ts';
import {
  assertSessions,
  type Connecting,
  clientOptions,
  findPrimary,
  limitsOf,
  type Primary,
} from './primary.ts';

/**
 * A database of PostgreSQL, whose tables are all in the schema `cathedral`. Errors of the database are CathedralErrors, with the server's own as
 * their cause (`sqlState`). An error after a statement was sent does not tell whether it was carried out. What is read may be lost with the
 * primary if its own commit was not confirmed; a commit that is confirmed confirms all before it. So before acting outside the database
 * on what was read, commit something.
 */
export interface Database extends SqlStore {
  readonly engine: 'postgres';
  /**
   * One statement, which is committed, also on a synchronous standby, when this resolves. Names without a schema are those of `cathedral`, and
   * bigint columns become numbers.
   */
  query: Query;
  /**
   * Commits what `work` did, or nothing if it throws. Runs `work` again after a deadlock or a conflict with another transaction. Rejects if a
   * synchronous standby has not confirmed the commit.
   */
  transaction<T>(work: (query: Query) => Promise<T>, lock?: string): Promise<T>;
  /**
   * Calls back for each NOTIFY on the channel (a lower-case identifier), and with '' whenever the connection was made again, since
   * notifications may have been lost. Returns how to stop.
   */
  listen(channel: string, onNotify: (payload: string) => void): () => void;
}

export interface DatabaseOptions {
  /** `cathedral serve`: the name of this program among the server's sessions. */
  application: string;
  /** The most connections, besides one that listens. */
  connections: number;
  /** A server that does not answer: an error, or an attempt at each use, so that this program can start before the server. */
  whenUnreachable?: 'fail' | 'retry';
  /** How long a statement or a lock, or the wait for a connection, may take. Default: 5 s. */
  timeoutMs?: number;
  /** Of the schema. Default: all of this program. */
  steps?: readonly string[];
}

const TIMEOUT_MS = 5000;
/** Altering a large table. */
const MIGRATION_TIMEOUT_MS = 600_000;
/** A pooler that others keep busy rarely gives two connections one session at once, but changes theirs from statement to statement. */
const SESSION_TURNS = 5;
const ATTEMPTS = 5;
const RETRY_MS = 20;
const CLOCK_MS = 30_000;
/** After a search for a primary that found none, for how long its result holds. */
const SEARCH_MS = 250;

/** serialization_failure, deadlock_detected */
const CONFLICT = /^40(001|P01)$/;

/**
 * Opens the database at an address and brings its schema to the newest form. Throws config_invalid or store_failed for what only an operator
 * can change: credentials, rights, a version, a schema of something else.
 */
export async function openDatabase(address: string, options: DatabaseOptions): Promise<Database> {
  const database = new PostgresDatabase(parseDatabaseAddress(address), options);
  try {
    await database.connect();
  } catch (error) {
    if (options.whenUnreachable !== 'retry' || !isUnreachable(error)) {
      await database.close();
      throw error;
    }
  }
  return database;
}

class PostgresDatabase implements Database {
  readonly engine = 'postgres';
  readonly name: string;
  readonly #address: DatabaseAddress;
  readonly #connecting: Connecting;
  readonly #steps: readonly string[];
  readonly #clock = new DatabaseClock();
  readonly #listener: Listener;
  readonly #clockTimer: NodeJS.Timeout;
  #primary: Promise<Primary> | null = null;
  /** That of `#primary`, once it is found. */
  #found: Primary | null = null;
  #timeline = 0;
  #isMigrated = false;
  #isClosed = false;

  constructor(address: DatabaseAddress, options: DatabaseOptions) {
    const { application, connections, timeoutMs = TIMEOUT_MS, steps = STEPS } = options;
    this.name = address.name;
    this.#address = address;
    this.#connecting = { application, connections, timeoutMs };
    this.#steps = steps;
    this.#listener = new Listener(async () => {
      const { server } = await this.#find();
      return new pg.Client(clientOptions(server, this.#connecting));
    });
    this.#clockTimer = setInterval(() => void this.#measureClock().catch(() => undefined), CLOCK_MS).unref();
  }

  async connect(): Promise<void> {
    const { release } = await this.#take();
    release();
  }

  query: Query = (...statement) =>
    this.#again(() => this.#using((client) => runStatement(client, this.name, ...statement)));

  async transaction<T>(work: (query: Query) => Promise<T>, lock?: string): Promise<T> {
    return this.#again(() => this.#using((client) => runTransaction(client, this.name, work, lock)));
  }

  /** A commit that has to be flushed, and confirmed by a standby, and leaves no row behind. */
  async check(): Promise<void> {
    await this.query("SELECT pg_logical_emit_message(true, 'cathedral', '')");
  }

  /** What is deleted is vacuumed, and partitions are dropped with their bytes. */
  async scrub(): Promise<void> {}

  listen(channel: string, onNotify: (payload: string) => void): () => void {
    return this.#listener.add(channel, onNotify);
  }

  clock(): number {
    return this.#clock.offset();
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    clearInterval(this.#clockTimer);
    const primary = this.#primary;
    await this.#listener.close();
    await primary?.then(
      ({ pool }) => pool.end(),
      () => undefined,
    );
  }

  async #again<T>(work: () => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await work();
      } catch (error) {
        if (attempt === ATTEMPTS || !CONFLICT.test(sqlState(error) ?? '')) throw error;
      }
      // Not both at the same moment again.
      await sleep(RETRY_MS * attempt * (0.5 + Math.random()));
    }
  }

  async #using<T>(work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
    const { client, release } = await this.#take();
    try {
      return await work(client);
    } finally {
      release();
    }
  }

  /** A connection to the primary, and how to give it back, or to end it after an error of the connection. */
  async #take(): Promise<{ client: pg.PoolClient; release: () => void }> {
    let primary = await this.#find();
    let client: pg.PoolClient;
    try {
      client = await primary.pool.connect();
    } catch (error) {
      if (isBusy(error) && !primary.pool.ending) throw storeFault(error, this.name);
      this.#leave(primary);
      // Nothing was sent yet. Perhaps another server is the primary by now.
      primary = await this.#find();
      client = await primary.pool.connect().catch((error) => {
        throw storeFault(error, this.name);
      });
    }
    return {
      client,
      release: () => {
        const { hasEnded, isAbandoned } = courseOf(client);
        client.release(hasEnded);
        if (hasEnded) this.#leave(primary);
        if (isAbandoned) void this.#end(client).catch(() => undefined);
      },
    };
  }

  #find(): Promise<Primary> {
    if (this.#isClosed)
      throw new CathedralError('store_failed', {
        place: this.name,
        expected: 'an open database',
        found: 'one that was closed',
      });
    if (this.#primary) return this.#primary;
    const search = this.#search();
    this.#primary = search;
    search.catch(() => {
      setTimeout(() => {
        if (this.#primary === search) this.#primary = null;
      }, SEARCH_MS).unref();
    });
    return search;
  }

  async #search(): Promise<Primary> {
    const primary = await findPrimary(this.#address, this.#connecting, this.#timeline);
    try {
      this.#timeline = primary.timeline;
      this.#clock.forget();
      await this.#clock.measure(() => readClock(primary.pool));
      if (!this.#isMigrated) await this.#migrate(primary);
      this.#isMigrated = true;
      this.#found = primary;
      return primary;
    } catch (error) {
      await primary.pool.end();
      throw storeFault(error, this.name);
    }
  }

  async #migrate({ server, pool }: Primary): Promise<void> {
    const connecting = { ...this.#connecting, timeoutMs: MIGRATION_TIMEOUT_MS };
    const client = new pg.Client(clientOptions(server, connecting));
    client.on('error', () => undefined);
    await client.connect();
    try {
      const [others, own]: [number[], number[]] = [[], []];
      for (let turn = 0; turn < SESSION_TURNS; turn += 1) {
        others.push(await sessionOf(pool));
        own.push(await sessionOf(client));
      }
      assertSessions([others, own], this.name);
      await client.query(`SELECT ${limitsOf(connecting)}`);
      const query: Query = (...statement) => runStatement(client, this.name, ...statement);
      await migrate(this.name, query, (work) => runTransaction(client, this.name, work), this.#steps);
    } finally {
      await client.end().catch(() => undefined);
    }
  }

  /** The next use looks for the primary again. */
  #leave(primary: Primary): void {
    if (this.#found === primary) {
      this.#found = null;
      this.#primary = null;
    }
    if (!primary.pool.ending) void primary.pool.end().catch(() => undefined);
  }

  /** A commit goes on waiting for its standby after its client has gone, and would take a connection from the server for so long. */
  async #end(client: pg.PoolClient): Promise<void> {
    const { processID } = client as unknown as { processID: number };
    const { pool } = await this.#find();
    await pool.query(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid = $1 AND wait_event = 'SyncRep'",
      [processID],
    );
  }

  async #measureClock(): Promise<void> {
    const { pool } = await this.#find();
    await this.#clock.measure(() => readClock(pool));
  }
}

async function sessionOf(client: Pick<pg.Client, 'query'>): Promise<number> {
  const { rows } = await client.query('SELECT pg_backend_pid() AS pid');
  return rows[0].pid;
}

async function readClock(pool: pg.Pool): Promise<number> {
  const { rows } = await pool.query('SELECT (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS now');
  return rows[0].now;
}

/** All connections are in use, which says nothing about the server. */
function isBusy(error: unknown): boolean {
  return (error as Error).message === 'timeout exceeded when trying to connect';
}
