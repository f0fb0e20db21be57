import { createServer, type IncomingMessage } from 'node:http';
import { expect, test } from 'vitest';
import { purgeCaches } from '../../pipeline/build/purge-caches.ts';
import { isReplacedByRelease } from '../../pipeline/release/format/response-headers.ts';
import { listenInTest } from '../listen.ts';

/** A CDN that gives these answers in turn, the last one for ever. */
async function cdn(...statuses: number[]) {
  const requests: unknown[] = [];
  const server = createServer(async (request: IncomingMessage, response) => {
    const { method, url, headers } = request;
    const body = Buffer.concat(await request.toArray()).toString();
    requests.push([method, url, headers.authorization, headers['content-type'], body]);
    response.writeHead(statuses[Math.min(requests.length, statuses.length) - 1]!).end();
  });
  return { url: `${(await listenInTest(server)).origin}/purge`, requests };
}

const SECRET = { header: 'Authorization: Bearer s3cret', body: '{"tags":["cathedral-release"]}' };

test('a purge is sent with its header and body, again after an error, and not again after a success', async () => {
  const { url, requests } = await cdn(502, 200);
  expect(await purgeCaches({ url, ...SECRET }, [0, 0])).toBeNull();
  const sent = ['POST', '/purge', 'Bearer s3cret', 'application/json', SECRET.body];
  expect(requests).toEqual([sent, sent]);
});

test('a purge without a header and a body, as Fastly and Varnish take it', async () => {
  const { url, requests } = await cdn(200);
  expect(await purgeCaches({ url, header: null, body: null }, [])).toBeNull();
  expect(requests).toEqual([['POST', '/purge', undefined, undefined, '']]);
});

test('a purge that keeps failing says why, without the secret', async () => {
  const { url, requests } = await cdn(403);
  expect(await purgeCaches({ url, ...SECRET }, [0])).toMatch(/^127\.0\.0\.1:\d+ answered 403 to the purge$/);
  expect(requests).toHaveLength(2);
  const nobody = await purgeCaches({ url: 'http://127.0.0.1:9/purge', ...SECRET }, []);
  expect(nobody).toMatch(/^127\.0\.0\.1:9 did not answer the purge: /);
  expect(nobody).not.toContain('s3cret');
});

test.each([
  ['public, max-age=300, stale-while-revalidate=3600', true],
  ['public, max-age=0, must-revalidate', true],
  ['public, max-age=31536000, immutable', false],
  ['private, max-age=300', false],
  ['private, no-store', false],
  ['no-cache', false],
  [undefined, false],
])('Cache-Control %s is replaced by a release: %s', (cacheControl, expected) => {
  expect(isReplacedByRelease(cacheControl)).toBe(expected);
});
