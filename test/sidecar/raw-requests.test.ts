import { type AddressInfo, connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, expect, test } from 'vitest';
import { publishTiny } from '../publish/publish-tiny.ts';
import { temporaryFolder } from '../publish/temporary-folder.ts';
import { tinyApp } from './tiny-app.ts';

/** Sends bytes as they stand, which a well-behaved client would tidy up first, and reads until the end. */
async function exchange(request: string): Promise<{ status: number; head: string; body: string }> {
  const out = await temporaryFolder();
  await publishTiny(out, { events: 5 });
  const { app } = await tinyApp(out);
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
    ['no HTTP', 'hello\r\n\r\n', 400, 'bad_request'],
    ['another protocol', 'GET / SPDY/3\r\n\r\n', 400, 'bad_request'],
    ['a line end in a header', 'GET / HTTP/1.1\r\nHost: a\r\nA\x01: b\r\n\r\n', 400, 'bad_request'],
    ['20 kB of headers', `GET / HTTP/1.1\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`, 431, 'headers_too_large'],
  ])('%s gets a problem document', async (_, request, status, code) => {
    const answer = await exchange(request);
    expect(answer.status).toBe(status);
    expect(answer.head).toContain('Content-Type: application/problem+json');
    expect(JSON.parse(answer.body)).toMatchObject({ status, code });
  });
});
