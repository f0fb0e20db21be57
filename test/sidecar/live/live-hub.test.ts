import type { ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createLiveHub, type HubOptions } from '../../../src/sidecar/live/live-hub.ts';
import { bareServer } from './live-server.ts';
import { until } from './until.ts';

const PATH = 'economy/supply';

/** A hub over one document that the test sets, on a real server. */
async function hubOf(more: Partial<HubOptions> = {}) {
  let text = '';
  let events = 0;
  const responses: ServerResponse[] = [];
  const hub = createLiveHub({
    paths: [PATH],
    read: () => text || null,
    gapMs: 0,
    maxListeners: 10,
    maxPerClient: 10,
    heartbeatMs: 60_000,
    stallMs: 60_000,
    retryMs: [1, 1],
    now: () => performance.now(),
    random: () => 0.5,
    position: () => ({ sealed: 0, events }),
    behindMs: 10_000,
    hasReplicas: true,
    baseUrl: 'https://data.example.org',
    ...more,
  });
  const server = await bareServer((request, response) => {
    responses.push(response);
    hub.listen(request, response, {
      headers: (own) => Object.entries(own).flat(),
      address: '203.0.113.7',
      query: {},
    });
  });
  const { port } = server.address() as AddressInfo;
  onTestFinished(() => {
    hub.close();
    server.closeAllConnections();
    server.close();
  });
  const write = (value: unknown) => {
    events += 1;
    text = `${JSON.stringify({ timestamp: '2025-12-01T00:00:00Z', value }, null, 2)}\n`;
    hub.changed();
  };
  return { hub, port, responses, write };
}

/** A connection that the test reads when it wants. */
async function listen(port: number, id?: string) {
  const socket = connect(port, '127.0.0.1');
  onTestFinished(() => void socket.destroy());
  const read = { text: '', ended: false };
  socket.setEncoding('utf8').on('data', (more: string) => {
    read.text += more;
  });
  socket
    .on('error', () => {})
    .on('close', () => {
      read.ended = true;
    });
  const resume = id === undefined ? '' : `Last-Event-ID: ${id}\r\n`;
  socket.write(`GET /live HTTP/1.1\r\nHost: localhost\r\n${resume}\r\n`);
  await until(() => read.text.includes('retry: '));
  return { socket, read };
}

const large = (step: number) => `${step}:${'x'.repeat(2_000_000)}`;

test('a listener that reads nothing has one message waiting, and then gets the newest one', async () => {
  const { port, responses, write } = await hubOf();
  write(large(0));
  const { socket, read } = await listen(port);
  await until(() => read.text.includes('id: '));
  socket.pause();
  for (let step = 1; step <= 40; step += 1) {
    write(large(step));
    await new Promise(setImmediate);
    // One message, with its framing.
    expect(responses[0]!.writableLength).toBeLessThan(2_100_000 * 2);
  }
  expect(responses[0]!.writableNeedDrain).toBe(true);
  socket.resume();
  await until(() => read.text.includes('"value": "40:xxx'));
  expect(read.text.split('event: ').length - 1).toBeLessThan(20);
});

test('a listener that reads nothing for too long is disconnected, and one that reads is not', async () => {
  const { hub, port, write } = await hubOf({ stallMs: 2000, heartbeatMs: 20 });
  write(large(0));
  const [stuck, reading] = [await listen(port), await listen(port)];
  stuck.socket.pause();
  // More than the system buffers for a client that does not read.
  for (let step = 1; step <= 8; step += 1) {
    write(large(step));
    await until(() => reading.read.text.includes(`"value": "${step}:xxx`));
  }
  await until(() => hub.listeners() === 1);
  expect(reading.read.ended).toBe(false);
});

test('a listener beyond the most of a server is refused, and has a place again when one leaves', async () => {
  const { hub, port, write } = await hubOf({ maxListeners: 1 });
  write(1);
  const { socket } = await listen(port);
  expect(await fetch(`http://127.0.0.1:${port}/live`)).toMatchObject({ status: 503 });
  socket.destroy();
  await until(() => hub.listeners() === 0);
  await listen(port);
});

test('a silent stream has heartbeats', async () => {
  const { port, write } = await hubOf({ heartbeatMs: 5 });
  write(1);
  const { read } = await listen(port);
  await until(() => read.text.split(':\n\n').length > 4);
  expect(read.text.split('event: ')).toHaveLength(2);
});

test('changes within the gap are sent at its end, only the newest value, while a new listener gets it at once', async () => {
  let now = 0;
  const { hub, port, write } = await hubOf({ gapMs: 50, now: () => now });
  write('first');
  const early = await listen(port);
  await until(() => early.read.text.includes('"first"'));
  now = 1000;
  write('second');
  await until(() => early.read.text.includes('"second"'));
  write('third');
  write('fourth');
  const late = await listen(port);
  await until(() => late.read.text.includes('"fourth"'));
  await until(() => early.read.text.includes('"fourth"'));
  expect(early.read.text).not.toContain('"third"');
  expect(hub.listeners()).toBe(2);
});

describe('a listener that comes from a server with more events', () => {
  async function idAfter(values: readonly unknown[]): Promise<string> {
    const { port, write } = await hubOf();
    for (const value of values) write(value);
    const { socket, read } = await listen(port);
    await until(() => read.text.includes('id: '));
    socket.destroy();
    return /^id: (.*)$/m.exec(read.text)![1]!;
  }

  test('waits until this one has them, and then gets what it lacks', async () => {
    const id = await idAfter(['one', 'two']);
    const { port, write } = await hubOf({ heartbeatMs: 5 });
    write('one');
    const { read } = await listen(port, id);
    await until(() => read.text.includes(':\n\n'));
    expect(read.text).not.toContain('event: ');
    write('two');
    write('three');
    await until(() => read.text.includes('"three"'));
    expect(read.text).not.toContain('"two"');
  });

  test('gets nothing if this one has the same in time', async () => {
    const id = await idAfter(['one', 'two']);
    const { port, write } = await hubOf({ heartbeatMs: 5 });
    write('one');
    const { read } = await listen(port, id);
    write('two');
    await until(() => read.text.split(':\n\n').length > 4);
    expect(read.text).toContain('retry: 1\n\n');
    expect(read.text).not.toContain('event: ');
  });

  test('is sent to another one if this one stays behind', async () => {
    const id = await idAfter(['one', 'two']);
    const { port, write } = await hubOf({ behindMs: 1 });
    write('one');
    const { read } = await listen(port, id);
    await until(() => read.ended);
    expect(read.text).not.toContain('event: ');
    expect(read.text.split('retry: ')).toHaveLength(3);
  });

  test('gets the values of this one if there is no other, or a ledger snapshot has decided', async () => {
    const id = await idAfter(['one', 'two']);
    for (const more of [{ hasReplicas: false }, { position: () => ({ sealed: 1, events: 1 }) }]) {
      const { port, write } = await hubOf({ behindMs: 1, ...more });
      write('one');
      const { read } = await listen(port, id);
      await until(() => read.text.includes('"one"'));
    }
  });
});
