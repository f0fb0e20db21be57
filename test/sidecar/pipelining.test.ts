import { once } from 'node:events';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { Releases } from '../../src/sidecar/files/releases.ts';
import { LOAD_LIMITS, LoadGate } from '../../src/sidecar/limits/load-gate.ts';
import { MAX_WAITING } from '../../src/sidecar/request/pipelining.ts';
import { dataFile, publishTiny } from '../release/publish-tiny.ts';
import { useFolder } from '../setups/use-folder.ts';
import { closed } from './closed.ts';
import { type TinyOptions, tinyApp } from './tiny-app.ts';

/** More than the buffers of a connection hold. */
const LARGE_BYTES = 16 * 1024 * 1024;
const LARGE = 'GET /economy/large.csv HTTP/1.1\r\nHost: a\r\n\r\n';
const SMALL = 'GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n';
const COUNTED = 'GET /economy/supply HTTP/1.1\r\nHost: a\r\n\r\n';
const LIVE = 'GET /live HTTP/1.1\r\nHost: a\r\n\r\n';
const HANDSHAKE =
  'Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n';

/** A stream with one message. */
const live: TinyOptions['services'] = {
  live: {
    resource: () => null,
    listen: (_, response) => void response.writeHead(200).write('open'),
  },
};

const out = useFolder();
beforeAll(async () => {
  const large = dataFile('economy/large.csv', 'a'.repeat(LARGE_BYTES), { mediaType: 'text/csv' });
  await publishTiny(out, { events: 5, extra: (staging) => staging.write(large) });
});

async function served(services: TinyOptions['services'] = {}) {
  const gate = new LoadGate({ limits: LOAD_LIMITS, loopDelayMs: () => 0 });
  const { app } = await tinyApp(out, { services: { gate, ...services } });
  await app.listen({ port: 0, host: '127.0.0.1' });
  const { port } = app.server.address() as AddressInfo;
  const parsed = { count: 0 };
  app.server.on('request', () => {
    parsed.count += 1;
  });
  return { gate, parsed, open: () => open(port) };
}

/** A raw connection, and everything received on it. */
async function open(port: number) {
  const socket = connect(port, '127.0.0.1');
  const client = { socket, text: '', closed: closed(socket) };
  onTestFinished(() => void socket.destroy());
  socket.on('error', () => {});
  await once(socket, 'connect');
  socket.setEncoding('latin1').on('data', (text: string) => {
    client.text += text;
  });
  return client;
}

function answersIn(text: string): string[] {
  return text.split(/(?=HTTP\/1\.1 \d)/).map((answer) => answer.slice(9, 12));
}

/** Waits until the start of a large response has been sent to a client that reads no more. */
async function stopReading(socket: Socket, request: string): Promise<void> {
  socket.write(request);
  await once(socket, 'data');
  socket.pause();
}

test('as many requests as may wait are all answered in order, and one more ends the connection', async () => {
  const { gate, open } = await served();
  const [fit, flood] = [await open(), await open()];
  fit.socket.write(SMALL + COUNTED.repeat(MAX_WAITING));
  await expect.poll(() => fit.text.match(/HTTP\/1\.1 200/g)?.length).toBe(MAX_WAITING + 1);
  expect(fit.text).not.toContain('Connection: close');
  flood.socket.write(SMALL + COUNTED.repeat(1000));
  await flood.closed;
  await expect.poll(() => gate.active).toBe(0);
  fit.socket.write(SMALL);
  await expect.poll(() => fit.text.match(/HTTP\/1\.1 200/g)?.length).toBe(MAX_WAITING + 2);
});

test('requests behind responses that clients do not read take little memory', async () => {
  const { parsed, open } = await served();
  const clients = await Promise.all(Array.from({ length: 20 }, open));
  for (const { socket } of clients) await stopReading(socket, LARGE);
  parsed.count = 0;
  for (const { socket } of clients) socket.write(SMALL.repeat(5000));
  await expect.poll(() => parsed.count).toBeGreaterThan(20 * MAX_WAITING);
  // What one read holds is parsed, and given up with the connection.
  for (const { socket } of clients) socket.resume();
  await Promise.all(clients.map(({ closed }) => closed));
  expect(parsed.count).toBeLessThan(20 * 2500);
});

test('a request has a place in the load gate only while it is answered, whatever waits behind it', async () => {
  const { gate, open } = await served();
  const clients = await Promise.all([1, 2, 3].map(open));
  for (const { socket } of clients) await stopReading(socket, LARGE + COUNTED.repeat(10));
  expect(gate.active).toBe(3);
  const [first, ...others] = clients;
  first!.socket.resume();
  await expect.poll(() => first!.text.match(/HTTP\/1\.1 200/g)?.length).toBe(11);
  for (const { socket } of others) socket.destroy();
  await expect.poll(() => gate.active).toBe(0);
});

test('too many requests behind a response that the client does not read end the connection', async () => {
  const { gate, open } = await served();
  const { socket, closed } = await open();
  await stopReading(socket, LARGE);
  socket.write(COUNTED.repeat(3000));
  await expect.poll(() => gate.active).toBe(0);
  socket.resume();
  await closed;
});

test.each([
  ['a request', SMALL],
  ['a tunnel', 'CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n'],
  ['a handshake', `GET /philosophy/simulation HTTP/1.1\r\nHost: a\r\n${HANDSHAKE}`],
  ['what is no request', 'nonsense\r\n\r\n'],
])('%s behind a stream ends the connection, sent with it or after it', async (_, text) => {
  const simulation = { upgrade: () => expect.unreachable() };
  const { gate, open } = await served({ ...live, simulation });
  const [together, after] = [await open(), await open()];
  together.socket.write(LIVE + text);
  await together.closed;
  after.socket.write(LIVE);
  await expect.poll(() => after.text).toContain('open');
  after.socket.write(text);
  await after.closed;
  expect(answersIn(after.text)).toEqual(['200']);
  await expect.poll(() => gate.active).toBe(0);
});

test.each([
  ['is no request is refused', 'nonsense\r\n\r\n', '400'],
  [
    'asks for an upgrade is answered like any other request',
    `GET /healthz HTTP/1.1\r\nHost: a\r\n${HANDSHAKE}`,
    '200',
  ],
])('what follows a file and %s is answered after the file', async (_, text, status) => {
  const client = await (await served()).open();
  client.socket.write(LARGE + text);
  await expect.poll(() => client.text.length).toBeGreaterThan(LARGE_BYTES + 300);
  const body = client.text.slice(client.text.indexOf('\r\n\r\n') + 4);
  expect(body.slice(LARGE_BYTES).slice(9, 12)).toBe(status);
  expect(body.lastIndexOf('a', LARGE_BYTES - 1)).toBe(LARGE_BYTES - 1);
  expect(body.indexOf('HTTP/1.1')).toBe(LARGE_BYTES);
});

test('a client that disconnects before its request starts leaves nothing behind', async () => {
  const wait = Promise.withResolvers<void>();
  const asked = Promise.withResolvers<void>();
  const current = async () => {
    asked.resolve();
    await wait.promise;
    return releases.current();
  };
  const { gate, open } = await served({ releases: { current } });
  const releases = new Releases(out, () => {});
  const { socket } = await open();
  socket.write(LARGE);
  await asked.promise;
  socket.resetAndDestroy();
  const other = await open();
  other.socket.write(SMALL);
  // By then the reset has reached the server.
  await expect.poll(() => other.text).toContain('200');
  const entered = vi.spyOn(gate, 'enter');
  wait.resolve();
  await expect.poll(() => entered.mock.calls.length).toBe(1);
  await expect.poll(() => gate.active).toBe(0);
});
