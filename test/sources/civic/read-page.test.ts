import type { ServerResponse } from 'node:http';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Remote, readPage } from '../../../pipeline/sources/civic/read-page.ts';
import { CivicServer, civicChain, formatPage } from './civic-server.ts';

let server: CivicServer;
let waits: number[];

beforeEach(async () => {
  server = await CivicServer.start(civicChain(3));
  waits = [];
});
afterEach(() => server.close());

function remote(more: Partial<Remote> = {}): Remote {
  const wait = async (ms: number) => void waits.push(ms);
  return {
    baseUrl: new URL(server.url),
    fetch,
    wait,
    timeoutMs: 60_000,
    attempts: 3,
    ...more,
  };
}

/** Answers the first `times` requests this way and leaves the others to the server. */
function fail(times: number, answer: (response: ServerResponse) => unknown): void {
  server.intercept = (response, _, count) => {
    if (count > times) return false;
    answer(response);
    return true;
  };
}

const page = formatPage(civicChain(3));

describe('readPage', () => {
  test('requests a page below the base address, newest first', async () => {
    const events = await readPage(remote(), 2, 1);
    expect(events.map(({ event_id }) => event_id)).toEqual(['evt_1', 'evt_0']);
    expect(server.requests).toEqual(['/ledger/events?limit=2&offset=1']);
  });

  test('keeps the path of the base address', async () => {
    fail(1, (response) => response.end(page));
    await readPage(remote({ baseUrl: new URL(`${server.url}/api/v1/`) }), 2, 0);
    expect(server.requests).toEqual(['/api/v1/ledger/events?limit=2&offset=0']);
  });

  test.each<[string, (response: ServerResponse) => unknown]>([
    ['a server error', (response) => response.writeHead(500).end('Internal Server Error')],
    ['a gateway without its server', (response) => response.writeHead(502).end('<html>')],
    ['a connection that breaks', (response) => response.destroy()],
    [
      'a body shorter than it says',
      (response) => {
        response.writeHead(200, { 'content-length': page.length });
        response.write(page.slice(0, 100), () => response.destroy());
      },
    ],
    [
      'a body that ends within a chunk',
      (response) => response.write(page.slice(0, 100), () => response.destroy()),
    ],
    ['JSON that ends too early', (response) => response.end(page.slice(0, 100))],
    ['text that is not JSON', (response) => response.end('<html>waking up</html>')],
    ['bytes that are not UTF-8', (response) => response.end(Buffer.from([0x7b, 0xff, 0x7d]))],
    ['nothing at all', (response) => response.end()],
  ])('retries after %s', async (_, answer) => {
    fail(2, answer);
    expect(await readPage(remote(), 100, 0)).toHaveLength(3);
    expect(server.requests).toHaveLength(3);
    expect(waits).toEqual([1000, 2000]);
  });

  test('retries if the response does not arrive or does not end', async () => {
    fail(2, (response) => server.requests.length === 2 && response.write('{"events":['));
    // A busy machine may also be late with the page itself.
    expect(await readPage(remote({ timeoutMs: 100, attempts: 100 }), 100, 0)).toHaveLength(3);
  });

  test('waits as long as the server requests, at most one minute', async () => {
    const answers = ['7', 'Sun, 06 Nov 1994 08:50:37 GMT'];
    const date = 'Sun, 06 Nov 1994 08:49:37 GMT';
    fail(2, (response) => response.writeHead(429, { 'retry-after': answers.shift()!, date }).end());
    await readPage(remote(), 100, 0);
    expect(waits).toEqual([7000, 60_000]);
  });

  test.each([
    ['75146', '20 h 53 min'],
    ['61', '2 min'],
    ['9999999', '2777 h 47 min'],
    ['Sun, 06 Nov 1994 10:49:37 GMT', '2 h 0 min'],
  ])('stops at once if the server requests a retry after %s, and reports the time', async (after, when) => {
    const date = 'Sun, 06 Nov 1994 08:49:37 GMT';
    fail(9, (response) => response.writeHead(429, { 'retry-after': after, date }).end());
    await expect(readPage(remote(), 100, 0)).rejects.toMatchObject({
      code: 'import_failed',
      found: `status 429, to be asked again in ${when}`,
    });
    expect([server.requests.length, waits]).toEqual([1, []]);
  });

  test('gives up after the last attempt and names the URL and the response', async () => {
    fail(99, (response) => response.writeHead(503).end());
    await expect(readPage(remote(), 100, 200)).rejects.toMatchObject({
      code: 'import_failed',
      place: `${server.url}/ledger/events?limit=100&offset=200`,
      expected: 'a page of events, asked 3 times',
      found: 'status 503',
    });
    expect(server.requests).toEqual(Array(3).fill('/ledger/events?limit=100&offset=200'));
  });

  test('gives up if nothing listens, and names the reason', async () => {
    const away = remote({ baseUrl: new URL('http://127.0.0.1:1') });
    await expect(readPage(away, 1, 0)).rejects.toMatchObject({
      found: expect.stringMatching(/ECONNREFUSED|bad port/),
    });
  });

  test.each<[string, (response: ServerResponse) => unknown, string]>([
    [
      'a redirect',
      (response) => response.writeHead(302, { location: 'https://other.example/' }).end(),
      'status 302 to https://other.example/',
    ],
    ['a refusal', (response) => response.writeHead(401).end(), 'status 401'],
    ['an address that is not there', (response) => response.writeHead(404).end(), 'status 404'],
    ['no content', (response) => response.writeHead(204).end(), 'status 204'],
  ])('does not ask again after %s', async (_, answer, found) => {
    fail(9, answer);
    await expect(readPage(remote(), 100, 0)).rejects.toMatchObject({
      code: 'import_failed',
      expected: 'status 200',
      found,
    });
    expect(server.requests).toHaveLength(1);
  });

  test('does not retry a page of an invalid form', async () => {
    fail(9, (response) => response.end('{"detail":"maintenance"}'));
    await expect(readPage(remote(), 100, 0)).rejects.toMatchObject({
      code: 'import_failed',
      found: 'nothing',
    });
    expect(server.requests).toHaveLength(1);
  });

  test('stops reading a page that is too large', async () => {
    const spaces = Buffer.alloc(65 * 1024 * 1024, ' ');
    fail(9, (response) => response.end(spaces));
    await expect(readPage(remote(), 100, 0)).rejects.toMatchObject({
      expected: 'at most 67108864 bytes',
      found: 'more',
    });
  });
});
