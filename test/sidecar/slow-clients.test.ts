import { once } from 'node:events';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { problemsOf } from '../../src/api/routes/problems.ts';
import { routeAt } from '../../src/api/routes/table.ts';
import { ConcurrencyLimit } from '../../src/sidecar/limits/concurrency-limit.ts';
import { closeServer } from '../../src/sidecar/server-address.ts';
import { dataFile, publishTiny } from '../release/publish-tiny.ts';
import { useFolder } from '../setups/use-folder.ts';
import { closed } from './closed.ts';
import { type TinyOptions, tinyApp } from './tiny-app.ts';

/** More than the buffers of a connection hold, and not compressible, so that it stays as large as it is. */
const LARGE_BYTES = 32 * 1024 * 1024;

const out = useFolder();
beforeAll(async () => {
  const large = dataFile('economy/large.csv', '0123456789\n'.repeat(LARGE_BYTES / 11), {
    mediaType: 'text/csv',
  });
  await publishTiny(out, { events: 5, extra: (staging) => staging.write(large) });
});

/** The service with a large file, and a raw connection to it. */
async function connected(limits: TinyOptions['limits'], services: TinyOptions['services'] = {}) {
  const { app } = await tinyApp(out, { limits: limits ?? {}, services });
  await app.listen({ port: 0, host: '127.0.0.1' });
  const { port } = app.server.address() as AddressInfo;
  return { socket: await open(port), port, server: app.server };
}

async function open(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  onTestFinished(() => void socket.destroy());
  return socket;
}

function ask(socket: Socket, path: string): void {
  socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`);
}

describe('a client', () => {
  test('whose request does not arrive in time gets 408, and the connection is closed', async () => {
    const { socket } = await connected({ requestTimeout: 1 });
    socket.write('GET /economy/supply HTTP/1.1\r\nHost: localhost\r\nX-Slow: ');
    const drip = setInterval(() => socket.write('x'), 100);
    onTestFinished(() => clearInterval(drip));
    const answer = await text(socket);
    expect(answer).toMatch(/^HTTP\/1\.1 408 /);
    expect(answer).toContain('"code":"request_timeout"');
  });

  test('that never reads is disconnected, and others are still served', async () => {
    const { socket, port, server } = await connected({ stallTimeout: 1 });
    const [accepted] = (await new Promise<[Socket]>((resolve) => {
      server.once('request', (request) => resolve([request.socket]));
      socket.pause();
      ask(socket, '/economy/large.csv');
    })) as [Socket];
    const cutOff = closed(accepted);
    expect((await fetch(`http://127.0.0.1:${port}/economy/supply`)).status).toBe(200);
    await cutOff;
    expect(accepted.bytesWritten).toBeLessThan(LARGE_BYTES);
  });

  test('that never reads is disconnected, however much it sends', async () => {
    const { socket } = await connected({ stallTimeout: 1 });
    socket.pause();
    ask(socket, '/economy/large.csv');
    const drip = setInterval(() => socket.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n'), 100);
    onTestFinished(() => clearInterval(drip));
    // A socket that is not read notices the end only when a write fails.
    await once(socket, 'error');
  });

  test('gets only some of the slots for large files', async () => {
    const { port } = await connected(
      {},
      { downloads: new ConcurrencyLimit({ what: 'files are being sent', parallel: 4, perHolder: 2 }) },
    );
    const sockets = await Promise.all([1, 2, 3].map(() => open(port)));
    for (const [index, socket] of sockets.entries()) {
      ask(socket, '/economy/large.csv');
      const [head] = (await once(socket, 'data')) as [Buffer];
      socket.pause();
      expect(head.toString('latin1')).toContain(index < 2 ? 'HTTP/1.1 200 ' : 'HTTP/1.1 503 ');
    }
    sockets[0]!.destroy();
    const status = async () =>
      (await fetch(`http://127.0.0.1:${port}/economy/large.csv`, { method: 'GET' })).status;
    await expect.poll(status).toBe(200);
  });

  test('gets its whole response when the service ends, and no new client is accepted', async () => {
    const { socket, port, server } = await connected({});
    const began = once(socket, 'data');
    ask(socket, '/economy/large.csv');
    await began;
    let bytes = 0;
    socket.on('data', (chunk) => {
      bytes += chunk.length;
    });
    const ended = closeServer(server, 60_000);
    await expect(fetch(`http://127.0.0.1:${port}/economy/supply`)).rejects.toThrow();
    await ended;
    expect(bytes).toBeGreaterThan(LARGE_BYTES - 1024 * 1024);
  });

  test('that takes longer than the grace period is disconnected', async () => {
    const { socket, server } = await connected({});
    await new Promise((resolve) => {
      server.once('request', resolve);
      socket.pause();
      ask(socket, '/economy/large.csv');
    });
    await closeServer(server, 200);
    expect(server.listening).toBe(false);
  });

  test('with too many connections gets no more, while another client does', async () => {
    const { socket, port } = await connected({ maxConnectionsPerClient: 2 });
    const second = await open(port);
    const third = connect(port, '127.0.0.1').on('error', () => undefined);
    await closed(third);
    const answer = async (from: Socket) => {
      ask(from, '/healthz');
      return String((await once(from, 'data'))[0]).slice(0, 12);
    };
    // Another address of this machine.
    const other = connect({ port, host: '127.0.0.1', localAddress: '127.0.0.2' });
    onTestFinished(() => void other.destroy());
    expect(await Promise.all([socket, second, other].map(answer))).toEqual(Array(3).fill('HTTP/1.1 200'));
    second.destroy();
    const isLetIn = async () => {
      const again = await open(port).catch(() => null);
      if (!again) return false;
      return Promise.race([answer(again).then(() => true), closed(again).then(() => false)]).catch(
        () => false,
      );
    };
    await expect.poll(isLetIn).toBe(true);
  });

  test('behind a trusted proxy is counted by the address that the proxy names, and the proxy is not counted', async () => {
    const { port } = await connected({ maxConnectionsPerClient: 1, trustedProxies: ['127.0.0.1'] });
    const ask = async (path: string, forwarded?: string) => {
      const socket = await open(port);
      const header = forwarded ? `X-Forwarded-For: ${forwarded}\r\n` : '';
      socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\n${header}\r\n`);
      const [head] = (await once(socket, 'data')) as [Buffer];
      socket.pause();
      return { socket, status: head.toString('latin1').slice(9, 12) };
    };
    const held = await ask('/economy/large.csv', '2001:db8:0:1::1');
    const statuses = async () =>
      Promise.all(
        ['2001:db8:0:1::2', '2001:db8:0:2::1', undefined].map(
          async (forwarded) => (await ask('/economy/supply', forwarded)).status,
        ),
      );
    expect([held.status, ...(await statuses())]).toEqual(['200', '503', '200', '200']);
    // Each path describes that.
    for (const path of ['healthz', 'live', 'publisher.vkey']) {
      expect([path, (await ask(`/${path}`, '2001:db8:0:1::2')).status]).toEqual([path, '503']);
      expect([path, problemsOf(routeAt(path).route).get(503)]).toEqual([
        path,
        expect.arrayContaining(['overloaded']),
      ]);
    }
    held.socket.destroy();
    await expect.poll(statuses).toEqual(['200', '200', '200']);
  });

  test('beyond the maximum number of connections is disconnected at once', async () => {
    const { port } = await connected({ maxConnections: 1 });
    const second = connect(port, '127.0.0.1');
    second.on('error', () => undefined);
    await closed(second);
    expect(second.bytesRead).toBe(0);
  });
});
