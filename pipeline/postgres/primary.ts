import { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { CathedralError } from '../errors.ts';
import { type DatabaseAddress, nameOfServer, type ServerAddress } from './address.ts';
import { isUnreachable, storeFault } from './fault.ts';

/** What a server says about itself. */
export interface ServerFacts {
  /** `150020`: version 15.20 */
  version: number;
  /** Of the database's text: `UTF8`. */
  encoding: string;
  /** Follows a primary, and cannot be written to. */
  isStandby: boolean;
  isReadOnly: boolean;
  /** Increases with each promotion of a standby; null for a standby. */
  timeline: number | null;
  /** Its clock, ms since 1970. */
  now: number;
}

/** The server that takes writes, and connections to it. */
export interface Primary {
  server: ServerAddress;
  pool: pg.Pool;
  timeline: number;
}

export interface Connecting {
  /** The name of this program among the server's sessions. */
  application: string;
  /** The most at once. */
  connections: number;
  /** How long a statement, or the wait for a connection, may take. */
  timeoutMs: number;
}

/** PostgreSQL 13 was the first with all that the schema needs, and all versions since are maintained alike. */
const OLDEST = 130_000;
/** Of a server that does not answer. */
const CONNECT_TIMEOUT_MS = 3000;
/** Once a primary has answered, how long others may take to say that they have been promoted since. */
const OTHERS_MS = 500;
const LOCK_TIMEOUT_MS = 3000;
/** Ends the transaction of a process that was stopped in the middle of it, and frees its locks. */
const IDLE_TIMEOUT_MS = 10_000;
const KEEP_ALIVE_MS = 10_000;
/** The server ends a statement first, with a better message. */
const CLIENT_LATER_MS = 500;

/** Times in ms and other counts fit into a double. */
const INT8 = 20;
const types = {
  getTypeParser: ((oid: number, format?: 'text' | 'binary') =>
    oid === INT8
      ? (text: string) => exactNumber(text)
      : pg.types.getTypeParser(oid, format as 'text')) as typeof pg.types.getTypeParser,
};

function exactNumber(text: string): number {
  const number = Number(text);
  if (!Number.isSafeInteger(number)) throw new RangeError(`${text} is beyond 2^53`);
  return number;
}

/** The options of one connection. PgBouncer refuses those that the server has to know, so a session sets them itself: `limitsOf`. */
export function clientOptions(
  server: ServerAddress,
  { application, timeoutMs }: Connecting,
): pg.ClientConfig {
  return {
    ...server,
    types,
    application_name: application,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    query_timeout: timeoutMs + CLIENT_LATER_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
  };
}

/** What a session selects to set its limits. */
export function limitsOf({ timeoutMs }: Connecting): string {
  return `set_config('statement_timeout', '${timeoutMs}', false),
    set_config('lock_timeout', '${Math.min(LOCK_TIMEOUT_MS, timeoutMs)}', false),
    set_config('idle_in_transaction_session_timeout', '${IDLE_TIMEOUT_MS}', false)`;
}

/**
 * Finds the primary among the servers of an address. After a failover, the old primary may come back as one; the newer timeline wins, and
 * one below `timeline` is refused. Throws what is wrong with the only server, or with each of several.
 */
export async function findPrimary(
  address: DatabaseAddress,
  connecting: Connecting,
  timeline: number,
): Promise<Primary> {
  const asked = address.servers.map((server) => openPrimary(address, server, connecting, timeline));
  const first = await Promise.any(asked).catch(() => null);
  const answers = await Promise.all(
    asked.map((one) =>
      Promise.race([one, ...(first ? [sleep(OTHERS_MS, null, { ref: false })] : [])]).catch((error) => error),
    ),
  );
  const found = answers.filter((one): one is Primary => one !== null && !(one instanceof Error));
  const best = found.sort((one, other) => other.timeline - one.timeline)[0];
  for (const one of asked)
    void one.then((primary) => (primary === best ? undefined : primary.pool.end())).catch(() => undefined);
  if (best) return best;
  const faults = answers.map((error) => storeFault(error, address.name));
  throw faults.length === 1 ? faults[0]! : noPrimary(address, faults);
}

function noPrimary({ name: place, servers }: DatabaseAddress, faults: CathedralError[]): CathedralError {
  const found = faults.map((fault, at) => `${nameOfServer(servers[at]!)}: ${fault.found}`).join('; ');
  const code = faults.some((fault) => fault.code === 'config_invalid') ? 'config_invalid' : 'store_failed';
  // Servers that do not answer may do so later, unless another one says that they will not.
  const cause =
    faults.find((fault) => fault.code === 'config_invalid') ?? faults.find(isUnreachable) ?? faults[0];
  return new CathedralError(code, { place, expected: 'one server that takes writes', found, cause });
}

async function openPrimary(
  { name }: DatabaseAddress,
  server: ServerAddress,
  connecting: Connecting,
  newest: number,
): Promise<Primary> {
  let timeline = newest;
  /** That of the first attempt; later ones belong to the pool. */
  let first: Socket | null = null;
  const pool = new pg.Pool({
    ...clientOptions(server, connecting),
    stream: () => {
      const socket = new Socket();
      first ??= socket;
      return socket;
    },
    max: connecting.connections,
    // Any of them may have become a standby, or have been replaced.
    onConnect: async (client) => {
      client.on('error', () => undefined);
      const facts = await readFacts(client, connecting);
      timeline = assertPrimary(facts, name, timeline);
    },
  });
  // Of an idle connection; the pool has removed it.
  pool.on('error', () => undefined);
  try {
    (await pool.connect()).release();
  } catch (error) {
    await pool.end();
    // `pg` leaves a connection open that fails on this side, as without a password, until the server closes it a minute later.
    (first as Socket | null)?.destroy();
    throw error;
  }
  return { server, pool, timeline };
}

/** Also makes sure that a commit is flushed here and on synchronous standbys, whatever the default of the user or database is, and names the schema. */
const FACTS = `
  SELECT current_setting('server_version_num')::int AS version, current_setting('server_encoding') AS encoding,
    pg_is_in_recovery() AS "isStandby",
    current_setting('transaction_read_only') = 'on' AS "isReadOnly",
    CASE WHEN NOT pg_is_in_recovery() THEN substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8) END AS timeline,
    (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS now,
    CASE WHEN current_setting('synchronous_commit') NOT IN ('on', 'remote_apply')
      THEN set_config('synchronous_commit', 'on', false) END,
    set_config('search_path', 'cathedral', false)`;

async function readFacts(client: pg.ClientBase, connecting: Connecting): Promise<ServerFacts> {
  const { rows } = await client.query(`${FACTS}, ${limitsOf(connecting)}`);
  const [{ timeline, ...facts }] = rows;
  return { ...facts, timeline: timeline === null ? null : Number.parseInt(timeline, 16) };
}

/**
 * `seen`: for each of some connections, all still open, the sessions of its statements. Throws store_failed if they are not the connection's own:
 * then what one sets is lost, or another's.
 */
export function assertSessions(seen: readonly (readonly number[])[], place: string): void {
  const areOwn = seen.every((pids) => new Set(pids).size === 1) && new Set(seen.flat()).size === seen.length;
  if (areOwn) return;
  const expected = 'a session for each connection, as PgBouncer gives with pool_mode = session';
  throw new CathedralError('store_failed', { place, expected, found: 'connections that share sessions' });
}

/** The timeline of a server that can be used. Throws store_failed for another one; `newest` is the highest timeline seen before. */
export function assertPrimary(facts: ServerFacts, place: string, newest: number): number {
  const fail = (expected: string, found: string) =>
    new CathedralError('store_failed', { place, expected, found });
  if (facts.version < OLDEST)
    throw fail(
      'PostgreSQL 13 or later',
      `version ${Math.floor(facts.version / 10_000)}.${facts.version % 10_000}`,
    );
  // Others lack letters, which would be found with the first name or event that has one. SQL_ASCII keeps bytes as they are.
  if (!['UTF8', 'SQL_ASCII'].includes(facts.encoding))
    throw fail('a database in UTF8 (CREATE DATABASE … ENCODING UTF8 TEMPLATE template0)', facts.encoding);
  if (facts.isStandby) throw fail('a primary server, which can be written to', 'a standby');
  if (facts.isReadOnly)
    throw fail('a primary server, which can be written to', 'default_transaction_read_only = on');
  const timeline = facts.timeline!;
  if (timeline < newest)
    throw fail(
      `a primary of timeline ${newest} or later; restart the service after restoring a back-up`,
      `an old primary, of timeline ${timeline}`,
    );
  return timeline;
}
