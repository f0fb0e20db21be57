import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { parseDatabaseAddress } from '../../pipeline/postgres/address.ts';
import { DatabaseClock } from '../../pipeline/postgres/clock.ts';
import { type Database, type DatabaseOptions, openDatabase } from '../../pipeline/postgres/database.ts';
import { assertPrimary, assertSessions, type ServerFacts } from '../../pipeline/postgres/primary.ts';
import { freePort } from '../engines/free-port.ts';
import { hasPostgres, PostgresServer } from '../engines/postgres.ts';
import { rowsOf } from '../rows-of.ts';

const NUMBERS = 'CREATE TABLE cathedral.numbers (n bigint PRIMARY KEY, text text)';

async function open(address: string, options: Partial<DatabaseOptions> = {}): Promise<Database> {
  const database = await openDatabase(address, {
    application: 'a test',
    connections: 4,
    steps: [NUMBERS],
    ...options,
  });
  onTestFinished(() => database.close());
  return database;
}

async function numbersOf(database: Database): Promise<number[]> {
  const { rows } = await database.query('SELECT n FROM cathedral.numbers ORDER BY n');
  return rows.map(({ n }) => n);
}

const add = 'INSERT INTO cathedral.numbers VALUES ($1)';

describe('the address of a database', () => {
  test('names several servers, and is shown without its password', () => {
    const { name, servers } = parseDatabaseAddress(
      'postgres://ada:p%40ss@db1:5433,[::1],db3/shared?sslmode=disable',
    );
    expect(name).toBe('postgres://ada@db1:5433,[::1]:5432,db3:5432/shared');
    expect(servers.map(({ host, port }) => [host, port])).toEqual([
      ['db1', 5433],
      ['::1', 5432],
      ['db3', 5432],
    ]);
    expect(servers[0]).toMatchObject({ user: 'ada', password: 'p@ss', database: 'shared', ssl: false });
  });

  test.each([
    ['postgres://ada:secret@db1', 'another address'],
    ['postgres://ada:secret@db1:0/shared', '"db1:0" as a host'],
    ['postgres://ada:secret@db1,db2:x/shared', '"db2:x" as a host'],
    ['postgres://ada:secret@db1/shared?table=t', 'the parameter table'],
    ['postgres://ada:secret@db1/shared?sslmode=maybe', '"maybe"'],
    ['postgres://ada:se%zzcret@db1/shared', 'another one'],
  ])('is refused without its password: %s', (address, found) => {
    const parsing = () => parseDatabaseAddress(address);
    expect(parsing).toThrow(expect.objectContaining({ code: 'config_invalid', found }));
    expect(parsing).not.toThrow(/se.*cret/);
  });
});

test('a server is refused if it is too old, in an encoding that lacks letters, a standby, read-only, or was replaced by a newer primary', () => {
  const facts = {
    version: 150_020,
    encoding: 'UTF8',
    isStandby: false,
    isReadOnly: false,
    timeline: 3,
    now: 0,
  };
  expect(assertPrimary(facts, 'db', 2)).toBe(3);
  const refusal = (changes: Partial<ServerFacts>) => () => assertPrimary({ ...facts, ...changes }, 'db', 3);
  expect(refusal({ version: 120_022 })).toThrow('db: expected PostgreSQL 13 or later, found version 12.22');
  expect(refusal({ encoding: 'LATIN1' })).toThrow(/a database in UTF8.*found LATIN1/);
  expect(refusal({ isStandby: true, timeline: null })).toThrow(/a primary server.*found a standby/);
  expect(refusal({ isReadOnly: true })).toThrow(/found default_transaction_read_only = on/);
  expect(refusal({ timeline: 2 })).toThrow(/timeline 3 or later.*found an old primary, of timeline 2/);
});

test('a pooler that gives each transaction another session is refused, and one in session mode is asked for nothing that it refuses', async () => {
  const refusal =
    'db: expected a session for each connection, as PgBouncer gives with pool_mode = session, found connections that share sessions';
  const given =
    (...seen: number[][]) =>
    () =>
      assertSessions(seen, 'db');
  expect(given([7, 7], [8, 8])).not.toThrow();
  expect(given([7, 7], [7, 7])).toThrow(refusal);
  // While others keep the pooler busy.
  expect(given([7, 9], [8, 8])).toThrow(refusal);
  const asked: Buffer[] = [];
  const pooler = createServer((client) =>
    client.once('data', (bytes) => {
      asked.push(Buffer.from(bytes));
      client.destroy();
    }),
  ).listen(0, '127.0.0.1');
  await once(pooler, 'listening');
  const { port } = pooler.address() as { port: number };
  await expect(open(`postgres://cathedral@127.0.0.1:${port}/none?sslmode=disable`)).rejects.toThrow(
    'store_failed',
  );
  pooler.close();
  // After its length and version, a StartupMessage has names and values in turn.
  const words = asked[0]!.subarray(8).toString().split('\0').filter(Boolean);
  const names = words.filter((_, at) => at % 2 === 0);
  expect(names.toSorted()).toEqual(['application_name', 'client_encoding', 'database', 'user']);
});

test('the clock keeps the most exact sample for a while, and does not follow the time of this machine', async () => {
  let now = 0;
  let wall = 5000;
  const clock = new DatabaseClock(
    () => now,
    () => wall,
  );
  expect(clock.offset()).toBe(0);
  const measure = (server: number, roundTrip: number) =>
    clock.measure(async () => {
      now += roundTrip;
      wall += roundTrip;
      return server;
    });
  await measure(1_000_001, 2);
  expect(wall + clock.offset()).toBe(1_000_002);
  await measure(7_000_000, 200);
  expect(wall + clock.offset()).toBe(1_000_202);
  wall += 3_600_000;
  expect(wall + clock.offset()).toBe(1_000_202);
  now += 200_000;
  await measure(2_000_000, 200);
  expect(wall + clock.offset()).toBe(2_000_100);
  // A slow answer does not make a right clock wrong, and still finds a wrong one.
  clock.forget();
  await measure(wall + 100, 3000);
  expect(clock.offset()).toBe(0);
  clock.forget();
  await measure(wall + 3_600_000, 3000);
  expect(clock.offset()).toBe(3_600_000 - 1500);
});

describe.skipIf(!hasPostgres)('a database', () => {
  let primary: PostgresServer;
  let standby: PostgresServer;

  beforeAll(async () => {
    primary = await PostgresServer.start({
      settings: ['max_connections = 30', 'deadlock_timeout = 30ms'],
    });
    standby = await primary.addStandby();
  });

  afterAll(() => primary?.stop());

  test('commits transactions, and reads bigint as numbers', async () => {
    const database = await open(await primary.newDatabase());
    await database.transaction(async (query) => {
      await query('INSERT INTO cathedral.numbers VALUES ($1), ($2)', [1, 2 ** 40]);
    });
    const failing = database.transaction(async (query) => {
      await query(add, [3]);
      throw new RangeError('no');
    });
    await expect(failing).rejects.toThrow(RangeError);
    const hiding = database.transaction(async (query) => {
      await query(add, [4]);
      await query(add, [4]).catch(() => undefined);
    });
    await expect(hiding).rejects.toThrow(/expected a transaction without an error, found ROLLBACK/);
    expect(await numbersOf(database)).toEqual([1, 2 ** 40]);
    expect(Math.abs(database.clock())).toBeLessThan(1000);
    const limits = ['statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout'];
    const { rows } = await database.query(
      'SELECT current_setting(name) AS is FROM unnest($1::text[]) AS name',
      [limits],
    );
    expect(rows).toEqual([{ is: '5s' }, { is: '3s' }, { is: '10s' }]);
  });

  test('delivers notifications, and says when some may have been lost', async () => {
    const database = await open(await primary.newDatabase());
    const heard: string[] = [];
    database.listen('news', (payload) => heard.push(payload));
    await expect.poll(() => heard).toEqual(['']);
    await database.query("SELECT pg_notify('news', '7')");
    await expect.poll(() => heard).toEqual(['', '7']);
    // Every session of this program: what one said last is not always LISTEN.
    await primary.sql(
      'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()',
      database.name.slice(database.name.lastIndexOf('/') + 1),
    );
    await expect.poll(() => heard).toEqual(['', '7', '']);
  });

  test('runs a transaction again after a deadlock', async () => {
    const database = await open(await primary.newDatabase());
    await database.query('INSERT INTO cathedral.numbers VALUES (1, $1), (2, $1)', ['']);
    let runs = 0;
    let both!: () => void;
    const haveLocked = new Promise<void>((resolve) => {
      both = resolve;
    });
    const append = "UPDATE cathedral.numbers SET text = text || 'x' WHERE n = $1";
    const inOrder = (...order: number[]) =>
      database.transaction(async (query) => {
        runs += 1;
        await query(append, [order[0]]);
        if (runs === 2) both();
        await haveLocked;
        await query(append, [order[1]]);
      });
    await Promise.all([inOrder(1, 2), inOrder(2, 1)]);
    // The one that begins again may be faster than the other one, which does not know yet that the lock is free.
    expect(runs).toBeGreaterThan(2);
    const { rows } = await database.query('SELECT text FROM cathedral.numbers');
    expect(rows).toEqual([{ text: 'xx' }, { text: 'xx' }]);
  });

  test('survives a connection that is cut in the middle of a transaction, which has then done nothing', async () => {
    const database = await open(await primary.newDatabase());
    const cut = database.transaction(async (query) => {
      await query(add, [1]);
      const { rows } = await query('SELECT pg_backend_pid() AS pid');
      await primary.sql(`SELECT pg_terminate_backend(${rows[0]!.pid})`);
      await query(add, [2]);
    });
    await expect(cut).rejects.toThrow(/store_failed/);
    expect(await numbersOf(database)).toEqual([]);
  });

  test('reports no commit that its standby has not confirmed', async () => {
    const address = await primary.newDatabase();
    // On a busy machine it takes seconds until both writes wait.
    const database = await open(address, { timeoutMs: 60_000 });
    const impatient = await open(address, { timeoutMs: 2000 });
    const waiting = "FROM pg_stat_activity WHERE wait_event = 'SyncRep'";
    const count = async () => (await primary.sql(`SELECT pid ${waiting}`)).length;
    standby.freeze();
    try {
      for (const end of ['pg_cancel_backend', 'pg_terminate_backend']) {
        const writes = [
          database.query(add, [end === 'pg_cancel_backend' ? 1 : 2]),
          database.transaction((query) => query(add, [end === 'pg_cancel_backend' ? 3 : 4])),
        ].map((write) => expect(write).rejects.toThrow(/store_failed/));
        await expect.poll(count).toBe(2);
        await primary.sql(`SELECT ${end}(pid) ${waiting}`);
        await Promise.all(writes);
      }
      const cancelled = database.query(add, [5]).catch(String);
      await expect.poll(count).toBe(1);
      await primary.sql(`SELECT pg_cancel_backend(pid) ${waiting}`);
      expect(await cancelled).toMatch(
        /expected a commit that the synchronous standby confirms, found canceling wait for synchronous replication/,
      );
      // And without anyone who cancels it: the time for an answer ends, and the server is rid of the session.
      await expect(impatient.transaction((query) => query(add, [6]))).rejects.toThrow(
        /timeout.*store_failed/,
      );
      await expect.poll(count).toBe(0);
    } finally {
      standby.thaw();
    }
    await database.query(add, [7]);
  });

  test('gives up waiting for a server that hangs, and goes on when it does', async () => {
    const database = await open(await primary.newDatabase(), { timeoutMs: 3000 });
    primary.freeze();
    try {
      await expect(database.query('SELECT 1')).rejects.toThrow(/timeout.*store_failed/);
    } finally {
      primary.thaw();
    }
    await expect.poll(() => database.query('SELECT 1').catch(String)).toMatchObject({ count: 1 });
  });

  test('gets its tables once from several programs at a time, and is refused by one with others', async () => {
    const address = await primary.newDatabase();
    const steps = [NUMBERS, 'CREATE TABLE cathedral.letters (c text)'];
    await Promise.all([1, 2, 3].map(() => open(address, { steps })));
    await expect(open(address, { steps: [`${NUMBERS};`, steps[1]!] })).rejects.toThrow(
      /db\d+: expected the schema cathedral as this program made it, or none, found another form of its step 1/,
    );
  });

  describe('is refused with one message', () => {
    /** What is done to the server first, the user of the address, and what the message says. */
    const REFUSED = rowsOf<[reason: string, sql: string, user: string, message: string]>(String.raw`
for a wrong password |  | secretive:hunter2 | secretive@.*db\d+: expected a password that the server accepts.*28P01.*config_invalid
for no password |  | secretive | expected a password that the server accepts.*found no password \(config_invalid\)
for a database that does not exist | ALTER DATABASE here RENAME TO there | owner | expected a database of the server, found database "db\d+" does not exist \(3D000\) \(config_invalid\)
if it may not make its schema |  | stranger | expected a user with all rights on the schema cathedral.*permission denied for database.*store_failed
if it may not read its schema | CREATE SCHEMA cathedral; CREATE TABLE cathedral.migrations (step integer, sha256 text) | stranger | expected a user with all rights on the schema cathedral.*permission denied for .*store_failed
if the schema is of something else | CREATE SCHEMA cathedral; CREATE TABLE cathedral.stones (n int) | owner | expected the schema cathedral as this program made it, or none, found one with 1 tables
if it is read-only | ALTER DATABASE here SET default_transaction_read_only = on | owner | expected a primary server, which can be written to, found default_transaction_read_only = on \(store_failed\)
if it has no connection left | ALTER DATABASE here CONNECTION LIMIT 0 | stranger | expected a server with a free connection: max_connections.*53300.*store_failed`);

    beforeAll(async () => {
      await primary.sql("CREATE ROLE secretive LOGIN PASSWORD 'open sesame'; CREATE ROLE stranger LOGIN");
    });

    test('for each of these reasons', async () => {
      const found = REFUSED.map(async ([reason, sql, user, expected]) => {
        const address = await primary.newDatabase();
        const name = address.slice(address.lastIndexOf('/') + 1);
        const statement = sql
          .replace('DATABASE here', `DATABASE ${name}`)
          .replace('TO there', `TO ${name}_other`);
        if (statement !== '') await primary.sql(statement, statement.startsWith('CREATE') ? name : undefined);
        // Also a server that may wait for the database.
        const opening = open(address.replace('owner', user), { whenUnreachable: 'retry' });
        return [reason, expected, String(await opening.catch(({ message }) => message))] as const;
      });
      for (const [reason, expected, message] of await Promise.all(found)) {
        expect(message, reason).toMatch(new RegExp(expected));
        expect(message, reason).not.toContain('hunter2');
      }
    });

    test('if all connections are in use', async () => {
      const address = await primary.newDatabase();
      const clients = [];
      try {
        for (;;) clients.push(await primary.connect());
      } catch {
        // A session that had not quite ended leaves a place for one more.
        await expect
          .poll(() => open(address).catch(({ message }) => message))
          .toMatch(/a free connection: max_connections.*too many clients already/);
      } finally {
        await Promise.all(clients.map((client) => client.end()));
      }
    });

    test('if its encoding lacks letters', async () => {
      await primary.sql("CREATE DATABASE latin ENCODING LATIN1 LOCALE 'C' TEMPLATE template0 OWNER owner");
      await expect(open(`postgres://owner@127.0.0.1:${primary.port}/latin`)).rejects.toThrow(
        /expected a database in UTF8.*found LATIN1 \(store_failed\)/,
      );
    });

    test('if there are only standbys', async () => {
      const address = `postgres://owner@127.0.0.1:${standby.port}/postgres`;
      await expect(open(address, { whenUnreachable: 'retry' })).rejects.toThrow(
        /expected a primary server, which can be written to, found a standby \(store_failed\)/,
      );
    });
  });

  test('that cannot be reached stops a command, and is awaited by a server', async () => {
    const answer: Socket[] = [];
    const port = await freePort();
    const silent = createServer((socket) => answer.push(socket)).listen(port, '127.0.0.1');
    await new Promise((resolve) => silent.once('listening', resolve));
    const address = `postgres://owner@127.0.0.1:${port}/postgres`;
    try {
      await expect(open(address)).rejects.toThrow(/timeout.*store_failed/);
    } finally {
      for (const socket of answer) socket.destroy();
      await new Promise((resolve) => silent.close(resolve));
    }
    await expect(open(address)).rejects.toThrow(/ECONNREFUSED.*store_failed/);
    const database = await open(address, { whenUnreachable: 'retry' });
    await expect(database.query('SELECT 1')).rejects.toThrow(/ECONNREFUSED.*store_failed/);
    expect(database.clock()).toBe(0);
  });

  test('goes on with the standby that was promoted, with every committed row, and not with the old primary', async () => {
    const address = await primary.newDatabase(standby);
    const database = await open(address);
    const heard: string[] = [];
    database.listen('news', (payload) => heard.push(payload));
    await database.query(add, [1]);
    await expect.poll(() => heard.length).toBe(1);
    await primary.kill();
    // A connection that was idle may not have noticed yet that it has ended.
    const faultOf = (from: Database) => from.query('SELECT 1').catch(({ message }) => message);
    await expect
      .poll(() => faultOf(database))
      .toMatch(/one server that takes writes.*a standby.*store_failed/);
    standby.promote();
    await expect.poll(() => database.query(add, [2]).catch(String)).toMatchObject({ count: 1 });
    expect(await numbersOf(database)).toEqual([1, 2]);
    await expect.poll(() => heard.length).toBe(2);
    primary.resume();
    let later = database;
    // Whoever has found a primary waits half a second for a newer one, which a busy machine may exceed.
    await expect
      .poll(async () => {
        later = await open(address);
        return numbersOf(later);
      })
      .toEqual([1, 2]);
    await standby.kill();
    await expect.poll(() => faultOf(later)).toMatch(/an old primary, of timeline 1/);
  });
});
