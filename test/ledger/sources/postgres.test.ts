import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Random } from '../../../pipeline/random.ts';
import { runHere } from '../../cli/run-cli.ts';
import { Folders, filesOf, verifiedLedger } from '../civic/import-fixture.ts';
import { importPostgres } from './import-postgres.ts';
import { hasPostgres, PostgresServer } from './postgres-server.ts';

const folders = new Folders();
let server: PostgresServer;

/** A table that is written for the ledger. */
const tableOf = (name: string, id = 'bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY') =>
  `CREATE TABLE ${name} (id ${id}, timestamp timestamptz NOT NULL DEFAULT now(), type text NOT NULL DEFAULT 'heartbeat', agent text NOT NULL DEFAULT 'ATLAS', data jsonb NOT NULL DEFAULT '{}')`;

/** Rows 1 to `count`, one every minute until shortly ago, so that most of their slots have ended. */
const filled = (name: string, count: number) =>
  `${tableOf(name)}; INSERT INTO ${name} (timestamp, type, data) SELECT date_trunc('second', now()) - (${count} - n) * interval '1 minute', 'mii_reading', jsonb_build_object('mii', n / 1e6) FROM generate_series(1, ${count}) n`;

async function rowsOf(folder: string): Promise<string[]> {
  const { events } = await verifiedLedger(folder);
  return events.map(({ data }) => (data.source as { row: string } | undefined)?.row ?? `!${data.alert}`);
}

const ids = (last: number) => Array.from({ length: last }, (_, n) => `${n + 1}`);

describe.skipIf(!hasPostgres)('an import from PostgreSQL', () => {
  beforeAll(async () => {
    server = await PostgresServer.start();
  });

  afterAll(() => {
    server?.stop();
    folders.remove();
  });

  test('follows a table that several sessions write, in the order of its ids, without gaps and without late rows', async () => {
    await server.sql(tableOf('busy'));
    const folder = folders.make();
    const address = server.address('table=busy');
    const random = new Random('writers');
    let isWriting = true;
    const writers = Array.from({ length: 5 }, async (_, writer) => {
      const client = await server.connect();
      for (let n = 0; n < (writer === 0 ? 2 : 40); n += 1) {
        await client.query('BEGIN');
        for (let row = random.whole(1, 4); row > 0; row -= 1) {
          await client.query('INSERT INTO busy (data) VALUES (\'{"n": 1}\')');
          // The first one's transactions are long.
          await sleep(writer === 0 ? 700 : random.whole(0, 12));
        }
        await client.query(random.chance(0.15) ? 'ROLLBACK' : 'COMMIT');
      }
      await client.end();
    });
    const findings: unknown[] = [];
    let imports = 0;
    const follower = (async () => {
      while (isWriting) {
        findings.push(...(await importPostgres(address, folder)).findings);
        imports += 1;
      }
    })();
    await Promise.all(writers);
    isWriting = false;
    await follower;
    findings.push(...(await importPostgres(address, folder, { full: true })).findings);
    const rows = await server.sql('SELECT id::text FROM busy ORDER BY busy.id');
    expect(rows.length).toBeGreaterThan(200);
    expect(imports).toBeGreaterThan(4);
    expect(await rowsOf(folder)).toEqual(rows.map(({ id }) => id));
    expect(findings).toEqual([]);
  });

  test('follows random ids by their time, once they have settled', async () => {
    await server.sql(tableOf('uuids', 'uuid PRIMARY KEY DEFAULT gen_random_uuid()'));
    await server.sql(
      "INSERT INTO uuids (timestamp) SELECT now() - interval '1 day' + n * interval '1 second' FROM generate_series(500, 1, -1) n; INSERT INTO uuids DEFAULT VALUES",
    );
    const folder = folders.make();
    const address = server.address('table=uuids&settle=2');
    expect(await importPostgres(address, folder)).toMatchObject({ imported: 500, findings: [] });
    await expect
      .poll(async () => (await importPostgres(address, folder)).imported, { interval: 500 })
      .toBe(1);
    const rows = await server.sql('SELECT id::text FROM uuids ORDER BY timestamp');
    expect(await rowsOf(folder)).toEqual(rows.map(({ id }) => id));
    expect((await importPostgres(address, folder, { full: true })).findings).toEqual([]);
  });

  test('reports rows that came late, were changed or deleted, and records them', async () => {
    await server.sql(filled('revised', 300));
    await server.sql('DELETE FROM revised WHERE id = 20');
    const folder = folders.make();
    const address = server.address('table=revised');
    await importPostgres(address, folder);
    await server.sql(
      `INSERT INTO revised (id, timestamp) OVERRIDING SYSTEM VALUE VALUES (20, now() - interval '2 days');
       INSERT INTO revised (timestamp) VALUES (now() - interval '3 days');
       UPDATE revised SET agent = 'ZEUS' WHERE id = 30; UPDATE revised SET data = '{}' WHERE id = 31;
       DELETE FROM revised WHERE id = 40`,
    );
    const { findings } = await importPostgres(address, folder);
    expect(
      findings.map(({ kind, message }) => `${kind}: ${message.split(' came')[0]!.split(' w')[0]}`),
    ).toEqual(['late: 2 rows (20, 301)', 'modified: 2 rows (30, 31)', 'deleted: 1 row (40)']);
    expect((await rowsOf(folder)).slice(299)).toEqual(['20', '301', '!source-late', '!source-changed']);
    expect((await importPostgres(address, folder, { full: true })).findings).toEqual([]);
  });

  test('continues after a restart of the server and a broken connection, each row once', async () => {
    await server.sql(filled('restarted', 40_000));
    const folder = folders.make();
    for (const bytes of [20_000, 1_500_000]) {
      const proxy = await cuttingProxy(server.port, bytes);
      await expect(
        importPostgres(server.address('table=restarted', { port: proxy.port }), folder),
      ).rejects.toThrow(
        /table=restarted: expected a connection that lasts until the rows are read, found .*import_failed/,
      );
      proxy.close();
    }
    const soFar = (await rowsOf(folder)).length;
    expect(soFar).toBeGreaterThan(1000);
    const address = server.address('table=restarted');
    const ended = importPostgres(address, folder);
    const ends = (async () => {
      for (;;) {
        const [row] = await server.sql(
          "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'cathedral import' AND query LIKE 'COPY%'",
        );
        if (row) return;
      }
    })();
    await expect(ended).rejects.toThrow(/import_failed/);
    await ends;
    server.pause();
    await expect(importPostgres(address, folder)).rejects.toThrow(/ECONNREFUSED .*import_failed/);
    server.resume();
    expect(await importPostgres(address, folder)).toMatchObject({ findings: [] });
    expect(await rowsOf(folder)).toEqual(ids(40_000));
  });

  test('that is killed at any moment leaves a ledger that the next one completes, with the same bytes', async () => {
    await server.sql(filled('killed', 30_000));
    const address = server.address('table=killed');
    const whole = folders.make();
    await importPostgres(address, whole);
    const folder = folders.make();
    const snapshots = () =>
      existsSync(join(folder, 'snapshots')) ? readdirSync(join(folder, 'snapshots')) : [];
    for (const number of [1, 3, 40, 120]) {
      const child = spawn(process.execPath, [join(import.meta.dirname, 'import-child.ts'), address, folder]);
      while (snapshots().length < number && child.exitCode === null) await sleep(1);
      child.kill('SIGKILL');
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
      expect(child.signalCode).toBe('SIGKILL');
    }
    await importPostgres(address, folder);
    expect(await rowsOf(folder)).toEqual(ids(30_000));
    const sealed = (files: Record<string, string>) =>
      Object.entries(files).filter(([name]) => name.startsWith('snapshots/'));
    expect(sealed(filesOf(folder))).toEqual(sealed(filesOf(whole)));
  });

  test('reads a view, a query, a mapped table, all kinds of columns, and names that need quotes', async () => {
    await server.sql(
      `CREATE SCHEMA "Old Registry"; CREATE TABLE "Old Registry"."log.book" (
         "Nr." integer PRIMARY KEY, happened timestamp NOT NULL, kind text, who varchar(80), level numeric(6,4), tags text[], big bigint, note text);
       INSERT INTO "Old Registry"."log.book" VALUES
         (1, '2026-07-01 08:00', 'reading', 'ATLAS', 0.9731, NULL, NULL, NULL),
         (2, '2026-07-01 09:00', 'internal', 'nobody', NULL, NULL, NULL, NULL),
         (3, '2026-07-01 10:00', 'remark', 'ÆGIR', NULL, '{"a b",c}', 9007199254740993, E'tab\\tline\\nback\\\\slash \\u20ac');
       CREATE VIEW readings AS SELECT "Nr." AS id, happened AT TIME ZONE 'Europe/Berlin' AS timestamp, 'mii_reading' AS type, who AS agent, level AS "data.mii" FROM "Old Registry"."log.book" WHERE kind = 'reading'`,
    );
    const mapping = {
      id: 'Nr.',
      timestamp: { column: 'happened', zone: 'Europe/Berlin' },
      type: { column: 'kind', values: { reading: 'mii_reading', remark: 'remark', internal: null } },
      agent: 'who',
      data: { mii_reading: { mii: 'level' }, remark: { tags: 'tags', big: 'big', note: 'note' } },
    };
    const mapped = folders.make();
    const table = server.address(`table=${encodeURIComponent('"Old Registry"."log.book"')}`);
    for (const imported of [2, 0])
      expect(await importPostgres(table, mapped, { mapping, full: true })).toMatchObject({
        imported,
        findings: [],
      });
    const { events } = await verifiedLedger(mapped);
    expect(events.map(({ timestamp, agent, data }) => ({ timestamp, agent, data }))).toEqual([
      { timestamp: '2026-07-01T06:00:00Z', agent: 'ATLAS', data: { mii: 0.9731, source: { row: '1' } } },
      {
        timestamp: '2026-07-01T08:00:00Z',
        agent: 'ÆGIR',
        data: {
          tags: ['a b', 'c'],
          big: '9007199254740993',
          note: 'tab\tline\nback\\slash €',
          source: { row: '3' },
        },
      },
    ]);
    for (const rows of ['table=readings', `query=${encodeURIComponent('SELECT * FROM readings;')}`]) {
      const folder = folders.make();
      for (const imported of [1, 0])
        expect(await importPostgres(server.address(rows), folder)).toMatchObject({ imported, findings: [] });
      expect((await verifiedLedger(folder)).events[0]!.data).toEqual({ mii: 0.9731, source: { row: '1' } });
    }
  });

  describe('refuses', () => {
    /** What makes the table `t` of the address, its parameters, and what the message says about it. */
    const REFUSED: Record<string, [sql: string, parameters: string, message: RegExp]> = {
      'a table without a primary key': [
        tableOf('t', 'bigint NOT NULL'),
        'table=t',
        /t, column id: expected a primary key or a unique index on this column alone, found none/,
      ],
      'an id of a query that repeats': [
        '',
        `query=${encodeURIComponent("SELECT 'x' AS id, now() - n * interval '1 day' AS timestamp, 'heartbeat' AS type, 'A' AS agent FROM generate_series(1, 2) n")}`,
        /row x: expected an id that no other row has, found 2 rows with it/,
      ],
      'a time without a zone': [
        `${tableOf('t')}; ALTER TABLE t ALTER timestamp TYPE timestamp; INSERT INTO t DEFAULT VALUES`,
        'table=t',
        /row 1, column timestamp: expected timestamp to be a time with Z or an offset from UTC, or a "zone" in the mapping file/,
      ],
      'a time without a zone by which rows are ordered': [
        `${tableOf('t', 'uuid PRIMARY KEY')}; ALTER TABLE t ALTER timestamp TYPE timestamp`,
        'table=t',
        /column timestamp: expected timestamp with time zone, because rows with uuid ids are followed in the order of their time, found timestamp without time zone; a query can convert it: "timestamp" AT TIME ZONE/,
      ],
      'a missing column': [
        `${tableOf('t')}; ALTER TABLE t DROP timestamp`,
        'table=t',
        /expected a column for the timestamp of a row, found none/,
      ],
      'an unknown column': [
        `${tableOf('t')}; ALTER TABLE t RENAME agent TO agnet`,
        'table=t',
        /expected the column agent, or a mapping file.*found the column "agnet"/,
      ],
      'a null': [
        `${tableOf('t')}; ALTER TABLE t ALTER agent DROP NOT NULL; INSERT INTO t (agent) VALUES ('A'), (NULL)`,
        'table=t',
        /row 2: expected agent to be a string, found nothing/,
      ],
      'a null as a time': [
        `${tableOf('t')}; ALTER TABLE t ALTER timestamp DROP NOT NULL; INSERT INTO t (timestamp) VALUES (NULL)`,
        'table=t',
        /row 1, column timestamp: expected a value, found NULL/,
      ],
      'data of the wrong type': [
        `${tableOf('t')}; ALTER TABLE t ALTER data DROP DEFAULT, ALTER data TYPE integer USING 5; INSERT INTO t (data) VALUES (5)`,
        'table=t',
        /row 1.*: expected data to be an object, found 5/,
      ],
      'JSON that is no object': [
        `${tableOf('t')}; INSERT INTO t (data) VALUES ('[1]')`,
        'table=t',
        /row 1.*: expected data to be an object, found \[1\]/,
      ],
      'a number that is none': [
        `${tableOf('t')}; ALTER TABLE t DROP data, ADD "data.mii" float; INSERT INTO t (type, "data.mii") VALUES ('mii_reading', 'NaN')`,
        'table=t',
        /row 1, column data.mii: expected a finite number, found NaN/,
      ],
      'a number beyond a double': [
        `${tableOf('t')}; INSERT INTO t (data) VALUES ('{"n": 1e400}')`,
        'table=t',
        /row 1, column data: expected numbers that a double holds, or texts, found 1\d+/,
      ],
      'an event that its type does not allow': [
        `${tableOf('t')}; INSERT INTO t (type, data) VALUES ('mii_reading', '{"mii": "high"}')`,
        'table=t',
        /row 1: expected data.mii to be a number, found "high"/,
      ],
      'a time in the future': [
        `${tableOf('t')}; INSERT INTO t (timestamp) VALUES (now() + interval '1 hour')`,
        'table=t',
        /row 1: expected timestamp to be at most 5 minutes after the clock/,
      ],
      'a row that is too long': [
        `${tableOf('t')}; INSERT INTO t (data) VALUES (jsonb_build_object('text', repeat('x', 70000)))`,
        'table=t',
        /row 1: expected an event whose line has at most 65535 bytes, found 70/,
      ],
      'an unknown table': [
        tableOf('t'),
        'table=tt',
        /expected a table or view, such as t, found none named "tt"/,
      ],
      'a query that is wrong': [
        '',
        'query=SELEC',
        /query=SELEC: expected rows that can be read, found syntax error at or near/,
      ],
    };

    test.each(Object.entries(REFUSED))('%s', async (_, [sql, parameters, message]) => {
      await server.sql(`DROP TABLE IF EXISTS t; ${sql}`);
      const error = await importPostgres(server.address(parameters), folders.make()).catch(String);
      expect(error).toMatch(message);
    });

    test('an unknown database, a wrong password and a missing right, and shows no password', async () => {
      await server.sql(
        `DROP TABLE IF EXISTS t; ${tableOf('t')}; CREATE ROLE secretive LOGIN PASSWORD 'open sesame'`,
      );
      const failing = (options: { user?: string; database?: string }) =>
        importPostgres(server.address('table=t', options), folders.make()).catch(String);
      expect(await failing({ database: 'elsewhere' })).toMatch(
        /expected a database of the server, found database "elsewhere" does not exist \(3D000\)/,
      );
      const wrong = await failing({ user: 'secretive:hunter2' });
      expect(wrong).toMatch(
        /postgres:\/\/secretive@127.0.0.1:\d+\/postgres\?table=t: expected a password that the server accepts/,
      );
      expect(wrong).not.toContain('hunter2');
      expect(await failing({ user: 'secretive:open%20sesame' })).toMatch(
        /expected a user that may read the rows: GRANT SELECT.*permission denied for table t/,
      );
      await server.sql('GRANT SELECT ON t TO secretive; INSERT INTO t DEFAULT VALUES');
      const folder = folders.make();
      const address = server.address('table=t', { user: 'secretive:open%20sesame' });
      expect(await importPostgres(address, folder)).toMatchObject({ imported: 1 });
    });
  });

  test.skipIf(spawnSync('openssl', ['version']).status !== 0)('verifies who the server is', async () => {
    const { folder } = server;
    const [key, certificate] = [`${folder}/data/server.key`, `${folder}/data/server.crt`];
    const names = 'subjectAltName=IP:127.0.0.1';
    const request = ['req', '-x509', '-newkey', 'ed25519', '-nodes', '-subj', '/CN=db', '-addext', names];
    spawnSync('openssl', [...request, '-days', '2', '-keyout', key, '-out', certificate]);
    server.own(key);
    await server.sql(filled('secured', 5));
    await server.sql('ALTER SYSTEM SET ssl = on');
    await server.sql('SELECT pg_reload_conf()');
    await sleep(300);
    const imported = (more: string) =>
      importPostgres(server.address(`table=secured&${more}`), folders.make()).then(
        (report) => report.imported,
        String,
      );
    expect(await imported('sslmode=verify-full')).toMatch(/self-signed certificate/);
    expect(await imported('sslmode=require')).toBe(5);
    expect(await imported(`sslmode=verify-full&sslrootcert=${certificate}`)).toBe(5);
    await server.sql('ALTER SYSTEM SET ssl = off');
    await server.sql('SELECT pg_reload_conf()');
    await sleep(300);
    expect(await imported('sslmode=require')).toMatch(/The server does not support SSL connections/);
  });

  test('is what `cathedral build` publishes, after the genesis and signed by the key that `ledger init` made', async () => {
    await server.sql(filled('published', 2000));
    const folder = folders.make();
    const [out, imported] = [join(folder, 'out'), join(folder, 'imported')];
    const begun = await runHere('ledger init', [
      imported,
      '--origin',
      'registry.example.org',
      '--from',
      '2026-01-01T00:00:00Z',
    ]);
    expect([begun.status, begun.stderr]).toEqual([0, '']);
    const args = ['--ledger', server.address('table=published', { user: 'owner:hunter2' }), '--out', out];
    const keys = ['--import-folder', imported, '--import-key', join(folder, 'import.key')];
    const signing = ['--ledger-signing-key', `${imported}.key`];
    const more = ['--publisher-key', join(folder, 'publisher.key'), '--without-site', '--json'];
    const { status, stdout, stderr } = await runHere('build', [...args, ...keys, ...signing, ...more]);
    expect([status, stderr]).toEqual([0, expect.stringContaining('new events imported: 2000')]);
    const { findings, ...published } = JSON.parse(stdout);
    expect([published, findings]).toMatchObject([{ outcome: 'published' }, []]);
    const checked = await runHere('ledger check', [imported]);
    expect(checked.status, checked.stdout).toBe(0);
    const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((file) =>
      file.isFile(),
    );
    for (const { parentPath, name } of files)
      expect(readFileSync(join(parentPath, name), 'latin1').includes('hunter2'), name).toBe(false);
    expect(stdout + stderr).not.toContain('hunter2');
  });
});

/** Forwards connections to a port and breaks each one after so many bytes of answers. */
async function cuttingProxy(to: number, bytes: number) {
  const proxy = createServer((client) => {
    const upstream = connect(to, '127.0.0.1');
    let left = bytes;
    upstream.on('data', (chunk: Buffer) => {
      client.write(chunk.subarray(0, left));
      left -= chunk.length;
      if (left > 0) return;
      upstream.destroy();
      client.resetAndDestroy();
    });
    client.on('data', (chunk) => upstream.write(chunk));
    for (const socket of [client, upstream]) socket.on('error', () => upstream.destroy());
    client.on('close', () => upstream.destroy());
  }).listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  return { port: (proxy.address() as { port: number }).port, close: () => proxy.close() };
}
