import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { chmod } from 'node:fs/promises';
import { type IncomingMessage, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { brotliDecompressSync } from 'node:zlib';
import { describe, expect, onTestFinished, test } from 'vitest';
import { issueKey } from '../../src/sidecar/keys/key-life.ts';
import { freePort } from '../engines/free-port.ts';
import { publishTiny } from '../release/publish-tiny.ts';
import { endNginx, runNginx } from '../release/run-nginx.ts';
import { temporaryFolder } from '../release/temporary-folder.ts';
import { ECONOMIST, GOVERNMENT, tinyKeyServices } from '../sidecar/keys/tiny-key-services.ts';
import { liveLedger } from '../sidecar/live/live-ledger.ts';
import { serveLive } from '../sidecar/live/live-server.ts';
import { listenTo } from '../sidecar/live/reader.ts';
import { served } from '../sidecar/tiny-app.ts';

/** How long the cache takes a response for fresh, s, as the service says. */
const FRESH_S = 300;

/**
 * A cache that many readers share. The inner of its two servers does nothing but shorten the time for which responses are fresh, for a
 * test that need not wait for five minutes; the outer one keeps what Cache-Control and Vary allow.
 */
const configuration = (
  folder: string,
  { outer, inner, origin }: Record<'outer' | 'inner' | 'origin', number>,
  freshS: number,
) => `
proxy_cache_path ${folder}/cache keys_zone=shared:1m;
map $upstream_http_cache_control $fresh { "~^public, max-age=[1-9]" ${freshS}; default ""; }
proxy_http_version 1.1;
proxy_set_header Connection "";
server {
  listen 127.0.0.1:${inner};
  location / {
    proxy_pass http://127.0.0.1:${origin};
    proxy_set_header X-Forwarded-For $http_x_forwarded_for;
    add_header X-Accel-Expires $fresh always;
  }
}
server {
  listen 127.0.0.1:${outer};
  location / {
    proxy_pass http://127.0.0.1:${inner};
    proxy_set_header X-Forwarded-For $remote_addr;
    proxy_cache shared;
    proxy_cache_revalidate on;
    # nginx also keeps responses to requests with a key, unless the response forbids it.
    add_header X-Cache $upstream_cache_status always;
  }
}`;

interface Got {
  status: number;
  headers: IncomingMessage['headers'];
  body: Buffer;
  /** HIT, MISS, EXPIRED, REVALIDATED. */
  cache: string;
}

/** A server behind the cache, and keys for it. */
async function behindCache(freshS = FRESH_S) {
  const keys = await tinyKeyServices();
  const [economist, government] = await Promise.all(
    [ECONOMIST, GOVERNMENT].map((applicant) => issueKey({ ...applicant, deliver: 'print' }, keys)),
  );
  const tiny = await served(50, {
    guarded: true,
    services: { keys: keys.store, now: keys.now },
    limits: { trustedProxies: ['127.0.0.1'] },
  });
  await tiny.app.listen({ port: 0, host: '127.0.0.1' });
  const { port } = tiny.app.server.address() as AddressInfo;
  const asHolder = (issued: typeof economist) => ({ authorization: `Bearer ${issued!.key}` });
  return {
    ...tiny,
    ...(await cacheBefore(port, freshS)),
    economist: asHolder(economist),
    government: asHolder(government),
  };
}

/** The cache in front of a port of this machine. */
async function cacheBefore(origin: number, freshS = FRESH_S) {
  const folder = await temporaryFolder();
  await chmod(folder, 0o755);
  const [outer, inner] = [await freePort(), await freePort()];
  const ask = async (path: string, headers: Record<string, string> = {}, method = 'GET'): Promise<Got> => {
    const sent = request({ port: outer, host: '127.0.0.1', path, headers, method, agent: false }).end();
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    const body = Buffer.concat(await response.toArray());
    const { statusCode, headers: got } = response;
    return { status: statusCode!, headers: got, body, cache: String(got['x-cache']) };
  };
  const site = configuration(folder, { outer, inner, origin }, freshS);
  const nginx = await runNginx(folder, site, async () => (await ask('/healthz')).status < 500);
  onTestFinished(() => endNginx(nginx));
  return { ask, url: `http://127.0.0.1:${outer}` };
}

const etagOf = (body: Buffer) => `"${createHash('sha256').update(body).digest('hex')}"`;
const limitHeaders = ({ headers }: Got) =>
  Object.keys(headers).filter((name) => name.startsWith('ratelimit'));

describe('behind a cache that readers share', () => {
  test('what belongs to a key reaches nobody else, and restricted files are never stored', async () => {
    const { ask, economist, government } = await behindCache();
    const path = '/economy/sentinel-roi.json';
    // The holder asks first, so that the cache has a chance to keep the answer.
    for (let time = 0; time < 2; time += 1) {
      const own = await ask(path, economist);
      expect([own.status, own.cache]).toEqual([200, 'MISS']);
      expect(own.headers['cache-control']).toMatch(/^private/);
      expect(limitHeaders(own)).not.toEqual([]);
    }
    const [first, second] = [await ask(path), await ask(path)];
    expect([first.cache, second.cache]).toEqual(['MISS', 'HIT']);
    for (const shared of [first, second]) expect([shared.status, limitHeaders(shared)]).toEqual([200, []]);
    const secret = '/government/compliance-report.json';
    for (const [headers, status] of [
      [government, 200],
      [{}, 401],
      [economist, 403],
      [government, 200],
    ] as const) {
      const answer = await ask(secret, headers);
      expect([answer.status, answer.cache]).toEqual([status, 'MISS']);
      expect(answer.headers['cache-control']).toMatch(/no-store/);
      if (status !== 200) expect(String(answer.body)).not.toContain('"events"');
    }
    // A refused key is not replaced by what the cache has of somebody else.
    const refused = await ask('/economy/supply', { authorization: 'Bearer wrong' });
    expect([refused.status, refused.cache]).toEqual([401, 'MISS']);
    expect((await ask('/economy/supply')).status).toBe(200);
  });

  test('encodings, conditions and ranges are right, whatever the cache has of a file', async () => {
    const { ask } = await behindCache();
    const path = '/economy/sentinel-roi.json';
    const brotli = await ask(path, { 'accept-encoding': 'br' });
    const plain = await ask(path);
    expect([brotli.cache, plain.cache]).toEqual(['MISS', 'MISS']);
    expect([brotli.headers['content-encoding'], plain.headers['content-encoding']]).toEqual([
      'br',
      undefined,
    ]);
    expect(brotliDecompressSync(brotli.body)).toEqual(plain.body);
    const again = [await ask(path, { 'accept-encoding': 'br' }), await ask(path)];
    expect(again.map(({ cache, body }) => [cache, body])).toEqual([
      ['HIT', brotli.body],
      ['HIT', plain.body],
    ]);
    for (const { body, headers } of [brotli, plain, ...again]) expect(headers.etag).toBe(etagOf(body));
    for (const whole of [plain, brotli]) {
      const accepted = whole === brotli ? { 'accept-encoding': 'br' } : {};
      const etag = whole.headers.etag!;
      const unchanged = await ask(path, { ...accepted, 'if-none-match': etag });
      expect([unchanged.status, unchanged.headers.etag, unchanged.body.length]).toEqual([304, etag, 0]);
      const part = await ask(path, { ...accepted, range: 'bytes=5-14', 'if-range': etag });
      const bytes = whole.body.subarray(5, 15);
      expect([part.status, part.headers.etag, part.body]).toEqual([206, etag, bytes]);
      expect(part.headers['content-range']).toBe(`bytes 5-14/${whole.body.length}`);
    }
    // The tag is that of the other encoding.
    const other = await ask(path, { range: 'bytes=5-14', 'if-range': brotli.headers.etag! });
    expect([other.status, other.body]).toEqual([200, plain.body]);
  });

  test('a new release appears when the copy of the previous one expires', async () => {
    const { ask, out } = await behindCache(1);
    const [supply, same] = ['/economy/supply', '/economy/sentinel-roi.json'];
    const before = await ask(supply);
    const unchanged = await ask(same);
    expect(JSON.parse(String(before.body))).toMatchObject({ events: 50 });
    expect(String((await ask('/')).body)).toContain('50 events');
    await publishTiny(out, { events: 60 });
    // Pages are asked for each time.
    expect(String((await ask('/')).body)).toContain('60 events');
    // The cache counts in whole seconds.
    await sleep(2100);
    const after = await ask(supply);
    expect([after.cache, after.headers.etag]).toEqual(['EXPIRED', etagOf(after.body)]);
    expect(JSON.parse(String(after.body))).toMatchObject({ events: 60 });
    const kept = await ask(same);
    expect([kept.cache, kept.body, kept.headers.etag]).toEqual([
      'REVALIDATED',
      unchanged.body,
      unchanged.headers.etag,
    ]);
    expect((await ask(supply, { 'if-none-match': before.headers.etag! })).status).toBe(200);
  });

  test('live documents are as new as the ledger, and each reader has a stream of its own', async () => {
    const ledger = await liveLedger();
    const server = await serveLive(ledger);
    onTestFinished(server.close);
    const { ask, url } = await cacheBefore(Number(new URL(server.url).port));
    const readers = [listenTo(`${url}/live`), listenTo(`${url}/live`)];
    for (const minutes of [5, 90]) {
      const files = await ledger.rebuild();
      await Promise.all(readers.map((reader) => reader.untilHolds(files)));
      for (const [path, content] of Object.entries(files)) {
        const answer = await ask(`/${path}`);
        expect([path, answer.cache, String(answer.body)]).toEqual([path, 'MISS', content]);
      }
      await ledger.advance(minutes);
    }
    expect(readers.map(({ opened }) => opened())).toEqual([1, 1]);
  });

  test('what is not a file is asked for each time: problems, the state of the server, POST', async () => {
    const { ask, logged } = await behindCache();
    const paths = ['/economy/nothing', '/healthz', '/readyz', '/metrics', '/economy/supply?x=1'];
    for (const path of [...paths, ...paths]) {
      const answer = await ask(path);
      expect([path, answer.cache]).toEqual([path, 'MISS']);
    }
    const posts = () => logged.filter(({ method }) => method === 'POST').length;
    for (let time = 1; time <= 2; time += 1) {
      await ask('/attestations/verify', { 'content-type': 'application/json' }, 'POST');
      expect(posts()).toBe(time);
    }
  });
});
