import { appendFile, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readCurrent } from '../../pipeline/release/format/release.ts';
import { unreadableElsewhere } from '../release/other-origin.ts';
import { publishTiny } from '../release/publish-tiny.ts';
import { temporaryFolder } from '../release/temporary-folder.ts';
import { useBrowser } from '../setups/use-browser.ts';
import { get, served, servedShared, tinyApp } from './tiny-app.ts';

const browser = useBrowser();

describe('every file of the release', () => {
  test('is sent at its exact path with its bytes, its media type and a strong entity tag', async () => {
    const { app, out } = await servedShared();
    const { dir, manifest } = (await readCurrent(out))!;
    const open = manifest.files.filter(({ restricted }) => !restricted);
    expect(open.length).toBeGreaterThan(8);
    for (const file of open) {
      const answer = await get(app, `/${file.path}`);
      expect([file.path, answer.statusCode]).toEqual([file.path, 200]);
      expect(answer.rawPayload.equals(await readFile(join(dir, 'public', file.path)))).toBe(true);
      expect(answer.headers['content-type']).toBe(file.media_type);
      expect(answer.headers.etag).toBe(`"${file.sha256}"`);
      expect(answer.headers['content-length']).toBe(String(file.bytes));
      expect(answer.headers['last-modified']).toBe(new Date(file.modified).toUTCString());
      expect(answer.headers['x-content-type-options']).toBe('nosniff');
      expect(answer.headers['content-security-policy']).toContain("script-src 'self'");
    }
  });

  test('has the same headers for HEAD as for GET', async () => {
    const { app } = await servedShared();
    const whole = await get(app, '/economy/supply');
    const head = await app.inject({ method: 'HEAD', url: '/economy/supply' });
    const { date: _, connection: __, 'x-request-id': ___, ...headers } = head.headers;
    expect(whole.headers).toMatchObject(headers);
    expect([head.statusCode, head.rawPayload.length]).toEqual([200, 0]);
  });
});

describe('a path that is not in the manifest', () => {
  const NAMES = [
    '/manifest.json/',
    '/state.json',
    '/_headers',
    '/economy/supply.br',
    '/economy/supply.gz',
    '/economy/supply/',
    '/Economy/supply',
    '//economy/supply',
    '/economy//supply',
    '/..%2f..%2fetc/passwd',
    '/%2e%2e/state.json',
    '/public/economy/supply',
    '/restricted/government/compliance-report.json',
    '/segments/economy/mic-history.csv',
    '/__proto__',
    '/constructor',
    '/economy/supply%00',
    '/economy%5csupply',
  ];

  test.each(NAMES)('%s is no file, however it is spelt', async (url) => {
    const { app } = await servedShared();
    const answer = await get(app, url);
    expect([400, 404]).toContain(answer.statusCode);
    expect(answer.headers['content-type']).toBe('application/problem+json');
    expect(answer.headers['cache-control']).toBe('no-store');
    const { status, code } = answer.json() as { status: number; code: string };
    expect([status, code]).toEqual([
      answer.statusCode,
      answer.statusCode === 404 ? 'not_found' : 'bad_request',
    ]);
  });

  test('gets the site’s own page in a browser, with status 404', async () => {
    const { app } = await servedShared();
    const answer = await get(app, '/nothing', { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' });
    expect([answer.statusCode, answer.headers['content-type']]).toEqual([404, 'text/html; charset=utf-8']);
    expect(answer.body).toContain('There is no such page.');
    expect(answer.headers.etag).toBeUndefined();
  });
});

describe('a page', () => {
  test('is served at its folder, and the folder without a slash redirects there with the query', async () => {
    const { app } = await servedShared();
    expect((await get(app, '/')).body).toContain('<title>Home');
    expect((await get(app, '/economy/?theme=dark')).body).toContain('<title>Economy');
    const moved = await get(app, '/economy?theme=dark');
    expect([moved.statusCode, moved.headers.location]).toEqual([308, '/economy/?theme=dark']);
  });

  test('never redirects to another site', async () => {
    const { app } = await servedShared();
    for (const url of ['//example.org', '//example.org/economy', '/%2f/example.org', '/\\example.org']) {
      const answer = await get(app, url);
      expect([url, answer.headers.location]).toEqual([url, undefined]);
    }
  });
});

describe('a restricted path', () => {
  const GATED = [
    '/government/compliance-report.json',
    '/government/ledger/export',
    '/government/ledger/export?format=csv',
    '/government/policy-impact.json',
    '/government/%63ompliance-report.json',
  ];

  test.each(GATED)('%s asks for a key', async (url) => {
    const { app } = await servedShared(50, { asDiskErrors: true });
    const answer = await get(app, url);
    expect([answer.statusCode, answer.headers['www-authenticate']]).toEqual([
      401,
      'Bearer realm="cathedral"',
    ]);
    expect(answer.json()).toMatchObject({ status: 401, code: 'key_required', instance: url.split('?')[0] });
    expect(answer.headers['cache-control']).toBe('no-store');
  });

  test('refuses a key that was never issued', async () => {
    const { app } = await servedShared(50, { asDiskErrors: true });
    const answer = await get(app, GATED[0]!, { authorization: 'Bearer cds_government_made-up' });
    expect(answer.statusCode).toBe(401);
    expect(answer.headers['www-authenticate']).toMatch(/^Bearer realm="cathedral", error="invalid_token"/);
    expect(answer.json()).toMatchObject({ code: 'invalid_token' });
    expect(answer.body).not.toContain('made-up');
  });

  test('is restricted also before the first release', async () => {
    const { app } = await tinyApp(await temporaryFolder(), { asDiskErrors: true });
    expect((await get(app, GATED[0]!)).statusCode).toBe(401);
    expect((await get(app, '/economy/supply')).json()).toMatchObject({ status: 503, code: 'unavailable' });
  });
});

describe('a request with another method', () => {
  test.each(['POST', 'PUT', 'DELETE', 'PATCH', 'PROPFIND', 'TRACE'])('%s is refused', async (method) => {
    const { app } = await servedShared();
    const payload =
      method === 'TRACE' ? {} : { payload: '{"half', headers: { 'content-type': 'application/json' } };
    const answer = await app.inject({ method: method as 'POST', url: '/economy/supply', ...payload });
    expect([answer.statusCode, answer.headers.allow]).toEqual([405, 'GET, HEAD, OPTIONS']);
    expect(answer.json()).toMatchObject({ code: 'method_not_allowed' });
  });

  test('OPTIONS is the preflight of scripts of other sites', async () => {
    const { app } = await servedShared();
    const answer = await app.inject({ method: 'OPTIONS', url: '/economy/supply' });
    expect([answer.statusCode, answer.body]).toEqual([204, '']);
    expect(answer.headers['access-control-allow-origin']).toBe('*');
    expect(answer.headers['access-control-allow-methods']).toBe('GET, HEAD, OPTIONS');
  });
});

test('a page of another origin reads data and errors, whatever headers its scripts send', async () => {
  const { app } = await servedShared();
  await app.listen({ port: 0, host: '127.0.0.1' });
  const { port } = app.server.address() as AddressInfo;
  const key = { Authorization: 'Bearer none' };
  const paths = ['/economy/supply', '/status.json', '/nothing', '/government/compliance-report.json'];
  const addresses = paths.map((path) => `http://127.0.0.1:${port}${path}`);
  expect(await unreadableElsewhere(browser, addresses, [key])).toEqual([]);
});

describe('a parameter', () => {
  test('that a data file does not take is refused, so that a misspelt one is not ignored', async () => {
    const { app } = await servedShared();
    const answer = await get(app, '/economy/supply?form=csv');
    expect([answer.statusCode, answer.json().code]).toEqual([400, 'unknown_parameter']);
    expect((await get(app, '/economy/supply?')).statusCode).toBe(200);
  });
});

describe('public data', () => {
  test('is readable by scripts of any site, and pages are not', async () => {
    const { app } = await servedShared();
    const data = await get(app, '/economy/supply', { origin: 'https://example.org' });
    expect(data.headers['access-control-allow-origin']).toBe('*');
    expect(data.headers['access-control-expose-headers']).toContain('ETag');
    const page = await get(app, '/economy/');
    expect(page.headers['access-control-allow-origin']).toBeUndefined();
  });
});

describe('a new release', () => {
  test('answers the next request, and a request in progress keeps the previous one', async () => {
    const { app, out } = await served(50);
    expect((await get(app, '/economy/supply')).json().events).toBe(50);
    await publishTiny(out, { events: 80 });
    expect((await get(app, '/economy/supply')).json().events).toBe(80);
  });

  test('that is damaged is reported once, and the previous one stays', async () => {
    const { app, out, logged } = await served(50);
    await get(app, '/economy/supply');
    await publishTiny(out, { events: 80 });
    const { dir } = (await readCurrent(out))!;
    await appendFile(join(dir, 'manifest.json'), ' ');
    for (let times = 0; times < 3; times += 1) {
      expect((await get(app, '/economy/supply')).json().events).toBe(50);
    }
    expect(logged.filter(({ level }) => level === 50)).toHaveLength(1);
  });

  test('is loaded once for concurrent requests', async () => {
    const { app } = await served(50);
    const answers = await Promise.all(Array.from({ length: 30 }, () => get(app, '/economy/supply')));
    expect(new Set(answers.map(({ body }) => body)).size).toBe(1);
  });

  test('is not served if OUT/current points outside the folder', async () => {
    const { app, out } = await served(50);
    const { dir } = (await readCurrent(out))!;
    await rm(join(out, 'current'));
    await symlink(dir, join(out, 'current'));
    expect((await get(app, '/economy/supply')).statusCode).toBe(503);
  });
});

describe('a file that is damaged on the disk', () => {
  test.each([
    ['cut off', (path: string) => writeFile(path, 'half')],
    ['gone', (path: string) => rm(path)],
  ])('(%s) is an error that is logged, never half an answer', async (_, damage) => {
    const { app, out, logged } = await served(50);
    const { dir } = (await readCurrent(out))!;
    await damage(join(dir, 'public/economy/supply'));
    const answer = await get(app, '/economy/supply');
    expect([answer.statusCode, answer.json().code]).toEqual([500, 'internal_error']);
    expect(answer.headers.etag).toBeUndefined();
    expect(answer.body).not.toContain(dir);
    expect(JSON.stringify(logged)).toContain(dir);
  });
});
