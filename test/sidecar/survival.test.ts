import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { RunningCli } from '../contract/commands/seam.ts';
import { publishTiny } from '../release/publish-tiny.ts';
import { temporaryFolder } from '../release/temporary-folder.ts';
import { tinyApp } from './tiny-app.ts';

const SIMULATION = '/philosophy/simulation';
const HANDSHAKE =
  'Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n';
const JSON_BODY = 'Content-Type: application/json\r\n';

/** What may follow a request line; a body may be incomplete. */
const REQUESTS: readonly string[] = [
  '\r\n',
  `${HANDSHAKE}\r\n`,
  `${HANDSHAKE}Content-Length: 9\r\n\r\nhalf`,
  'Upgrade: websocket\r\nConnection: Upgrade\r\n\r\n',
  'Upgrade: websocket\r\nConnection: Upgrade\r\nContent-Length: 9\r\n\r\nhalf',
  'Upgrade: h2c\r\nConnection: Upgrade\r\nContent-Length: 9\r\n\r\nhalf',
  'Content-Length: 9\r\n\r\nhalf',
  `${JSON_BODY}Expect: 100-continue\r\nContent-Length: 9\r\n\r\n`,
  `${JSON_BODY}Transfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n`,
  `${JSON_BODY}Transfer-Encoding: chunked\r\n\r\nno length\r\n`,
  'X-Unfinished: ',
  '\0\r\n\r\n',
  '\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\nCONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n',
];
const METHODS = ['GET', 'HEAD', 'POST', 'OPTIONS', 'CONNECT', 'PROPFIND'];
const TARGETS: readonly string[] = [
  '/economy/supply',
  '/live',
  SIMULATION,
  '/attestations/verify',
  'a:1',
  '*',
];

/** How a client disconnects. A reset reaches a server that is still sending; after a half close the client may still read, and then reset. */
const ENDINGS: readonly ((socket: Socket) => unknown)[] = [
  (socket) => socket.resetAndDestroy(),
  (socket) => socket.destroy(),
  (socket) => socket.end(() => socket.resetAndDestroy()),
  (socket) => setTimeout(() => socket.resetAndDestroy(), 2),
  (socket) =>
    socket.once('data', () => socket.resetAndDestroy()).setTimeout(20, () => socket.resetAndDestroy()),
];

async function served() {
  const out = await temporaryFolder();
  await publishTiny(out, { events: 5 });
  const cli = new RunningCli(['serve', '--out', out, '--host', '127.0.0.1'], { PORT: '0' });
  const [, url] = await cli.printed(/at (http:\/\/\S+)/);
  return { cli, url: url!, port: Number(new URL(url!).port) };
}

async function offend(port: number, text: string, end: (socket: Socket) => unknown): Promise<void> {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
  const closed = new Promise((resolve) => socket.once('close', resolve));
  socket.on('error', () => socket.destroy());
  socket.write(text, () => end(socket));
  await closed;
}

test('the process survives every request, however its connection ends', async () => {
  const { cli, url, port } = await served();
  const texts = METHODS.flatMap((method, index) =>
    REQUESTS.map((rest, at) => {
      const target = method === 'CONNECT' ? 'a:1' : TARGETS[(index + at) % TARGETS.length]!;
      return `${method} ${target} HTTP/1.1\r\nHost: a\r\n${rest}`;
    }),
  );
  // Each request that the server handles itself, with every ending; the others with one each.
  const takenOver = ['CONNECT a:1', `GET ${SIMULATION}`, `GET ${SIMULATION}?refused`].flatMap((line) =>
    REQUESTS.map((rest) => `${line} HTTP/1.1\r\nHost: a\r\n${rest}`),
  );
  const offences = [
    ...takenOver.flatMap((text) => ENDINGS.map((end) => [text, end] as const)),
    ...texts.map((text, index) => [text, ENDINGS[index % ENDINGS.length]!] as const),
  ];
  for (let at = 0; at < offences.length; at += 50)
    await Promise.all(offences.slice(at, at + 50).map(([text, end]) => offend(port, text, end)));
  expect([cli.child.exitCode, cli.child.signalCode]).toEqual([null, null]);
  expect((await fetch(`${url}/economy/supply`)).status).toBe(200);
});

test('the service continues when the system cannot accept a connection', async () => {
  const out = await temporaryFolder();
  const { app, logged } = await tinyApp(out);
  app.server.emit('listening');
  app.server.emit('error', new Error('accept EMFILE'));
  expect(logged).toMatchObject([
    { msg: 'a connection could not be accepted', err: { message: 'accept EMFILE' } },
  ]);
});

test('the service continues when its log cannot be written', async () => {
  const out = await temporaryFolder();
  await publishTiny(out, { events: 5 });
  const cli = fileURLToPath(new URL('../../src/cli.ts', import.meta.url));
  const folder = await temporaryFolder();
  const args = ['serve', '--out', out, '--host', '127.0.0.1', '--port', '0', '--log-level', 'info'];
  const stores = ['--store', folder];
  const command = [process.execPath, cli, ...args, ...stores].map((word) => `'${word}'`).join(' ');
  const child = spawn('sh', ['-c', `exec ${command} 2>/dev/full`], { stdio: ['ignore', 'pipe', 'ignore'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  const [printed] = (await once(child.stdout!, 'data')) as [Buffer];
  const [, url] = / at (http:\/\/\S+)/.exec(printed.toString())!;
  for (let request = 0; request < 3; request += 1) expect((await fetch(`${url}/healthz`)).status).toBe(200);
  child.kill('SIGTERM');
  expect((await once(child, 'exit'))[0]).toBe(0);
});
