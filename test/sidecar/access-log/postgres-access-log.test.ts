import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { type Database, openDatabase } from '../../../pipeline/postgres/database.ts';
import { withLease } from '../../../pipeline/postgres/lease.ts';
import { openLogIn } from '../../../src/sidecar/access-log/access-log.ts';
import { expireEntries } from '../../../src/sidecar/access-log/expire-entries.ts';
import { readLog } from '../../../src/sidecar/access-log/log-reader.ts';
import { verifyAccessLog } from '../../../src/sidecar/access-log/verify-access-log.ts';
import { issueKey } from '../../../src/sidecar/keys/key-life.ts';
import { keyStoreIn } from '../../../src/sidecar/keys/key-store.ts';
import { countStoreIn } from '../../../src/sidecar/limits/count-store.ts';
import { createLimiter } from '../../../src/sidecar/limits/limiter.ts';
import { hasPostgres, PostgresServer } from '../../engines/postgres.ts';
import { meanwhile } from '../../meanwhile.ts';
import { publishTiny } from '../../release/publish-tiny.ts';
import { failureOf, temporaryFolder } from '../../release/temporary-folder.ts';
import { sweep } from '../../setups/sweep.ts';
import { newKey } from '../keys/new-key.ts';
import { GOVERNMENT } from '../keys/tiny-key-services.ts';
import { get, tinyApp } from '../tiny-app.ts';
import { entriesOf } from './entries-of.ts';
import { START, sampleAccess } from './sample-access.ts';

const EMPTY = `
  ALTER TABLE cathedral.access_log_entries DISABLE TRIGGER ALL;
  ALTER TABLE cathedral.access_log_head DISABLE TRIGGER ALL;
  ALTER TABLE cathedral.access_log_removals DISABLE TRIGGER ALL;
  TRUNCATE cathedral.access_log_entries, cathedral.access_log_removals;
  UPDATE cathedral.access_log_head SET seq = -1, hash = repeat('0', 64);
  ALTER TABLE cathedral.access_log_entries ENABLE TRIGGER ALL;
  ALTER TABLE cathedral.access_log_head ENABLE TRIGGER ALL;
  ALTER TABLE cathedral.access_log_removals ENABLE TRIGGER ALL;`;

describe.skipIf(!hasPostgres)('an access log in PostgreSQL', () => {
  let server: PostgresServer;
  let standby: PostgresServer;
  let address: string;
  let name: string;

  beforeAll(async () => {
    server = await PostgresServer.start();
    address = await server.newDatabase();
    name = new URL(address).pathname.slice(1);
    await (await openDatabase(address, { application: 'test', connections: 1 })).close();
  });
  afterAll(() => server?.stop());

  /** A server's own connections. */
  async function connect(at = address): Promise<Database> {
    const database = await openDatabase(at, { application: 'test', connections: 3, timeoutMs: 10_000 });
    onTestFinished(() => database.close());
    return database;
  }

  async function emptied(): Promise<Database> {
    await server.sql(EMPTY, name);
    return connect();
  }

  /** Entries as a superuser may write them, who can turn every guard off. */
  async function tamper(sql: string): Promise<void> {
    await server.sql(`SET session_replication_role = replica; ${sql}`, name);
  }

  /** A log with so many entries. */
  async function written(count: number) {
    const database = await emptied();
    const log = openLogIn(database);
    onTestFinished(() => log.close());
    await Promise.all(Array.from({ length: count }, (_, at) => log.append(sampleAccess(at))));
    return { database, log, reader: readLog(database) };
  }

  async function faultsOf(database: Database, head?: string): Promise<string[]> {
    const { faults } = await verifyAccessLog(readLog(database), head === undefined ? {} : { head });
    return faults.map(({ kind, seq }) => `${kind} ${seq}`);
  }

  test('loses nothing acknowledged where connections are killed in the middle of transactions', async () => {
    const { database, reader } = await written(1);
    const logs = [database, await connect(), await connect()].map((one) => openLogIn(one));
    const acknowledged: string[] = ['request-0'];
    let failures = 0;
    const write = (client: number) => async (isOver: () => boolean) => {
      for (let at = 0; !isOver(); at += 1) {
        const requestId = `${client}-${at}`;
        await logs[client % 3]!.append(sampleAccess(at, { requestId })).then(
          () => acknowledged.push(requestId),
          () => {
            failures += 1;
          },
        );
      }
    };
    const holders = `SELECT count(pg_terminate_backend(pid))::int AS killed FROM pg_stat_activity
      WHERE application_name = 'test' AND xact_start IS NOT NULL`;
    await meanwhile(
      async (isOver) => {
        for (let killed = 0; killed < 4 && !isOver(); )
          killed += Number((await server.sql(holders, name))[0]!.killed);
      },
      ...Array.from({ length: 6 }, (_, client) => write(client)),
    );
    // The last connection that was killed may be one that nobody has used since.
    const appended = () =>
      logs[0]!.append(sampleAccess(0, { requestId: 'afterwards' })).then(
        () => true,
        () => false,
      );
    await expect.poll(appended).toBe(true);
    expect(failures).toBeGreaterThan(0);
    const logged = new Set((await entriesOf(reader)).map(({ request_id }) => request_id));
    expect([...acknowledged, 'afterwards'].filter((id) => !logged.has(id))).toEqual([]);
    expect(await faultsOf(database)).toEqual([]);
  });

  test('goes on where a server is paused while it holds the lock', async () => {
    const { database, log } = await written(1);
    const [held, overtaken] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const transaction: Database['transaction'] = (work, lock) =>
      database.transaction(
        (query) =>
          work(async (text, values) => {
            const answer = await query(text as string, values);
            held.resolve();
            await overtaken.promise;
            return answer as never;
          }),
        lock,
      );
    const paused = failureOf(() =>
      openLogIn({ ...database, transaction }).append(sampleAccess(1, { requestId: 'paused' })),
    );
    await held.promise;
    // By then the database has ended the transaction of the paused one.
    await log.append(sampleAccess(2)).finally(overtaken.resolve);
    expect(await paused).toMatchObject({ code: 'store_failed' });
    expect((await entriesOf(readLog(database))).map(({ request_id }) => request_id)).toEqual([
      'request-0',
      'request-2',
    ]);
  });

  test('lets the role of deploy/postgres-roles.sql add and read entries, and nothing else', async () => {
    const { database, reader } = await written(5);
    await server.sql(await readFile('deploy/postgres-roles.sql', 'utf8'), name);
    const service = await connect(address.replace('owner@', 'cathedral_service@'));
    const log = openLogIn(service);
    await log.check();
    await log.append(sampleAccess(5));
    expect(await entriesOf(readLog(service))).toHaveLength(6);
    for (const sql of [
      "UPDATE cathedral.access_log_entries SET client = '' WHERE seq = 2",
      'DELETE FROM cathedral.access_log_entries',
      'TRUNCATE cathedral.access_log_entries',
      'INSERT INTO cathedral.access_log_removals VALUES (0, 3, $$$$, $$$$, $$$$)',
      'DELETE FROM cathedral.access_log_head',
      'ALTER TABLE cathedral.access_log_entries DISABLE TRIGGER ALL',
    ])
      expect(await failureOf(() => service.query(sql)), sql).toMatchObject({
        cause: expect.objectContaining({ code: '42501' }),
      });
    expect(await failureOf(() => expireEntries(service, START + 3_000, START))).toMatchObject({
      code: 'store_failed',
    });
    expect(await verifyAccessLog(reader)).toMatchObject({ faults: [], entries: 6 });
    // The rights that the other stores and publishers need.
    const counts = countStoreIn(service);
    const take = { day: '2025-12-01', area: 'economy', subject: 'holder:a', limit: 1 } as const;
    expect(await counts.takeAll([take, take])).toEqual([1, null]);
    await counts.secret(take.day, new Uint8Array(32));
    await counts.prune('2025-12-02');
    expect(await counts.count(take.day, take.area, take.subject)).toBe(0);
    const keys = keyStoreIn(service);
    expect(await keys.addKey(newKey('a'))).toBe(true);
    expect(await keys.keys()).toHaveLength(1);
    const lease = { name: 'test', holder: 'test', waitMs: 0 };
    expect(await withLease(service, lease, async ({ epoch }) => epoch)).toBe(1);
    await server.sql('REVOKE INSERT ON cathedral.access_log_entries FROM cathedral_service', name);
    expect(await failureOf(() => log.check())).toMatchObject({ code: 'store_failed' });
    await database.query('SELECT 1');
  });

  test('takes no entry where the database lacks the last one that this process wrote', async () => {
    const { database, log } = await written(6);
    const faults: unknown[] = [];
    const other = openLogIn(database, { onChange: (fault) => faults.push(fault) });
    await other.append(sampleAccess(6));
    await log.append(sampleAccess(7));
    const [kept] = await server.sql('SELECT hash FROM cathedral.access_log_entries WHERE seq = 3', name);
    // As a restored back-up would be.
    await tamper(`CREATE TABLE aside AS SELECT * FROM cathedral.access_log_entries WHERE seq > 3;
      DELETE FROM cathedral.access_log_entries WHERE seq > 3;
      UPDATE cathedral.access_log_head SET seq = 3, hash = '${kept!.hash}'`);
    onTestFinished(() => server.sql('DROP TABLE IF EXISTS aside', name).then(() => undefined));
    const broken = { code: 'access_log_broken' };
    expect(await failureOf(() => other.append(sampleAccess(8)))).toMatchObject(broken);
    expect(await failureOf(() => other.check())).toMatchObject(broken);
    expect(await failureOf(() => log.append(sampleAccess(8)))).toMatchObject(broken);
    await tamper(`INSERT INTO cathedral.access_log_entries SELECT * FROM aside;
      UPDATE cathedral.access_log_head SET (seq, hash) = (SELECT seq, hash FROM aside ORDER BY seq DESC LIMIT 1)`);
    await other.append(sampleAccess(9));
    expect(faults).toMatchObject([broken, null]);
    expect(await faultsOf(database)).toEqual([]);
  });

  sweep(
    'has a row for every restricted file that was sent, whichever server sent it, after the primary was killed',
    async () => {
      standby = await server.addStandby();
      const both = await server.newDatabase(standby);
      const out = await temporaryFolder();
      await publishTiny(out, { events: 50 });
      const servers = await Promise.all(
        Array.from({ length: 3 }, async () => {
          const database = await connect(both);
          const limiter = createLimiter({ store: countStoreIn(database), random: randomBytes });
          const stores = {
            keys: keyStoreIn(database),
            accessLog: openLogIn(database),
            limiter,
          };
          return { ...(await tinyApp(out, { services: stores })), ...stores };
        }),
      );
      const services = { store: servers[0]!.keys, mailer: null, now: Date.now, randomBytes };
      const { key } = await issueKey(
        { ...GOVERNMENT, deliver: 'print' },
        { ...services, baseUrl: 'https://a.example' },
      );
      const sent: string[] = [];
      const others = new Set<number>();
      const read = (client: number) => async (isOver: () => boolean) => {
        while (!isOver()) {
          const path = '/government/compliance-report.json';
          const answer = await get(servers[client % 3]!.app, path, { authorization: `Bearer ${key}` });
          if (answer.statusCode === 200) sent.push(`${answer.headers['x-request-id']}`);
          else others.add(answer.statusCode);
        }
      };
      await meanwhile(
        async (isOver) => {
          while (sent.length < 200 && !isOver()) await sleep(5);
          await server.kill();
          standby.promote();
          await standby.sql("ALTER SYSTEM SET synchronous_standby_names = ''");
          await standby.sql('SELECT pg_reload_conf()');
          const before = sent.length;
          while (sent.length < before + 100 && !isOver()) await sleep(5);
        },
        ...Array.from({ length: 9 }, (_, client) => read(client)),
      );
      expect([...others]).toEqual([503]);
      const database = await connect(both);
      const logged = (await entriesOf(readLog(database))).map(({ request_id }) => request_id);
      expect(sent.filter((id) => !logged.includes(id))).toEqual([]);
      expect(new Set(logged).size).toBe(logged.length);
      expect(await faultsOf(database)).toEqual([]);
    },
  );
});
