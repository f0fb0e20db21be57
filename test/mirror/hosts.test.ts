import { chmod, copyFile, mkdtemp, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ARTIFACTS } from '../../pipeline/artifacts/table.ts';
import { formatVerifierKey } from '../../pipeline/ledger/notes/note.ts';
import { isCompressible, MEDIA_TYPES, mediaTypeOf } from '../../pipeline/release/format/media-types.ts';
import { COMMON_HEADERS, EXCEPTIONS, headersFor } from '../../pipeline/release/format/response-headers.ts';
import { runHere } from '../contract/commands/seam.ts';
import { freePort } from '../engines/free-port.ts';
import { unreadableElsewhere } from '../release/other-origin.ts';
import { endNginx, runNginx } from '../release/run-nginx.ts';
import { isSweep, sweep } from '../setups/sweep.ts';
import { useBrowser } from '../setups/use-browser.ts';
import { ended, hasCaddy, mirrorConfiguration, plainSite, runCaddy } from './real-origin.ts';
import { LEDGER, PUBLISHER, type Site, type SmallOptions, smallSite, writeSite } from './small-service.ts';
import { contents, servedBy, updateMirror } from './update-mirror.ts';

const browser = useBrowser();

const KEY = formatVerifierKey(PUBLISHER.verifier);
const YEARS = {
  manifest: (given) => ({ ...given, expires: '2099-01-01T00:00:00Z' }),
} satisfies Partial<SmallOptions>;

/** One of every public artifact, and of what else has a type or a policy of its own. */
const VARIETY = [
  ...ARTIFACTS.filter(({ restricted }) => !restricted).map(({ path }) => path),
  ...Object.keys(MEDIA_TYPES).map((ending) => `variety/file.${ending}`),
  ...EXCEPTIONS.filter(({ below }) => below.endsWith('/')).map(({ below }) => `${below}index.html`),
  '.well-known/api-catalog',
  '404.html',
  'economy/index.html',
];

const site = (release: number): Site =>
  smallSite({
    release,
    ...YEARS,
    files: (files) => {
      for (const path of VARIETY) if (!files.has(path)) files.set(path, Buffer.from(`${path} `.repeat(200)));
    },
  });

const isUp = (port: number) => async () => (await fetch(`http://127.0.0.1:${port}/latest.json`)).status < 500;

const folders: string[] = [];
const servers: (() => Promise<unknown>)[] = [];
afterAll(async () => {
  for (const end of servers) await end();
  for (const folder of folders) await rm(folder, { recursive: true, force: true });
});

/** A folder that hosts may read, for all tests of the file. */
async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'cathedral-hosts-'));
  folders.push(folder);
  await chmod(folder, 0o755);
  return folder;
}

async function nginx(site: (folder: string, port: number) => Promise<string> | string, folder: string) {
  const [port, own] = [await freePort(), await newFolder()];
  const child = await runNginx(own, await site(folder, port), isUp(port));
  servers.push(() => endNginx(child));
  return `http://127.0.0.1:${port}`;
}

async function caddy(folder: string): Promise<string> {
  const [port, own] = [await freePort(), await newFolder()];
  const child = await runCaddy(own, await mirrorConfiguration('mirror.Caddyfile', folder, port), isUp(port));
  servers.push(() => ended(child));
  return `http://127.0.0.1:${port}`;
}

/** nginx tells files apart by size and second: releases of a test are made within one. */
async function publish(folder: string, release: number): Promise<Site> {
  const files = site(release);
  await writeSite(folder, files);
  for (const path of files.keys()) await isOfDay(release, join(folder, path));
  return files;
}

async function isOfDay(day: number, path: string): Promise<void> {
  const time = Date.UTC(2025, 11, day) / 1000;
  await utimes(path, time, time);
}

const HOSTS: Record<string, (folder: string) => Promise<string>> = {
  nginx: (folder) => nginx((at, port) => mirrorConfiguration('mirror.nginx.conf', at, port), folder),
  ...(hasCaddy && isSweep && { Caddy: caddy }),
};

describe.each(Object.entries(HOSTS))('a mirror served by %s', (name, host) => {
  let [origin, folder, from, address] = ['', '', '', ''];
  let files: Site;

  const update = (...args: string[]) => runHere('mirror', [from, folder, ...args]);

  beforeAll(async () => {
    [origin, folder] = [await newFolder(), await newFolder()];
    files = await publish(origin, 1);
    from = await nginx(plainSite, origin);
    const { status, stderr } = await update('--verifier-key', KEY);
    expect([status, stderr]).toEqual([0, expect.not.stringContaining('First use')]);
    address = await host(folder);
  });

  test('serves as the origin of another mirror, and follows its own', async () => {
    const second = await newFolder();
    const checkpoint = join(await newFolder(), 'checkpoint');
    await copyFile(join(folder, 'log/checkpoint'), checkpoint);
    await isOfDay(1, join(folder, 'current/public/latest.json'));
    await updateMirror(address, second);
    expect(contents(await servedBy(second))).toEqual(contents(files));
    files = await publish(origin, 3);
    expect((await update('--verifier-key', KEY, '--json')).stdout).toContain('"outcome": "mirrored"');
    expect(contents(await servedBy(folder))).toEqual(contents(files));
    await updateMirror(address, second);
    expect(contents(await servedBy(second))).toEqual(contents(files));
    const again = JSON.parse((await update('--json')).stdout);
    expect([again.outcome, again.fetched.requests, again.fetched.files.bytes]).toEqual(['unchanged', 4, 0]);

    // By its address and by its folder, and against the checkpoint of the first release.
    const ledgerKey = join(await newFolder(), 'ledger.vkey');
    await writeFile(ledgerKey, formatVerifierKey(LEDGER.verifier));
    for (const [place, notChecked] of [
      [address, ['order', 'names', 'encodings', 'witnesses']],
      [folder, ['order', 'witnesses']],
    ] as const) {
      const flags = ['--verifier-key', KEY, '--ledger-key', ledgerKey, '--checkpoint', checkpoint];
      const { status, stdout } = await runHere('verify', [place, ...flags]);
      const rows = stdout.matchAll(/^(\w+) +not checked/gm);
      expect([place, status, [...rows].map(([, check]) => check)]).toEqual([place, 0, notChecked]);
    }
  });

  test('serves every file with the media type, policy and CORS headers of its publisher', async () => {
    for (const path of files.keys()) {
      const response = await fetch(`${address}/${path}`, { headers: { 'accept-encoding': 'identity' } });
      expect([path, response.status]).toEqual([path, 200]);
      expect(Buffer.from(await response.arrayBuffer()).equals(files.get(path)!), path).toBe(true);
      const { headers } = response;
      expect(headers.get('access-control-allow-origin'), path).toBe('*');
      if (!VARIETY.includes(path)) continue;
      const mediaType = ARTIFACTS.find((one) => one.path === path)?.mediaType ?? mediaTypeOf(path);
      const wanted = headersFor({ ...SOMETHING, path, media_type: mediaType });
      expect([path, headers.get('content-type')]).toEqual([path, mediaType]);
      for (const header of Object.keys(COMMON_HEADERS))
        expect([path, headers.get(header)]).toEqual([path, wanted[header]]);
    }
  });

  test('compresses what is text, and nothing that is compressed already', async () => {
    for (const path of VARIETY.filter((path) => files.get(path)!.length >= 1024)) {
      const { headers } = await fetch(`${address}/${path}`, { headers: { 'accept-encoding': 'gzip' } });
      const isText = isCompressible(headers.get('content-type')!);
      expect([path, headers.get('content-encoding')]).toEqual([path, isText ? 'gzip' : null]);
    }
  });

  test('caches tiles and snapshots forever, and revalidates what proves a release', async () => {
    const cached = async (path: string) => (await fetch(`${address}/${path}`)).headers.get('cache-control');
    for (const path of [
      'log/tile/0/000',
      'snapshots/2025-12-01T00Z/index.json',
      '_astro/site.d41d8cd9.css',
      'fonts/serif.woff2',
    ])
      expect([path, await cached(path)]).toEqual([path, 'public, max-age=31536000, immutable']);
    for (const path of [
      'latest.json',
      'manifest.json',
      'manifest.json.sig',
      'snapshots/index.json',
      'snapshots/index.json.sig',
      'log/checkpoint',
      '',
      'economy/',
    ])
      expect([path, await cached(path)]).toEqual([path, 'public, max-age=0, must-revalidate']);
    const ofData = 'public, max-age=300, stale-while-revalidate=3600';
    expect(await cached('economy/mic-history.csv')).toBe(ofData);
    expect(`${await cached('log/tile/0/777')}`).not.toContain('immutable');
  });

  test('serves nothing else', async () => {
    const hidden = '_headers .nojekyll mirror.json ../mirror.json ..%2fmirror.json log/../mirror.json'.split(
      ' ',
    );
    const more = 'log/..%2fmirror.json releases/1/public/index.html lock log/ snapshots/ log/tile/0/'.split(
      ' ',
    );
    for (const path of [...hidden, ...more])
      expect([name, path, await statusOf(address, path)]).toEqual([name, path, expect.toBeOneOf([400, 404])]);
  });

  test('answers a question with no file that answers another one', async () => {
    const asked = [
      'economy/supply?as_of=2026-01-01',
      'economy/mic-history.csv?sha256=0',
      'charts/supply.svg?from=',
    ];
    for (const path of [...asked, 'index.html.gz?as_of=', 'a'.repeat(300)])
      expect([path, await statusOf(address, path)]).toEqual([path, 404]);
    for (const path of [
      'economy/?as_of=2026-01-01',
      'index.html?as_of=',
      'economy/supply?',
      `?q=${'%20'.repeat(5000)}`,
    ])
      expect([path, await statusOf(address, path)]).toEqual([path, 200]);
    const answer = await fetch(`${address}/economy/supply?as_of=2026-01-01`);
    expect(await answer.text()).toContain('404.html');
    const moved = await fetch(`${address}/economy?q=a%26b`, { redirect: 'manual' });
    expect(moved.headers.get('location')).toMatch(/\/economy\/\?q=a%26b$/);
    const { headers } = await fetch(`${address}//example.org/..%2feconomy`, { redirect: 'manual' });
    expect(headers.get('location')).toBeOneOf([null, '/economy/']);
  });

  test('answers a missing path with the site’s own page', async () => {
    const response = await fetch(`${address}/economy/no-such`);
    expect([response.status, response.headers.get('content-type')]).toEqual([
      404,
      'text/html; charset=utf-8',
    ]);
    expect(await response.text()).toContain('404.html');
  });

  sweep('lets a page of another origin read it, whatever headers its scripts send', async () => {
    expect(await unreadableElsewhere(browser, [`${address}/latest.json`])).toEqual([]);
  });
});

/** The path goes out as it is given: `fetch` would take `..` out of it. */
function statusOf(address: string, path: string): Promise<number | undefined> {
  return new Promise((resolve) => {
    const sent = request(`${address}/`, { path: `/${path}`, agent: false }, (answer) => {
      answer.resume();
      resolve(answer.statusCode);
    });
    sent.end();
  });
}

const SOMETHING = {
  kind: 'data',
  area: null,
  restricted: false,
  sha256: '0'.repeat(64),
  bytes: 1,
  rows: null,
  encodings: {},
  modified: '2025-12-01T00:00:00Z',
  immutable: false,
} as const;

test('the nginx configuration has the media types of the pipeline', async () => {
  const text = await readFile(join(import.meta.dirname, '../../deploy/mirror.nginx.conf'), 'utf8');
  for (const [ending, type] of Object.entries(MEDIA_TYPES))
    if (ending !== 'schema.json') expect(text).toContain(type);
});
