import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { runHere } from '../contract/commands/seam.ts';
import { publishTiny } from '../release/publish-tiny.ts';
import { temporaryFolder } from '../release/temporary-folder.ts';
import { useStore } from '../setups/use-store.ts';
import { GOVERNMENT } from '../sidecar/keys/tiny-key-services.ts';

const RESTRICTED = 'government/compliance-report.json';
const COUNTED = 'economy/supply';

const postgres = useStore();

/** A port that leads to a database. While it is closed, its clients find the database down. */
async function gateTo(address: string) {
  const target = Number(new URL(address).port);
  const open = new Set<Socket>();
  let server: Server;
  const listen = async (port: number) => {
    server = createServer((socket) => {
      const through = connect(target, '127.0.0.1');
      for (const [from, to] of [
        [socket, through],
        [through, socket],
      ] as const) {
        open.add(from);
        from
          .on('error', () => to.destroy())
          .on('close', () => open.delete(from) && to.destroy())
          .pipe(to);
      }
    }).listen(port, '127.0.0.1');
    await once(server, 'listening');
    return (server.address() as AddressInfo).port;
  };
  const port = await listen(0);
  const close = () => {
    server.close();
    for (const socket of open) socket.destroy();
  };
  onTestFinished(close);
  return { address: address.replace(`:${target}/`, `:${port}/`), close, reopen: () => listen(port) };
}

describe.skipIf(postgres.isMissing)('servers that share a database', () => {
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
    const database = await postgres.newDatabase();
    const { address: store, close, reopen } = await gateTo(database);
    const env = { CATHEDRAL_STORE: store };
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
    const counted = "SELECT sum(n)::int AS n FROM cathedral.counts WHERE area = 'economy'";
    expect(await postgres.sql(database, counted)).toEqual([{ n: 4 }]);

    close();
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
    await reopen();
    for (const get of all) {
      await expect.poll(async () => (await get(COUNTED)).status).toBe(200);
      await expect.poll(async () => (await get(RESTRICTED, bearer)).status).toBe(200);
    }
    const revoking = ['--key-id', id, '--reason', 'The holder left.'];
    expect(await runHere('keys revoke', revoking, { env })).toMatchObject({ status: 0 });
    for (const get of all) expect((await get(RESTRICTED, bearer)).status).toBe(401);
  });

  test('do not start with a password that is wrong, and show it nowhere', async () => {
    const database = await postgres.newDatabase();
    await postgres.sql(database, "CREATE ROLE secretive LOGIN PASSWORD 'open sesame'");
    onTestFinished(async () => {
      await postgres.sql(database, 'DROP ROLE secretive');
    });
    const CATHEDRAL_STORE = database.replace('owner', 'secretive:hunter2');
    const args = ['--out', await temporaryFolder(), '--port', '0'];
    const { status, stderr } = await runHere('serve', args, { env: { CATHEDRAL_STORE } });
    expect([status, stderr.trim().split('\n').length]).toEqual([2, 1]);
    expect(stderr).toMatch(/secretive@127.*expected a password that the server accepts.*config_invalid/);
    expect(stderr).not.toContain('hunter2');
  });
});
