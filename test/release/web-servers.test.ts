import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { type IncomingMessage, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ARTIFACTS } from '../../pipeline/artifacts/table.ts';
import { CHART_PATHS } from '../../pipeline/charts/files/chart-formats.ts';
import { type Manifest, storedAt } from '../../pipeline/release/format/manifest.ts';
import { MEDIA_TYPES, mediaTypeOf } from '../../pipeline/release/format/media-types.ts';
import { proofFile } from '../../pipeline/release/format/proof-files.ts';
import { PROOF_PATHS } from '../../pipeline/release/format/public-manifest.ts';
import type { Published } from '../../pipeline/release/format/release.ts';
import {
  ALLOWED_HEADERS,
  COMMON_HEADERS,
  EXCEPTIONS,
  headersFor,
  LOG_HEADERS,
} from '../../pipeline/release/format/response-headers.ts';
import { schemaFiles } from '../../pipeline/release/format/schemas.ts';
import type { Staging } from '../../pipeline/release/staging/staging.ts';
import { CATALOGUES } from '../../src/site/files/catalogue-rows.ts';
import { freePort } from '../engines/free-port.ts';
import { ended, hasCaddy, runCaddy } from '../mirror/real-origin.ts';
import { useBrowser } from '../setups/use-browser.ts';
import { unreadableElsewhere } from './other-origin.ts';
import { dataFile, publishTiny, tinyFacts } from './publish-tiny.ts';
import { hasIPv6, listeningOn, runNginx } from './run-nginx.ts';

const browser = useBrowser();

const DEPLOY = join(import.meta.dirname, '../../deploy');
/** The shipped configuration of a host, with only folder, port and name changed. */
const shipped = async (name: string) =>
  (await readFile(join(DEPLOY, name), 'utf8')).replaceAll('/srv/cathedral', folder);

let folder: string;
let release: Published;
let port: number;
let host: ChildProcess;

interface Answer {
  status: number;
  headers: IncomingMessage['headers'];
  body: Buffer;
}

/** Sends the path unchanged: `fetch` would resolve `..`. */
async function get(path: string, headers: Record<string, string> = {}, method = 'GET'): Promise<Answer> {
  const sent = request({ port, path, headers, method, agent: false }).end();
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  const chunks: Buffer[] = await response.toArray();
  return { status: response.statusCode!, headers: response.headers, body: Buffer.concat(chunks) };
}

/** A page, and what it loads. */
const LONG = ['long/index.html', '_astro/long.css', '_astro/long.js'];

/** Of 8000 letters at most, many of which take three in an address. */
const LONG_QUERY = `/long/?q=${'%20'.repeat(5000)}`;

/** Small stand-ins for every public artifact at its real path, and their real schemas. */
async function addArtifacts(staging: Staging): Promise<void> {
  const there = new Set(staging.paths());
  for (const { path, area, mediaType, restricted } of ARTIFACTS) {
    if (restricted || there.has(path)) continue;
    await staging.write(dataFile(path, `{"path":"${path}"}`.repeat(20), { area, mediaType }));
  }
  for (const file of schemaFiles('https://data.example.org')) await staging.write(file);
  const apart = ['.well-known/api-catalog', 'events/days/2026-01.json'];
  const catalogues = CATALOGUES.map(({ path }) => path).filter((path) => !staging.paths().includes(path));
  for (const path of [...catalogues, ...apart, 'robots.txt', 'sitemap.xml']) {
    const about = { kind: 'schema', area: null, mediaType: mediaTypeOf(path) } as const;
    await staging.write(dataFile(path, `{"path":"${path}"}`.repeat(20), about));
  }
  for (const path of ['publisher.vkey', 'ledger.vkey'])
    await staging.write(dataFile(path, 'a key\n', { kind: 'schema', mediaType: mediaTypeOf(path) }));
  for (const path of PROOF_PATHS)
    await staging.write(proofFile(path, path.repeat(20), tinyFacts(1).timestamp));
  for (const path of CHART_PATHS.keys())
    await staging.write(dataFile(path, path.repeat(20), { kind: 'schema', mediaType: mediaTypeOf(path) }));
  for (const path of LONG) {
    const kind = path.endsWith('.html') ? 'page' : 'asset';
    const about = { kind, mediaType: mediaTypeOf(path), immutable: kind === 'asset' } as const;
    await staging.write(dataFile(path, path.repeat(1000), about));
  }
  // A folder with its own policy, and what the search reads.
  for (const path of [
    ...EXCEPTIONS.filter(({ below }) => below.endsWith('/')).map(({ below }) => `${below}index.html`),
    'search/index/entries.json',
  ]) {
    const kind = path.endsWith('.html') ? 'page' : 'asset';
    await staging.write(dataFile(path, path.repeat(20), { area: null, mediaType: mediaTypeOf(path), kind }));
  }
}

async function publish(): Promise<void> {
  folder = await mkdtemp(join(tmpdir(), 'cathedral-nginx-'));
  await chmod(folder, 0o755);
  release = (await publishTiny(folder, { events: 100, extra: addArtifacts })).release;
  await writeFile(join(folder, 'status.json'), '{"format":"cathedral-status/1"}');
  await Promise.all(
    ['log/tile/0', 'log/public/v2', 'log-entries', 'snapshots'].map((name) =>
      mkdir(join(folder, name), { recursive: true }),
    ),
  );
  const events = ['log/public/policy.json', 'log/public/v2/000'];
  await mkdir(join(folder, 'log/cosigned'));
  await writeFile(join(folder, 'snapshots/index.html'), 'all snapshots');
  const others = ['log/checkpoint', 'log/cosigned/704', 'log/tile/0/000', 'log/tile/0/000.gz'];
  for (const path of [...others, 'log-entries/000', ...events]) await writeFile(join(folder, path), path);
  await writeFile(join(folder, 'log/public/v2/001'), 'log/public/v2/001\n'.repeat(1000));
}

const FRAMED_ANYWHERE = expect.stringMatching(/; frame-ancestors \*$/);
const publicFiles = ({ manifest }: { manifest: Manifest }) =>
  manifest.files.filter(({ restricted }) => !restricted);
const lowerCased = (headers: Record<string, string>) =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));

const isUp = async () => Boolean(await get('/'));
const HOSTS: Record<string, () => Promise<ChildProcess>> = {
  nginx: async () => runNginx(folder, listeningOn(await shipped('nginx.conf'), port), isUp),
  ...(hasCaddy && {
    Caddy: async () => {
      const caddyfile = (await shipped('Caddyfile')).replace('data.example.org {', `http://:${port} {`);
      return runCaddy(folder, caddyfile, isUp);
    },
  }),
};

describe.each(Object.entries(HOSTS))('%s with the shipped configuration', (name, open) => {
  beforeAll(async () => {
    await publish();
    port = await freePort();
    host = await open();
  });

  afterAll(async () => {
    await ended(host);
    await rm(folder, { recursive: true, force: true });
  });

  test('serves every public file with its bytes and the headers from headersFor', async () => {
    const files = publicFiles(release);
    expect(files.length).toBeGreaterThan(50);
    for (const file of files) {
      const { status, headers, body } = await get(`/${file.path}`);
      expect([file.path, status]).toEqual([file.path, 200]);
      expect(body.equals(await readFile(join(release.dir, storedAt(file)))), file.path).toBe(true);
      expect(headers, file.path).toMatchObject(lowerCased(headersFor(file)));
      const origin = headersFor(file)['Access-Control-Allow-Origin'];
      expect([file.path, headers['access-control-allow-origin']]).toEqual([file.path, origin]);
      expect(headers).toMatchObject({ etag: expect.any(String), 'last-modified': expect.any(String) });
    }
  });

  test('serves the gzip encoding to clients that accept it, with the same type', async () => {
    for (const file of publicFiles(release)) {
      const { status, headers, body } = await get(`/${file.path}`, { 'Accept-Encoding': 'gzip' });
      expect(status).toBe(200);
      expect([file.path, headers['content-type']]).toEqual([file.path, file.media_type]);
      // A server compresses a page itself, and nginx what it loads.
      if (file.kind !== 'page' && file.kind !== 'asset')
        expect([file.path, headers['content-encoding']]).toEqual([file.path, file.encodings.gzip && 'gzip']);
      if (headers['content-encoding'] !== 'gzip') continue;
      expect(headers.vary).toBe('Accept-Encoding');
      expect(gunzipSync(body).equals(await readFile(join(release.dir, storedAt(file)))), file.path).toBe(
        true,
      );
    }
  });

  test('compresses long pages itself, and nginx what they load, which Caddy has for Brotli', async () => {
    for (const path of LONG) {
      const isPage = path.endsWith('.html');
      const { headers, body } = await get(`/${path}`, { 'Accept-Encoding': 'gzip' });
      const encoding = isPage || name === 'nginx' ? 'gzip' : undefined;
      expect([path, headers['content-encoding']]).toEqual([path, encoding]);
      if (encoding) expect(gunzipSync(body).toString()).toBe(path.repeat(1000));
    }
  });

  test('knows the type of every artifact without an extension', async () => {
    const paths = ARTIFACTS.filter(
      ({ path, restricted }) => !restricted && !path.split('/').at(-1)!.includes('.'),
    );
    expect(paths.length).toBeGreaterThan(0);
    for (const { path, mediaType } of paths) {
      const { headers } = await get(`/${path}`, {}, 'HEAD');
      expect([path, headers['content-type']]).toEqual([path, mediaType]);
    }
  });

  test.runIf(name === 'nginx')('has the same media types as the pipeline', async () => {
    const text = await shipped('nginx.conf');
    const [, block = ''] = /^ {4}types \{\n(.*?)\n {4}\}/ms.exec(text) ?? [];
    const lines = [...block.matchAll(/^\s*(?:"([^"]+)"|(\S+))\s+([\w ]+);$/gm)];
    const types = lines.flatMap(([, quoted, plain, endings]) =>
      endings!.split(' ').map((ending) => [ending, quoted ?? plain]),
    );
    const { 'schema.json': schema, ...table } = MEDIA_TYPES;
    expect(Object.fromEntries(types)).toEqual(table);
    expect(text).toContain(`default_type ${schema};`);
  });

  test('serves the log beside the releases, and nothing else from there', async () => {
    for (const [path, own] of [
      ['/log/checkpoint', LOG_HEADERS.checkpoint],
      ['/log/cosigned/704', LOG_HEADERS.checkpoint],
      ['/log/tile/0/000', LOG_HEADERS.tile],
      ['/log/public/policy.json', LOG_HEADERS.policy],
      ['/log/public/v2/000', LOG_HEADERS.public],
    ] as const) {
      const { status, headers, body } = await get(path);
      expect([status, body.toString()]).toEqual([200, path.slice(1)]);
      expect(headers).toMatchObject(lowerCased({ ...COMMON_HEADERS, ...own }));
    }
    const compressed = await get('/log/public/v2/001', { 'Accept-Encoding': 'gzip' });
    expect(compressed.headers).toMatchObject({ 'content-encoding': 'gzip', vary: 'Accept-Encoding' });
    expect(gunzipSync(compressed.body).toString()).toBe('log/public/v2/001\n'.repeat(1000));
    const elsewhere = [
      '/log/public/v2/000.gz',
      '/log/tile/entries/000',
      '/log-entries/000',
      '/log/tile/../../log-entries/000',
    ];
    for (const path of [...elsewhere, '/log/', '/log/tile/', '/log/tile/0/', '/log/tile/../../lock'])
      expect([path, (await get(path)).status]).toEqual([path, 404]);
  });

  test('serves pages by their folder', async () => {
    const page = await get('/economy/');
    expect(page.body.toString()).toContain('<title>Economy</title>');
    expect(page.headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'public, max-age=0, must-revalidate',
    });
    for (const path of ['/economy', '/economy?', '/economy?q=a%26b+c', '/snapshots', '/snapshots?q=a']) {
      const { status, headers } = await get(path);
      const location = path.replace(/\?$/, '').replace(/(?=\?|$)/, '/');
      expect([path, status, headers.location]).toEqual([path, 301, location]);
    }
  });

  test('leads to no other site', async () => {
    for (const path of ['//example.org/..%2feconomy', '/%5cexample.org/..%2feconomy?q=a']) {
      const { location = 'nowhere' } = (await get(path)).headers;
      expect([path, location]).toEqual([path, expect.stringMatching(/^(nowhere|\/economy\/(\?q=a)?)$/)]);
    }
  });

  test('answers conditional requests with 304 and range requests with 206', async () => {
    const { headers, body } = await get('/economy/mic-history.csv');
    const again = await get('/economy/mic-history.csv', { 'If-None-Match': headers.etag! });
    expect([again.status, again.body.length]).toEqual([304, 0]);
    const part = await get('/economy/mic-history.csv', { Range: 'bytes=10-19' });
    expect([part.status, part.body.toString()]).toEqual([206, body.subarray(10, 20).toString()]);
  });

  test('lets a page of another origin read data, whatever headers its scripts send, and no page', async () => {
    const at = (path: string) => `http://127.0.0.1:${port}${path}`;
    const unread = await unreadableElsewhere(
      browser,
      ['/economy/mic-history.csv', '/log/checkpoint', '/economy/'].map(at),
    );
    expect(unread).toHaveLength(9);
    for (const one of unread) expect(one).toMatch(/\/economy\/ with/);
    const preflight = await get('/economy/mic-history.csv', {}, 'OPTIONS');
    expect([preflight.status, preflight.headers['access-control-allow-headers']]).toEqual([
      204,
      ALLOWED_HEADERS,
    ]);
    expect((await get('/economy/mic-history.csv')).headers).not.toHaveProperty(
      'access-control-allow-headers',
    );
  });

  test('serves charts only in the state that the release has', async () => {
    expect((await get('/charts/supply.svg')).status).toBe(200);
    expect((await get('/charts/supply.svg?')).status).toBe(200);
    for (const path of ['/charts/supply.svg', '/charts/supply.png', '/charts/mii.csv'])
      expect([path, (await get(`${path}?from=2026-01-01`)).status]).toEqual([path, 404]);
  });

  test('answers no question about a file as it was with the current one, and shows pages that take the same words', async () => {
    for (const path of ['/economy/supply?as_of=2026-01-01', '/economy/mic-history.csv?a=b?c&sha256=0'])
      expect([path, (await get(path)).status]).toEqual([path, 404]);
    for (const path of [
      '/long/?file=economy/mic-history.csv&as_of=2026-01-01',
      '/economy/supply?xas_of=1',
      LONG_QUERY,
    ])
      expect([path, (await get(path)).status]).toEqual([path, 200]);
  });

  test('serves the status file beside the releases', async () => {
    const { status, headers, body } = await get('/status.json');
    expect([status, body.toString()]).toEqual([200, '{"format":"cathedral-status/1"}']);
    expect(headers).toMatchObject({
      'content-type': 'application/json',
      'cache-control': 'no-cache',
      'access-control-allow-origin': '*',
    });
  });

  test('answers 404 with the site’s own page and the common headers', async () => {
    const { status, headers, body } = await get('/government/no-such.json');
    expect([status, body.toString()]).toEqual([404, expect.stringContaining('There is no such page')]);
    expect(headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      ...lowerCased(COMMON_HEADERS),
    });
    expect(headers['cache-control']).toBe('no-store');
    // In a frame a reader sees what is wrong, and not the browser's own error.
    const embed = await get('/embed/no-such/');
    expect([embed.status, embed.headers['content-security-policy']]).toEqual([404, FRAMED_ANYWHERE]);
    const long = await get(`/${'a'.repeat(300)}/${'ä'.repeat(200)}.json`);
    expect([long.status, long.headers['cache-control']]).toEqual([404, 'no-store']);
    // A path that would be cached for a year if it existed.
    expect((await get('/_astro/none.js')).headers['cache-control']).toBe('no-store');
    expect((await get('/economy/supply', {}, 'POST')).headers['cache-control']).toBe('no-store');
  });

  const restricted = 'government/compliance-report.json';
  const hidden = [
    ...['government/policy-impact.json', 'government/ledger/export', restricted].map((path) => `/${path}`),
    ...['', '../', 'economy/../../', '%2e%2e/', '..%2f'].map((way) => `/${way}restricted/${restricted}`),
    '/economy/..%2f..%2frestricted%2fgovernment%2fcompliance-report.json',
    ...'/economy//..//..//state.json /state.json /../state.json /../manifest.json /status.json/'.split(' '),
    ...['/', '/../'].map((way) => `${way}segments/economy/mic-history.csv/0-40.part`),
    ...'/status.json/../../site.conf /lock /_headers /.nojekyll /%5fheaders /economy/supply.gz'.split(' '),
    ...'/economy/supply.br /index.html.gz /economy/supply/ /economy/supply%00.json /schemas/'.split(' '),
    ...'/schemas/economy/ /_astro/ /government/'.split(' '),
  ];
  test.each(hidden)('does not serve %s', async (path) => {
    for (const encoding of ['identity', 'gzip']) {
      const { status, body } = await get(path, { 'Accept-Encoding': encoding });
      expect([400, 404]).toContain(status);
      expect(body.toString()).not.toMatch(/events|Index of|cathedral-release/);
    }
  });

  test.runIf(hasIPv6)('listens on IPv6, too', async () => {
    expect((await fetch(`http://[::1]:${port}/economy/supply`)).status).toBe(200);
  });

  test('accepts no uploads', async () => {
    for (const method of ['POST', 'PUT', 'DELETE'])
      expect((await get('/economy/supply', {}, method)).status).toBe(405);
  });

  test('serves the next release as soon as it is swapped in', async () => {
    expect((await get('/economy/supply')).body.toString()).toContain('"events":100');
    await publishTiny(folder, { events: 101, extra: addArtifacts });
    expect((await get('/economy/supply')).body.toString()).toContain('"events":101');
    expect((await get('/economy/mic-history.csv', { 'Accept-Encoding': 'gzip' })).status).toBe(200);
  });
});
