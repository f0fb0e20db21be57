import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { connect, createServer, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { LIVE_PATHS } from '../../../pipeline/artifacts/table.ts';
import { listen } from '../../listen.ts';
import { useFolder } from '../../setups/use-folder.ts';
import { liveLedger } from './live-ledger.ts';
import { type LiveServer, serveLive } from './live-server.ts';
import { parseStream } from './parse-stream.ts';
import { listenTo } from './reader.ts';
import { until } from './until.ts';

type Ledger = Awaited<ReturnType<typeof liveLedger>>;

async function served(more: Parameters<typeof serveLive>[1] = {}): Promise<Ledger & LiveServer> {
  const ledger = await liveLedger();
  const server = await serveLive(ledger, more);
  onTestFinished(server.close);
  return { ...ledger, ...server };
}

/** For tests that change nothing. */
let unchanging: LiveServer;
const folder = useFolder();

beforeAll(async () => {
  unchanging = await serveLive(await liveLedger(folder));
});

afterAll(() => unchanging.close());

/** An open stream, as growing text. */
async function open(url: string, headers: Record<string, string> = {}) {
  const asked = request(url, { headers, agent: false }).end();
  onTestFinished(() => void asked.destroy());
  const [response] = (await once(asked, 'response')) as [IncomingMessage];
  const stream = { response, text: '', ended: false, close: () => asked.destroy() };
  response.setEncoding('utf8').on('data', (text: string) => {
    stream.text += text;
  });
  response.on('end', () => {
    stream.ended = true;
  });
  response.on('error', () => {});
  return stream;
}

describe('a client that reconnects', () => {
  test.each(['nonsense', '00000000-7', 'x'.repeat(5000), '0-0'])(
    'with the id %# of no stream gets everything',
    async (id) => {
      const { url } = unchanging;
      const stream = await open(`${url}/live`, { 'Last-Event-ID': id });
      await until(() => stream.text.includes('id: '));
      const messages = parseStream(stream.text).filter(({ event }) => event !== undefined);
      expect(messages.map(({ event }) => event)).toEqual(LIVE_PATHS);
      for (const { data } of messages) expect(JSON.parse(data!)).toHaveProperty('value');
    },
  );

  test('misses nothing through connections that break repeatedly', async () => {
    const { url, advance, rebuild } = await served();
    const relay = await breakingRelay(Number(new URL(url).port));
    const reader = listenTo(`http://127.0.0.1:${relay.port}/live`);
    for (const minutes of [3, 40, 200, 9]) {
      await advance(minutes);
      await until(() => relay.open() > 0);
      relay.break();
      await advance(1);
      await reader.untilHolds(await rebuild());
    }
    expect(reader.opened()).toBeGreaterThan(3);
  });
});

describe('many listeners', () => {
  test('all have the newest values at the end, a hundred at once', async () => {
    const { url, live, advance, rebuild } = await served();
    const readers = Array.from({ length: 100 }, () => listenTo(`${url}/live`));
    await until(() => live.facts().listeners === 100);
    await advance(30);
    await advance(200);
    const files = await rebuild();
    await Promise.all(readers.map((reader) => reader.untilHolds(files)));
    for (const reader of readers) reader.close();
    await until(() => live.facts().listeners === 0);
  });

  test('beyond the limit are refused', async () => {
    const { url, live } = await served({ maxListeners: 2 });
    const [first] = await Promise.all([open(`${url}/live`), open(`${url}/live`)]);
    const answer = await fetch(`${url}/live`);
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '30']);
    expect((await answer.json()).code).toBe('too_many_listeners');
    first!.close();
    await until(() => live.facts().listeners === 1);
    expect((await open(`${url}/live`)).response.statusCode).toBe(200);
  });
});

/** A proxy that can break every connection through it. */
async function breakingRelay(target: number) {
  const sockets = new Set<Socket>();
  const relay = createServer((client) => {
    const server = connect(target, '127.0.0.1');
    for (const socket of [client, server]) {
      sockets.add(socket);
      socket.on('error', () => {}).on('close', () => sockets.delete(socket));
    }
    client.pipe(server).pipe(client);
  });
  const { port } = await listen(relay);
  const breakAll = () => {
    for (const socket of sockets) socket.destroy();
  };
  onTestFinished(() => {
    breakAll();
    relay.close();
  });
  return { port, open: () => sockets.size, break: breakAll };
}
