import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { PROBLEMS, problemPage } from '../../src/api/problem.ts';
import { type Readiness, readReadiness } from '../../src/sidecar/health/readiness.ts';
import { freePort } from '../engines/free-port.ts';
import { endHaproxy, hasHaproxy, runHaproxy } from '../engines/haproxy.ts';
import { listenInTest } from '../listen.ts';
import { temporaryFolder } from '../release/temporary-folder.ts';
import { simulationServer } from '../sidecar/simulation/simulation-server.ts';
import { served } from '../sidecar/tiny-app.ts';

const WELL: Readiness = {
  serving: { release: null, shutdown: null },
  stores: { keys: null, limits: null, access_log: null },
  others: {},
};

/** A server of the service, and which clients it has seen. */
async function replica(more: { readiness?: () => Promise<Readiness> } = {}) {
  const state = { shutdown: null as string | null };
  const { simulation } = await simulationServer();
  const own = async () => ({ ...WELL, serving: { ...WELL.serving, ...state } });
  const { readiness = own } = more;
  const tiny = await served(50, {
    guarded: true,
    // Always the same day, which has one quota.
    services: { readiness, simulation, now: () => Date.parse('2026-01-02T12:00:00Z') },
    limits: { trustedProxies: ['127.0.0.1'] },
  });
  await tiny.app.listen({ port: 0, host: '127.0.0.1' });
  const { port } = tiny.app.server.address() as AddressInfo;
  return { ...tiny, port, state, end: () => end(tiny.app.server) };
}

function end(server: Server): void {
  server.close();
  server.closeAllConnections();
}

/** Says that it is ready, and dies of every other request. */
async function dyingServer() {
  let deaths = 0;
  const server = createServer((request, response) => {
    if (request.url === '/rotation') return void response.end();
    deaths += 1;
    request.socket.destroy();
  });
  return { port: (await listenInTest(server)).port, deaths: () => deaths };
}

/** A server whose download goes on until the test ends it, and which may leave or hang. */
async function sendingServer() {
  const state = { rotation: 200, hangs: false };
  const downloads: ServerResponse[] = [];
  let asked = 0;
  const server = createServer((request, response) => {
    if (state.hangs) return;
    if (request.url === '/rotation') return void response.writeHead(state.rotation).end();
    if (request.url !== '/download') {
      asked += 1;
      return void response.end();
    }
    response.writeHead(200).write('begun ');
    downloads.push(response);
  });
  return { port: (await listenInTest(server)).port, state, downloads, asked: () => asked };
}

describe.skipIf(!hasHaproxy)('behind HAProxy with the shipped configuration', () => {
  let port: number;
  let proxy: ChildProcess | undefined;
  const ask = (path: string, init: RequestInit = {}) => fetch(`http://127.0.0.1:${port}${path}`, init);
  const statuses = async (count: number, path = '/economy/', init: RequestInit = {}) => {
    const status = () =>
      ask(path, init).then(
        (answer) => answer.status,
        () => 'cut off' as const,
      );
    return new Set(await Promise.all(Array.from({ length: count }, status)));
  };
  const start = async (...servers: readonly { port: number }[]) => {
    const ports = servers.map((server) => server.port);
    proxy = await runHaproxy(await temporaryFolder(), port, ports);
    await expect.poll(async () => (await ask('/healthz')).status).toBe(200);
  };
  beforeEach(async () => {
    port = await freePort();
  });
  afterEach(async () => {
    if (proxy) await endHaproxy(proxy);
    proxy = undefined;
  });

  test('a server that dies of a request costs no reader an answer, and repeats nothing but GET', async () => {
    const dying = await dyingServer();
    await start(await replica(), dying, await replica());
    expect(await statuses(40)).toEqual(new Set([200]));
    expect(dying.deaths()).toBeGreaterThan(0);
    const before = dying.deaths();
    const verified = await statuses(12, '/attestations/verify', { method: 'POST', body: '{}' });
    expect([...verified].some((status) => status === 502 || status === 'cut off')).toBe(true);
    expect(dying.deaths()).toBeGreaterThan(before);
  });

  test('a server that drains gets no new request and fails none', async () => {
    const [one, two] = [await replica(), await replica()];
    await start(one, two);
    one.state.shutdown = 'the server is about to stop';
    const asked = () => one.logged.filter(({ path }) => path === '/economy/').length;
    const askedMore = async () => {
      const before = asked();
      expect(await statuses(6)).toEqual(new Set([200]));
      return asked() - before;
    };
    await expect.poll(askedMore).toBe(0);
    one.end();
    expect(await statuses(20)).toEqual(new Set([200]));
    two.end();
    // HAProxy closes a connection whose server has just gone, so that its client tries again.
    await expect.poll(() => statuses(1)).toEqual(new Set([503]));
    const none = await ask('/economy/');
    expect([none.status, none.headers.get('content-type'), none.headers.get('retry-after')]).toEqual([
      503,
      'application/problem+json',
      '5',
    ]);
    const { status, title } = PROBLEMS.unavailable;
    expect(await none.json()).toMatchObject({ status, title, type: problemPage('unavailable') });
  });

  /** Readers of a download, some of them at this server. */
  const readFrom = async ({ downloads }: { downloads: readonly unknown[] }) => {
    const reading: Promise<string>[] = [];
    await expect
      .poll(() => {
        // Several at once, since the server with the fewest connections gets the next request.
        for (let readers = 0; readers < 4; readers += 1) {
          const text = ask('/download').then((answer) => answer.text());
          reading.push(text.catch(() => 'cut off'));
        }
        return downloads.length;
      })
      .toBeGreaterThan(1);
    return reading;
  };

  test('downloads go on while their server leaves, and are complete', async () => {
    const [one, other] = [await sendingServer(), await replica()];
    await start(one, other);
    const reading = await readFrom(one);
    const askedMore = async () => {
      const before = one.asked();
      expect(await statuses(6)).toEqual(new Set([200]));
      return one.asked() - before;
    };
    one.state.rotation = 404;
    await expect.poll(askedMore).toBe(0);
    one.state.rotation = 200;
    await expect.poll(askedMore).toBeGreaterThan(0);
    for (const download of one.downloads) download.end('and done');
    const texts = await Promise.all(reading);
    expect(texts.filter((text) => text === 'begun and done')).toHaveLength(one.downloads.length);
    expect(texts).not.toContain('cut off');
  });

  test('a server that hangs is left, and its readers need not wait for it', async () => {
    const [one, other] = [await sendingServer(), await replica()];
    await start(one, other);
    const reading = await readFrom(one);
    one.state.hangs = true;
    const texts = await Promise.all(reading);
    expect(texts.filter((text) => text === 'cut off')).toHaveLength(one.downloads.length);
    expect(await statuses(20)).toEqual(new Set([200]));
  });

  test('servers whose database hangs stay, since most requests need none', async () => {
    const never = () => new Promise<never>(() => {});
    let checks = 0;
    const one = await replica({
      readiness: async () => {
        checks += 1;
        // A server that is busy as well.
        await sleep(100);
        return readReadiness({
          hasRelease: async () => true,
          following: null,
          isDraining: () => false,
          readKeys: never,
          checkCounts: never,
          checkAccessLog: never,
          readStatus: async () => null,
          countsLostAt: () => null,
        });
      },
    });
    await start(one);
    // Two that fail would be enough.
    await expect.poll(() => checks).toBeGreaterThan(3);
    expect(await statuses(20)).toEqual(new Set([200]));
  });

  test('clients keep their own address, whatever headers they send, and the operator’s pages are closed', async () => {
    const one = await replica();
    await start(one);
    const forged = { 'x-forwarded-for': '203.0.113.9', 'x-forwarded-proto': 'https' };
    const answer = await ask('/economy/supply', { headers: forged });
    expect([answer.status, answer.headers.get('strict-transport-security')]).toEqual([200, null]);
    // A direct request of the same address continues its count.
    const all = await Promise.all(
      Array.from({ length: 99 }, () =>
        one.app.inject({ url: '/economy/supply', remoteAddress: '127.0.0.1' }),
      ),
    );
    expect(new Set(all.map(({ statusCode }) => statusCode))).toEqual(new Set([200]));
    expect((await ask('/economy/supply')).status).toBe(429);
    for (const path of ['/metrics', '/readyz', '/rotation?x', '/%6detrics', '/%72%65adyz'])
      expect([path, (await ask(path)).status]).toEqual([path, 403]);
  });

  test('an address passes that is as long as the service takes', async () => {
    await start(await replica());
    expect((await ask(`/economy/?q=${'a'.repeat(15_500)}`)).status).toBe(200);
  });

  test('a WebSocket passes', async () => {
    await start(await replica());
    const socket = new WebSocket(`ws://127.0.0.1:${port}/philosophy/simulation`);
    await once(socket, 'open');
    socket.send('{"action":"start_simulation","scenario":"model_drift","seed":1}');
    const [message] = (await once(socket, 'message')) as [Buffer];
    expect(JSON.parse(message.toString())).toMatchObject({ type: 'simulation_update' });
    socket.close();
    await once(socket, 'close');
  });
});
