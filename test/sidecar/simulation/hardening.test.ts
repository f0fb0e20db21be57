import { once } from 'node:events';
import { request } from 'node:http';
import { describe, expect, test } from 'vitest';
import { CathedralError } from '../../../pipeline/errors.ts';
import type { KeyRecord } from '../../../src/sidecar/keys/key-store.ts';
import { createKey, hashKey } from '../../../src/sidecar/keys/key-text.ts';
import { isSimulationUpgrade } from '../../../src/sidecar/simulation/reject-upgrade.ts';
import { CLOSE_CODES } from '../../../src/simulation/protocol/problems.ts';
import { NEW_SESSION, updateOf } from '../../../src/simulation/protocol/session.ts';
import { replay } from '../../../src/simulation/run.ts';
import { closed } from '../closed.ts';
import { until } from '../live/until.ts';
import { askUpgrade, closeCode, frame, OPCODES, rawClient } from './raw-client.ts';
import { openClient, refusedUpgrade } from './simulation-client.ts';
import { type ServerOptions, simulationServer } from './simulation-server.ts';

const START = { action: 'start_simulation', scenario: 'model_drift', seed: 1, paused: true };
const KEY = createKey('philosophy', (size) => new Uint8Array(size));

/** A bystander, who must not notice anything. */
async function withBystander(options: ServerOptions = {}) {
  const server = await simulationServer(options);
  const client = await openClient(server.url);
  await client.ask(START);
  let tick = 0;
  const unhurt = async () => {
    tick += 1;
    expect(await client.ask({ action: 'step' })).toMatchObject({ type: 'simulation_update', tick });
  };
  return { ...server, unhurt };
}

/** What a raw client is closed with after it has sent this. */
async function closedAfter(port: number, ...parts: Buffer[]): Promise<number | null> {
  const client = await rawClient(port);
  for (const part of parts) client.socket.write(part);
  await client.closed;
  return closeCode(client.received());
}

describe('a connection is closed', () => {
  const long = frame(OPCODES.text, JSON.stringify({ action: 'x'.repeat(16 * 1024) }));
  const hugeHead = Buffer.concat([Buffer.from([0x81, 0xff, 0, 0, 0, 0, 0x06, 0x40, 0, 0]), Buffer.alloc(4)]);
  const inPieces = Buffer.concat([
    frame(OPCODES.text, 'a', { fin: false }),
    ...Array.from({ length: 100 }, () => frame(OPCODES.continuation, 'a', { fin: false })),
  ]);
  const inNothings = Buffer.concat([
    frame(OPCODES.text, '', { fin: false }),
    ...Array.from({ length: 100 }, () => frame(OPCODES.continuation, '', { fin: false })),
  ]);

  test.each([
    ['for a binary message', 1003, frame(OPCODES.binary, '{"action":"pause"}')],
    ['for text that is not UTF-8', 1007, frame(OPCODES.text, Buffer.from([0x22, 0xff, 0x22]))],
    ['for a message that is too long', 1009, long],
    ['for the head of a frame of 100 MB, before its bytes', 1009, hugeHead],
    ['for a message in too many fragments', 1008, inPieces],
    ['for fragments of nothing', 1008, inNothings],
    [
      'for fragments that together are too long',
      1009,
      Buffer.concat([
        frame(OPCODES.text, 'a'.repeat(10_000), { fin: false }),
        frame(OPCODES.continuation, 'a'.repeat(10_000)),
      ]),
    ],
    ['for a frame that is not masked', 1002, frame(OPCODES.text, '{}', { masked: false })],
    ['for an opcode that there is not', 1002, frame(3, 'a')],
    ['for a continuation of nothing', 1002, frame(OPCODES.continuation, 'a')],
    ['for a ping that is too long', 1002, frame(OPCODES.ping, 'a'.repeat(126))],
    [
      'for more messages than a second has',
      1008,
      Buffer.concat(Array.from({ length: 40 }, () => frame(OPCODES.text, '{}'))),
    ],
    [
      'for more pings than a second has',
      1008,
      Buffer.concat(Array.from({ length: 40 }, () => frame(OPCODES.ping, ''))),
    ],
  ] as const)('%s, with %i', async (_, code, bytes) => {
    const { port, unhurt } = await withBystander();
    expect(await closedAfter(port, bytes)).toBe(code);
    expect(CLOSE_CODES).toHaveProperty(String(code));
    await unhurt();
  });

  test('with a reason that can be read', async () => {
    const { url } = await simulationServer();
    const client = await openClient(url);
    client.socket.send(Buffer.from('{}'), { binary: true });
    const [code, reason] = await closed(client.socket);
    expect([code, String(reason)]).toEqual([1003, CLOSE_CODES[1003]]);
    expect((await client.next()).problem!.code).toBe('binary_message');
  });

  test('when nothing was asked for long and nothing runs', async () => {
    const { url } = await simulationServer({ limits: { idleMs: 50, heartbeatMs: 500 } });
    const client = await openClient(url);
    expect(await client.closed).toBe(4000);
  });

  test('not while its run goes on', async () => {
    // Both longer than what a loaded machine may take to start a run, or to answer a sign of life.
    const { url } = await simulationServer({ limits: { idleMs: 2000, heartbeatMs: 1200 } });
    const client = await openClient(url);
    await client.ask({ ...START, paused: false, pace_ms: 250 });
    for (let tick = 1; tick < 15; tick += 1) await client.next();
    expect((await client.next()).tick).toBe(15);
  });

  test('when it has been open for as long as one may be', async () => {
    const { url } = await simulationServer({ limits: { totalMs: 50, heartbeatMs: 500 } });
    const client = await openClient(url);
    client.say({ ...START, paused: false });
    expect(await client.closed).toBe(4001);
  });
});

describe('a client that is not there', () => {
  test('is cut off when it does not answer a sign of life', async () => {
    const { port, simulation } = await simulationServer({ limits: { heartbeatMs: 40 } });
    // Half open: the connection stands, and nobody answers.
    const client = await rawClient(port);
    await client.closed;
    await until(() => simulation.counts().connections === 0);
    expect(simulation.counts().dropped.silent).toBe(1);
  });

  test('stays as long as it answers', async () => {
    const { url, simulation } = await simulationServer({ limits: { heartbeatMs: 1000 } });
    const client = await openClient(url);
    let pings = 0;
    client.socket.on('ping', () => {
      pings += 1;
    });
    // The second one comes only after an answer to the first.
    await until(() => pings >= 2);
    expect(simulation.counts().dropped.silent).toBe(0);
  });

  test('may vanish in the middle of its handshake', async () => {
    const { port, unhurt, logged } = await withBystander();
    const client = await rawClient(port);
    client.socket.resetAndDestroy();
    await unhurt();
    expect(logged).toEqual([]);
  });
});

describe('a client that never reads', () => {
  test('is cut off before much is held for it', async () => {
    const dropBytes = 64 * 1024;
    const { port, simulation, unhurt } = await withBystander({
      limits: { burst: 1e6, dropBytes, connectionsPerClient: 10 },
    });
    const client = await rawClient(port);
    client.socket.pause();
    client.socket.write(frame(OPCODES.text, JSON.stringify(START)));
    const steps = Buffer.concat(Array.from({ length: 200 }, () => frame(OPCODES.text, '{"action":"reset"}')));
    while (simulation.counts().dropped.slow === 0) {
      client.socket.write(steps);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    await until(() => simulation.counts().connections === 1);
    await unhurt();
  });
});

describe('a client that has stopped reading', () => {
  test('is waited for, and cut off as slow where it does not go on', async () => {
    const limits = { burst: 1e6, dropBytes: 64e6, holdBytes: 0, stallMs: 10, heartbeatMs: 60_000 };
    const { port, simulation, unhurt } = await withBystander({ limits });
    const client = await rawClient(port);
    client.socket.pause();
    client.socket.write(frame(OPCODES.text, JSON.stringify({ ...START, paused: false, pace_ms: 250 })));
    // As many answers as fill what the kernel holds.
    const resets = Buffer.concat(
      Array.from({ length: 2000 }, () => frame(OPCODES.text, '{"action":"reset"}')),
    );
    client.socket.write(resets);
    await until(() => simulation.counts().dropped.slow === 1);
    expect(simulation.counts().dropped.silent).toBe(0);
    await unhurt();
  });
});

describe('a network that computes much', () => {
  const limits = { workPerSecond: 1e-6, workBurst: 1e-6, burst: 10 };

  test('waits for the answers to its next messages, and holds nobody else up', async () => {
    const { url } = await simulationServer({ limits });
    const [own, other] = [
      await openClient(url, { 'X-Forwarded-For': '203.0.113.1' }),
      await openClient(url, { 'X-Forwarded-For': '203.0.113.2' }),
    ];
    await own.ask(START);
    own.say({ action: 'step' });
    await other.ask(START);
    expect(own.told).toHaveLength(1);
  });

  test('is closed where it does not wait', async () => {
    const { url } = await simulationServer({ limits: { ...limits, messagesPerSecond: 1e6 } });
    const client = await openClient(url);
    await client.ask(START);
    for (let count = 0; count < 11; count += 1) {
      client.say({ action: 'step' });
      // A message more than fits, but never more at once than the rate allows.
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
    expect(await client.closed).toBe(1008);
    expect(client.told.map(({ problem }) => problem?.code)).toEqual([undefined, 'too_many_messages']);
  });
});

describe('a client that reads late', () => {
  test('is told what was told then, whatever others were told since', async () => {
    const limits = { burst: 1e6, dropBytes: 64e6, workBurst: 1e9, heartbeatMs: 3_600_000 };
    const { url, simulation } = await simulationServer({ limits });
    const [late, other] = [await openClient(url), await openClient(url)];
    // With an action, so that the runs are their own.
    const actions = [{ tick: 1, name: 'audit', parameters: {} }];
    await late.ask({ ...START, seed: 5, actions });
    await other.ask({ ...START, seed: 6, actions });
    late.socket.pause();
    // More than the kernel holds for a client that does not read.
    const rounds = 2000;
    for (let round = 0; round < rounds; round += 1)
      for (const client of [late, other]) {
        client.say({ action: 'run', pace_ms: 60_000 });
        client.say({ action: 'pause' });
      }
    await until(() => simulation.counts().received === 2 + 4 * rounds);
    late.socket.resume();
    const texts = new Set<string>();
    for (let count = 0; count < 2 * rounds; count += 1) {
      const { resume_token: _, ...update } = await late.next();
      texts.add(JSON.stringify(update));
    }
    const run = replay({ scenario: 'model_drift', seed: 5, actions });
    const session = { ...NEW_SESSION, run, pace: 60_000 };
    const expected = [true, false].map((isRunning) => JSON.stringify(updateOf({ ...session, isRunning })));
    expect([...texts]).toEqual(expected);
  });
});

describe('an upgrade is refused', () => {
  test.each([
    ['of a page of another site', 403, 'foreign_origin', { Origin: 'https://evil.example' }],
    ['of a page without an origin', 403, 'foreign_origin', { Origin: 'null' }],
    ['with a key that is none', 401, 'invalid_token', { Authorization: 'Bearer nothing' }],
    ['with a scheme that is unknown', 401, 'unknown_scheme', { Authorization: 'Basic YTpi' }],
  ])('%s', async (_, status, code, headers) => {
    const { url, simulation } = await simulationServer();
    const refused = await refusedUpgrade(url, headers);
    expect(refused.status).toBe(status);
    expect(refused.problem).toMatchObject({ status, code, instance: '/philosophy/simulation' });
    expect(refused.headers['content-type']).toBe('application/problem+json');
    expect(simulation.counts().refused).toEqual({ [code]: 1 });
  });

  test.each([
    ['of the service', 'https://data.example.org'],
    ['of a site that is listed', 'https://class.example.net'],
  ])('not for a page %s', async (_, origin) => {
    const { url } = await simulationServer({ origins: ['https://class.example.net'] });
    const client = await openClient(url, { Origin: origin });
    expect((await client.ask(START)).tick).toBe(0);
  });

  test('not for a page of the host that was asked', async () => {
    const { url, port } = await simulationServer();
    const client = await openClient(url, { Origin: `http://127.0.0.1:${port}` });
    expect((await client.ask(START)).tick).toBe(0);
  });

  test('with a parameter, and with a key among them', async () => {
    const { url } = await simulationServer();
    expect((await refusedUpgrade(`${url}?scenario=model_drift`)).problem.code).toBe('unknown_parameter');
    expect((await refusedUpgrade(`${url}?access_token=1`)).problem.code).toBe('key_in_query');
  });

  test('when as many connections are open as one network may have, and no longer', async () => {
    const { url, simulation } = await simulationServer({ limits: { connectionsPerClient: 2 } });
    const from = (address: string) => ({ 'X-Forwarded-For': address });
    const [first] = [
      await openClient(url, from('2001:db8:0:1::1')),
      await openClient(url, from('2001:db8:0:1::2')),
    ];
    const refused = await refusedUpgrade(url, from('2001:db8:0:1::3'));
    expect(refused).toMatchObject({ status: 503, problem: { code: 'too_many_connections' } });
    expect(refused.headers['retry-after']).toBe('30');
    await openClient(url, from('2001:db8:0:2::1'));
    first!.socket.close();
    await first!.closed;
    await until(() => simulation.counts().connections === 2);
    await openClient(url, from('2001:db8:0:1::3'));
  });

  test('when as many are open as there may be in all', async () => {
    const { url } = await simulationServer({ limits: { connections: 1 } });
    await openClient(url, { 'X-Forwarded-For': '203.0.113.1' });
    const refused = await refusedUpgrade(url, { 'X-Forwarded-For': '203.0.113.2' });
    expect(refused.problem.code).toBe('too_many_connections');
  });

  test.each([
    ['no key of its own', { 'Sec-WebSocket-Key': null }],
    ['another version', { 'Sec-WebSocket-Version': '12' }],
    ['the version of a draft', { 'Sec-WebSocket-Version': '8' }],
    ['several versions', { 'Sec-WebSocket-Version': '13, 8' }],
    ['no version', { 'Sec-WebSocket-Version': null }],
  ])('that has %s', async (_, replace) => {
    const { port } = await simulationServer();
    const answer = await askUpgrade(port, { replace });
    expect(answer).toMatch(/^HTTP\/1\.1 400 /);
    expect(answer).toContain('"code":"bad_handshake"');
    if ('Sec-WebSocket-Version' in replace) expect(answer).toContain('\r\nSec-WebSocket-Version: 13\r\n');
  });

  test('without a place for it being lost', async () => {
    const { port, url } = await simulationServer({ limits: { connectionsPerClient: 1 } });
    for (let attempt = 0; attempt < 3; attempt += 1)
      await askUpgrade(port, { replace: { 'Sec-WebSocket-Key': null } });
    expect((await (await openClient(url)).ask(START)).tick).toBe(0);
  });
});

describe('a request that is no upgrade to this', () => {
  test('as one over HTTP/1.0 is none, is answered as any other', async () => {
    const { port } = await simulationServer();
    expect(await askUpgrade(port, { version: '1.0' })).toMatch(/^HTTP\/1\.1 200 /);
  });

  test.each([
    ['/economy/supply', { upgrade: 'h2c' }],
    ['/economy/supply', { upgrade: 'websocket' }],
    ['/philosophy/simulation', { upgrade: 'h2c' }],
    ['/philosophy/simulation', {}],
  ])('like %s with %j is answered as any other', async (path, headers) => {
    expect(isSimulationUpgrade({ url: path, headers, httpVersion: '1.1' })).toBe(false);
    const { port } = await simulationServer();
    const connection = 'upgrade' in headers ? { connection: 'Upgrade' } : {};
    const asked = request({ port, path, headers: { ...headers, ...connection } }).end();
    const [response] = await once(asked, 'response');
    expect(response.statusCode).toBe(200);
    response.resume();
  });
});

function simulationKey(): KeyRecord {
  const key = { id: 'k_1', holder: 'h_1', tier: 'academic', areas: ['academics', 'philosophy'] };
  const times = { deliveredAt: 1, issuedAt: 1, expiresAt: Date.UTC(2030, 0), revokedAt: null };
  return { ...key, ...times, hash: hashKey(KEY) } as never;
}

describe.each([
  ['is revoked', { revokedAt: 1 }],
  ['expires', { expiresAt: 1 }],
])('a connection whose key %s', (_, end) => {
  const open = async (heartbeatMs: number) => {
    const key = simulationKey();
    const { url, simulation } = await simulationServer({ keys: [key], limits: { heartbeatMs } });
    const client = await openClient(url, { Authorization: `Bearer ${KEY}` });
    await client.ask({ ...START, paused: false });
    Object.assign(key, end);
    return { client, simulation };
  };

  test('starts nothing more', async () => {
    const { client, simulation } = await open(60_000);
    client.say(START);
    expect(await client.closed).toBe(4002);
    expect(simulation.counts().started).toBe(1);
  });

  test('ends with the next heartbeat, though its run goes on', async () => {
    const { client } = await open(500);
    expect(await client.closed).toBe(4002);
  });
});

test('a connection whose key cannot be checked starts nothing until it can be, and goes on', async () => {
  const store = { isThere: true };
  const keyByHash = async () => {
    if (store.isThere) return simulationKey();
    throw new CathedralError('keys_unreadable', { place: 'keys', expected: 'a key store', found: 'no file' });
  };
  const { url, logged } = await simulationServer({ services: { keys: { keyByHash } as never } });
  const headers = { Authorization: `Bearer ${KEY}` };
  const client = await openClient(url, headers);
  await client.ask(START);
  store.isThere = false;
  expect((await client.ask(START)).problem).toMatchObject({ status: 503 });
  expect(logged).toMatchObject([{ err: { code: 'keys_unreadable' } }]);
  const { status, headers: sent } = await refusedUpgrade(url, headers);
  expect([status, sent['retry-after']]).toEqual([503, '30']);
  store.isThere = true;
  expect((await client.ask(START)).type).toBe('simulation_update');
});

test('a key counts its starts for its holder, at least as many as its tier has requests', async () => {
  const taken: unknown[] = [];
  const take = async (asked: object, extra: unknown) => {
    taken.push({ ...asked, extra });
    return { allowed: true, limit: 1000, remaining: 999, resetSeconds: 60 };
  };
  const limits = { startsPerClient: 5 };
  const { url } = await simulationServer({
    limits,
    services: { limiter: { take } },
    keys: [simulationKey()],
  });
  const client = await openClient(url, { Authorization: `Bearer ${KEY}` });
  await client.ask(START);
  expect(taken).toMatchObject([{ tier: 'academic', subject: { holder: 'h_1' }, extra: { limit: 1000 } }]);
});
