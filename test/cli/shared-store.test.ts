import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hasPostgres, PostgresServer } from '../engines/postgres.ts';
import { publishTiny } from '../release/publish-tiny.ts';
import { temporaryFolder } from '../release/temporary-folder.ts';
import { GOVERNMENT } from '../sidecar/keys/tiny-key-services.ts';
import { RunningCli, runCli, runHere } from './run-cli.ts';

const RESTRICTED = 'government/compliance-report.json';
const COUNTED = 'economy/supply';

describe.skipIf(!hasPostgres)('servers that share a database', () => {
  let database: PostgresServer;

  beforeAll(async () => {
    database = await PostgresServer.start();
  });

  afterAll(() => database?.stop());

  async function serve(store: string) {
    const out = await temporaryFolder();
    await publishTiny(out, { events: 5 });
    const cli = new RunningCli(['serve', '--out', out], { PORT: '0', CATHEDRAL_STORE: store });
    const [, url] = await cli.printed(/at (http:\/\/\S+)/);
    const get = (path: string, headers = {}) => fetch(`${url}/${path}`, { headers });
    const statusOf = async (path: string, headers = {}) => {
      const answer = await get(path, headers);
      await answer.arrayBuffer();
      return answer.status;
    };
    return { cli, get, statusOf };
  }

  test('honour keys and limits together, and lose only what needs the database while it is down', async () => {
    const store = await database.newDatabase();
    const env = { CATHEDRAL_STORE: store, CATHEDRAL_KEYS: '/nowhere/keys.sqlite' };
    const applicant = Object.entries(GOVERNMENT).flatMap(([name, value]) => [`--${name}`, value]);
    const issued = await runHere('keys issue', [...applicant, '--deliver', 'print', '--json'], { env });
    expect(issued.stderr).toBe('');
    const { key, id } = JSON.parse(issued.stdout);
    const bearer = { authorization: `Bearer ${key}` };
    const [one, two] = await Promise.all([serve(store), serve(store)]);

    expect([await one.statusOf(RESTRICTED, bearer), await two.statusOf(RESTRICTED, bearer)]).toEqual([
      200, 200,
    ]);
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, at) => (at % 2 === 0 ? one : two).get(COUNTED)),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array(10).fill(200));
    const counted = await database.sql(
      "SELECT sum(n)::int AS n FROM cathedral.counts WHERE area = 'economy'",
      store.slice(store.lastIndexOf('/') + 1),
    );
    expect(counted).toEqual([{ n: 10 }]);

    database.pause();
    const three = await serve(store);
    for (const { get, statusOf } of [one, two, three]) {
      expect(await statusOf('')).toBe(200);
      expect(await statusOf('readyz')).toBe(200);
      for (const [path, headers] of [
        [COUNTED, {}],
        [RESTRICTED, bearer],
      ] as const) {
        const refused = await get(path, headers);
        expect([refused.status, refused.headers.get('retry-after')]).toEqual([
          503,
          expect.stringMatching(/^\d+$/),
        ]);
        await refused.arrayBuffer();
      }
      await Promise.all(Array.from({ length: 20 }, () => statusOf(COUNTED)));
    }
    const stopped = await runHere('keys list', ['--json'], { env });
    expect([stopped.status, stopped.stderr]).toEqual([
      1,
      expect.stringMatching(/ECONNREFUSED.*store_failed/),
    ]);
    database.resume();
    for (const { statusOf } of [one, two, three]) {
      await expect.poll(() => statusOf(COUNTED)).toBe(200);
      await expect.poll(() => statusOf(RESTRICTED, bearer)).toBe(200);
    }

    const revoking = ['--key-id', id, '--reason', 'The holder left.'];
    expect(await runHere('keys revoke', revoking, { env })).toMatchObject({ status: 0 });
    for (const { statusOf } of [one, two, three]) expect(await statusOf(RESTRICTED, bearer)).toBe(401);
    for (const { cli } of [one, two, three]) {
      cli.child.kill('SIGTERM');
      const { status, stderr } = await cli.finished();
      expect([status, stderr.match(/requests cannot be counted/g)]).toEqual([
        0,
        ['requests cannot be counted'],
      ]);
    }
  });

  test('do not start with a password that is wrong, and show it nowhere', async () => {
    await database.sql("CREATE ROLE secretive LOGIN PASSWORD 'open sesame'");
    const out = await temporaryFolder();
    const CATHEDRAL_STORE = (await database.newDatabase()).replace('owner', 'secretive:hunter2');
    const { status, stderr } = await runCli(['serve', '--out', out, '--port', '0'], { CATHEDRAL_STORE });
    expect([status, stderr.trim().split('\n').length]).toEqual([2, 1]);
    expect(stderr).toMatch(/secretive@127.*expected a password that the server accepts.*config_invalid/);
    expect(stderr).not.toContain('hunter2');
  });
});
