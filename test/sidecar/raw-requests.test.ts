import { type AddressInfo, connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, expect, test } from 'vitest';
import { servedShared } from './tiny-app.ts';

/** Sends bytes unchanged, unlike a well-behaved client, and reads to the end. */
async function exchange(request: string): Promise<{ status: number; head: string; body: string }> {
  const { app } = await servedShared();
  await app.listen({ port: 0, host: '127.0.0.1' });
  const { port } = app.server.address() as AddressInfo;
  const socket = connect(port, '127.0.0.1');
  socket.write(request);
  const answer = await text(socket);
  const [head = '', body = ''] = answer.split('\r\n\r\n');
  return { status: Number(head.split(' ')[1]), head, body };
}

const END = ' HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n';

describe('bytes on a socket', () => {
  test('OPTIONS * is answered with the methods of the server', async () => {
    const { status, head } = await exchange(`OPTIONS *${END}`);
    expect([status, /^Allow: (.*)\r$/m.exec(head)?.[1]]).toEqual([204, 'GET, HEAD, OPTIONS']);
  });

  // The parser splits the request line into words, as RFC 9112 §3 allows; a tab is not a separator.
  test.each([
    ['GET  /economy/supply', 200],
    ['GET\t/economy/supply', 400],
  ])('%j is a request line or not', async (words, status) => {
    expect((await exchange(`${words}${END}`)).status).toBe(status);
  });

  test.each([
    ['/../../etc/passwd', 404],
    ['/economy/../economy/supply', 404],
    ['/./economy/supply', 404],
    ['/economy/supply#part', 200],
    ['/economy\\supply', 404],
    ['economy/supply', 400],
    ['http://localhost/economy/supply', 200],
    ['http://localhost', 200],
    ['http://localhost?theme=dark', 200],
    ['/%', 400],
    ['/%ff', 400],
  ])('GET %s is answered with %d', async (target, status) => {
    const answer = await exchange(`GET ${target}${END}`);
    expect(answer.status).toBe(status);
    if (status !== 200) expect(answer.head).toContain('application/problem+json');
  });

  test.each([
    ['HTTP/1.0 without a Host', 'GET /economy/supply HTTP/1.0\r\n\r\n'],
    ['an expectation that nobody knows', `GET /economy/supply HTTP/1.1\r\nExpect: tea${END.slice(9)}`],
  ])('%s is answered', async (_, request) => {
    expect(await exchange(request)).toMatchObject({ status: 200 });
  });

  test.each([
    ['no HTTP', 'hello\r\n\r\n', 400, 'bad_request'],
    ['another protocol', 'GET / SPDY/3\r\n\r\n', 400, 'bad_request'],
    ['a line end in a header', 'GET / HTTP/1.1\r\nHost: a\r\nA\x01: b\r\n\r\n', 400, 'bad_request'],
    ['HTTP/2.0', 'GET / HTTP/2.0\r\nHost: a\r\n\r\n', 505, 'http_version_not_supported'],
    ['HTTP/0.9', 'GET / HTTP/0.9\r\nHost: a\r\n\r\n', 505, 'http_version_not_supported'],
    ['no version', 'GET /\r\n\r\n', 505, 'http_version_not_supported'],
    ['* with another method', `GET *${END}`, 400, 'bad_request'],
    ['no Host', 'GET /economy/supply HTTP/1.1\r\nConnection: close\r\n\r\n', 400, 'bad_request'],
    ['two Hosts', `GET /economy/supply HTTP/1.1\r\nHost: other.example${END.slice(9)}`, 400, 'bad_request'],
    ['a tunnel', 'CONNECT example.org:443 HTTP/1.1\r\nHost: example.org\r\n\r\n', 405, 'method_not_allowed'],
    ['20 kB of headers', `GET / HTTP/1.1\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`, 431, 'headers_too_large'],
  ])('%s gets a problem document', async (_, request, status, code) => {
    const answer = await exchange(request);
    expect(answer.status).toBe(status);
    expect(answer.head).toContain('Content-Type: application/problem+json');
    expect(JSON.parse(answer.body)).toMatchObject({ status, code });
    expect(answer.head).toContain("Content-Security-Policy: default-src 'none'");
    expect(answer.head).toMatch(/^X-Request-Id: \S+\r$/m);
    expect(answer.head).toMatch(/^Date: \w{3}, .* GMT\r$/m);
  });
});
