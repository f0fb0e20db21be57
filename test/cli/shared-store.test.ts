import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { runHere } from '../contract/commands/seam.ts';
import { hasPostgres, PostgresServer } from '../engines/postgres.ts';
import { publishTiny } from '../release/publish-tiny.ts';
import { temporaryFolder } from '../release/temporary-folder.ts';
import { GOVERNMENT } from '../sidecar/keys/tiny-key-services.ts';

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
    const stop = new AbortController();
    const { promise, resolve } = Promise.withResolvers<string>();
    const ended = runHere('serve', ['--out', out, '--host', '127.0.0.1', '--port', '0'], {
      env: { CATHEDRAL_STORE: store, CATHEDRAL_LOG_LEVEL: 'error' },
      stop: stop.signal,
      printed: (text) => {
        const [, url] = /at (http:\/\/\S+)/.exec(text) ?? [];
        if (url) resolve(url);
      },
    });
    onTestFinished(async () => {
      stop.abort();
      expect(await ended).toMatchObject({ status: 0 });
    });
    const url = await promise;
    return async (path: string, headers = {}) => {
      const answer = await fetch(`${url}/${path}`, { headers });
      await answer.arrayBuffer();
      return answer;
    };
  }

  test('honour keys and limits together, and lose only what needs the database while it is down', async () => {
    const store = await database.newDatabase();
    const env = { CATHEDRAL_STORE: store, CATHEDRAL_KEYS: '/nowhere/keys.sqlite' };
    const applicant = Object.entries(GOVERNMENT).flatMap(([name, value]) => [`--${name}`, value]);
    const issued = await runHere('keys issue', [...applicant, '--deliver', 'print', '--json'], { env });
    expect(issued.stderr).toBe('');
    const { key, id } = JSON.parse(issued.stdout);
    const bearer = { authorization: `Bearer ${key}` };
    const [one, two] = [await serve(store), await serve(store)];
    const asked = [one, two, one, two].map(async (get) => [
      (await get(RESTRICTED, bearer)).status,
      (await get(COUNTED)).status,
    ]);
    expect(await Promise.all(asked)).toEqual(Array(4).fill([200, 200]));
    const name = store.slice(store.lastIndexOf('/') + 1);
    const counted = "SELECT sum(n)::int AS n FROM cathedral.counts WHERE area = 'economy'";
    expect(await database.sql(counted, name)).toEqual([{ n: 4 }]);

    database.pause();
    const all = [one, await serve(store)];
    for (const get of all) {
      expect([(await get('')).status, (await get('readyz')).status]).toEqual([200, 200]);
      for (const refused of [await get(COUNTED), await get(RESTRICTED, bearer)])
        expect([refused.status, refused.headers.get('retry-after')]).toEqual([
          503,
          expect.stringMatching(/^\d+$/),
        ]);
    }
    const stopped = await runHere('keys list', ['--json'], { env });
    expect([stopped.status, stopped.stderr]).toEqual([
      1,
      expect.stringMatching(/ECONNREFUSED.*store_failed/),
    ]);
    database.resume();
    for (const get of all) {
      await expect.poll(async () => (await get(COUNTED)).status).toBe(200);
      await expect.poll(async () => (await get(RESTRICTED, bearer)).status).toBe(200);
    }
    const revoking = ['--key-id', id, '--reason', 'The holder left.'];
    expect(await runHere('keys revoke', revoking, { env })).toMatchObject({ status: 0 });
    for (const get of all) expect((await get(RESTRICTED, bearer)).status).toBe(401);
  });

  test('do not start with a password that is wrong, and show it nowhere', async () => {
    await database.sql("CREATE ROLE secretive LOGIN PASSWORD 'open sesame'");
    const CATHEDRAL_STORE = (await database.newDatabase()).replace('owner', 'secretive:hunter2');
    const args = ['--out', await temporaryFolder(), '--port', '0'];
    const { status, stderr } = await runHere('serve', args, { env: { CATHEDRAL_STORE } });
    expect([status, stderr.trim().split('\n').length]).toEqual([2, 1]);
    expect(stderr).toMatch(/secretive@127.*expected a password that the server accepts.*config_invalid/);
    expect(stderr).not.toContain('hunter2');
  });
});
