import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmod, readFile, writeFile } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { Agent, type RequestOptions, request } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { WebSocket } from 'ws';
import { PROBLEMS, problemPage } from '../../src/api/problem.ts';
import type { SimulationServices } from '../../src/sidecar/simulation/open-simulation.ts';
import { freePort } from '../engines/free-port.ts';
import { ended, hasCaddy, runCaddy } from '../mirror/real-origin.ts';
import { listeningOn, runNginx } from '../release/run-nginx.ts';
import { useFolder } from '../setups/use-folder.ts';
import { closed } from './closed.ts';
import { SMTP_CERTIFICATE as CERTIFICATE } from './keys/smtp-certificate.ts';
import { simulationServer } from './simulation/simulation-server.ts';
import { servedShared } from './tiny-app.ts';

const DEPLOY = join(import.meta.dirname, '../../deploy');
/** Another address of this machine, to tell it from the proxy's. */
const CLIENT = '127.0.0.2';

const folder = useFolder();
let port: number;
let proxy: ChildProcess;
/** Starts the proxy of the test in front of this port. */
let open: (inner: number, change?: (site: string) => string) => Promise<ChildProcess>;

beforeAll(async () => {
  await chmod(folder, 0o755);
  await writeFile(join(folder, 'fullchain.pem'), CERTIFICATE.cert);
  await writeFile(join(folder, 'privkey.pem'), CERTIFICATE.key);
});

const get = (path: string, headers: Record<string, string> = {}) => ask('GET', path, headers);
const post = (body: string, headers: Record<string, string>) =>
  ask('POST', '/attestations/verify', headers, body);

async function ask(method: string, path: string, headers: Record<string, string>, text = '') {
  const options = { port, method, path, headers, host: '127.0.0.1', localAddress: CLIENT, agent: false };
  return askAt({ ...options, ca: CERTIFICATE.cert }, text);
}

async function askAt(options: RequestOptions, text = '') {
  const sent = request(options).end(text);
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  const body = Buffer.concat(await response.toArray());
  return { status: response.statusCode!, headers: response.headers, body };
}

/** The service behind a proxy with the shipped configuration; only addresses and paths are changed. */
async function behindProxy({
  limiter = null,
  change,
}: {
  limiter?: SimulationServices['limiter'];
  change?: (site: string) => string;
} = {}) {
  const { simulation } = await simulationServer({ services: { limiter } });
  const trustedProxies = ['127.0.0.1'];
  const tiny = await servedShared(50, {
    guarded: true,
    services: { simulation },
    limits: { trustedProxies },
  });
  await tiny.app.listen({ port: 0, host: '127.0.0.1' });
  const { port: inner } = tiny.app.server.address() as AddressInfo;
  port = await freePort();
  proxy = await open(inner, change);
  return { ...tiny, simulation };
}

const isUp = async () => Boolean(await get('/healthz'));
const shipped = async (name: string, inner: number) =>
  (await readFile(join(DEPLOY, name), 'utf8'))
    .replace('127.0.0.1:8080', `127.0.0.1:${inner}`)
    .replaceAll('/etc/ssl/cathedral', folder);

const PROXIES: Record<string, typeof open> = {
  nginx: async (inner, change = (site) => site) =>
    runNginx(folder, change(listeningOn(await shipped('nginx-proxy.conf', inner), port)), isUp),
  ...(hasCaddy && {
    Caddy: async (inner) => {
      const certificate = `tls ${folder}/fullchain.pem ${folder}/privkey.pem`;
      const site = await shipped('proxy.Caddyfile', inner);
      const place = `https://127.0.0.1:${port} {\n${certificate}`;
      return runCaddy(folder, site.replace('data.example.org {', place), isUp);
    },
  }),
};

describe.each(Object.entries(PROXIES))('behind %s with the shipped configuration', (name, start) => {
  beforeAll(() => {
    open = start;
  });

  test.runIf(name === 'nginx')(
    'nginx refuses a client with too many requests, and answers another one',
    async () => {
      // A slow machine sends no more requests in a second than the shipped rate allows.
      await behindProxy({ change: (site) => site.replace('rate=50r/s', 'rate=1r/m') });
      try {
        const agent = new Agent({ keepAlive: true, maxSockets: 10 });
        onTestFinished(() => agent.destroy());
        const path = { port, path: '/healthz', host: '127.0.0.1', ca: CERTIFICATE.cert, agent };
        const flood = Array.from({ length: 250 }, () => askAt({ ...path, localAddress: CLIENT }));
        const refused = (await Promise.all(flood)).filter(({ status }) => status === 503);
        expect(refused.length).toBeGreaterThan(0);
        const { headers, body } = refused[0]!;
        expect(headers).toMatchObject({
          'content-type': 'application/problem+json',
          'cache-control': 'no-store',
          'retry-after': '10',
        });
        const { status, title } = PROBLEMS.overloaded;
        const type = problemPage('overloaded');
        expect(JSON.parse(String(body))).toMatchObject({ type, status, title, code: 'overloaded' });
        const other = { ...path, localAddress: '127.0.0.3', agent: false as const };
        expect((await askAt(other)).status).toBe(200);
      } finally {
        await ended(proxy);
      }
    },
  );

  test('clients are counted and recorded by their own address, whatever headers they send', async () => {
    const { app, logged } = await behindProxy();
    try {
      expect((await get('/economy/supply', { 'x-forwarded-for': '203.0.113.9' })).status).toBe(200);
      // Direct requests continue the count of the same address through the proxy.
      for (let n = 2; n < 100; n += 1)
        expect((await app.inject({ url: '/economy/supply', remoteAddress: CLIENT })).statusCode).toBe(200);
      expect((await get('/economy/supply')).status).toBe(200);
      expect((await get('/economy/supply')).status).toBe(429);
      expect(JSON.stringify(logged)).not.toContain(CLIENT);
    } finally {
      await ended(proxy);
    }
  });

  test('files arrive with their entity tags, encodings and ranges, and with HSTS', async () => {
    await behindProxy();
    try {
      const compressed = await get('/economy/', { 'accept-encoding': 'br' });
      expect(compressed.headers['content-encoding']).toBe('br');
      expect(compressed.headers['strict-transport-security']).toBe('max-age=31536000');
      const again = await get('/economy/', {
        'accept-encoding': 'br',
        'if-none-match': compressed.headers.etag!,
      });
      expect([again.status, again.body.length]).toEqual([304, 0]);
      const part = await get('/economy/supply', { range: 'bytes=0-9' });
      expect([part.status, part.body.length]).toEqual([206, 10]);
      expect((await get('/economy/supply%2f..')).status).toBe(400);
      expect((await get(`/economy/?q=${'%20'.repeat(5000)}`)).status).toBe(200);
      expect((await get('/%2e%2e/state.json')).status).toBeGreaterThanOrEqual(400);
      // Only for the operator; this client is on another machine.
      expect((await get('/metrics')).status).toBe(403);
    } finally {
      await ended(proxy);
    }
  });

  test('a document to verify arrives, and one that is too long gets the problem of the service', async () => {
    await behindProxy();
    try {
      const headers = { 'content-type': 'application/json' };
      const sent = await Promise.all([60_000, 70_000].map((bytes) => post(' '.repeat(bytes), headers)));
      // This release has no registry to verify against; what matters is that the request reached the service.
      expect(sent.map(({ body }) => JSON.parse(String(body)).code)).toEqual([
        'unavailable',
        'content_too_large',
      ]);
    } finally {
      await ended(proxy);
    }
  });

  test('a simulation connects, and counts for the client’s own address', async () => {
    const taken: unknown[] = [];
    const take = async (asked: unknown) => {
      taken.push(asked);
      return { allowed: true, limit: 100, remaining: 99, resetSeconds: 60 };
    };
    const { simulation } = await behindProxy({ limiter: { take } });
    try {
      const url = `wss://127.0.0.1:${port}/philosophy/simulation`;
      const headers = { 'X-Forwarded-For': '203.0.113.9', Origin: 'https://data.example.org' };
      const client = new WebSocket(url, { ca: CERTIFICATE.cert, localAddress: CLIENT, headers });
      await once(client, 'open');
      client.send('{"action":"start_simulation","scenario":"model_drift","paused":true}');
      const [update] = (await once(client, 'message')) as [Buffer];
      expect(JSON.parse(String(update))).toMatchObject({ type: 'simulation_update', tick: 0 });
      expect(taken).toMatchObject([{ area: 'philosophy', subject: { address: CLIENT } }]);
      // The closing message of the service arrives, too.
      void simulation.close();
      expect((await closed(client))[0]).toBe(1001);
    } finally {
      await ended(proxy);
    }
  });

  test('a page of another site cannot connect', async () => {
    await behindProxy();
    try {
      const connection = { Connection: 'Upgrade', Upgrade: 'websocket', 'Sec-WebSocket-Version': '13' };
      const headers = { ...connection, 'Sec-WebSocket-Key': 'dGhlIHNhbXBsZSBub25jZQ==' };
      const { status, body } = await get('/philosophy/simulation', {
        ...headers,
        Origin: 'https://evil.example',
      });
      expect([status, JSON.parse(String(body)).code]).toEqual([403, 'foreign_origin']);
    } finally {
      await ended(proxy);
    }
  });
});
