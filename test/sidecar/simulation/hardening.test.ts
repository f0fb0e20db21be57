import { describe, expect, onTestFinished, test } from 'vitest';
import { CathedralError } from '../../../pipeline/errors.ts';
import type { KeyRecord } from '../../../src/sidecar/keys/key-store.ts';
import { createKey, hashKey } from '../../../src/sidecar/keys/key-text-and-hash.ts';
import { NEW_SESSION, updateOf } from '../../../src/simulation/protocol/session.ts';
import { replay } from '../../../src/simulation/run.ts';
import { until } from '../live/until.ts';
import { askUpgrade, frame, OPCODES, rawClient } from './raw-client.ts';
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

describe('a client that is not there', () => {
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
    const { port, simulation, counted, unhurt } = await withBystander({
      limits: { burst: 1e6, dropBytes, connectionsPerClient: 10 },
    });
    const client = await rawClient(port);
    client.socket.pause();
    client.socket.write(frame(OPCODES.text, JSON.stringify(START)));
    const steps = Buffer.concat(Array.from({ length: 200 }, () => frame(OPCODES.text, '{"action":"reset"}')));
    while ((await counted('dropped', { reason: 'slow' })) === 0) {
      client.socket.write(steps);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    await until(() => simulation.state().connections === 1);
    await unhurt();
  });
});

describe('a network that computes much', () => {
  const limits = { workPerSecond: 1e-2, workBurst: 1e-2, burst: 10 };

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
});

describe('a server that was held up for longer than a tick', () => {
  test('catches up, without a warning of Node in its log', async () => {
    const warnings: Error[] = [];
    const note = (warning: Error) => warnings.push(warning);
    process.on('warning', note);
    onTestFinished(() => void process.off('warning', note));
    const { url } = await simulationServer();
    const client = await openClient(url);
    await client.ask({ ...START, paused: false, pace_ms: 250 });
    const until = performance.now() + 1000;
    while (performance.now() < until);
    for (let tick = 1; tick <= 4; tick += 1) expect(await client.next()).toMatchObject({ tick });
    expect(warnings).toEqual([]);
  });
});

describe('a client that reads late', () => {
  test('is told what was told then, whatever others were told since', async () => {
    const limits = { burst: 1e6, dropBytes: 64e6, workBurst: 1e9, heartbeatMs: 3_600_000 };
    const { url, counted } = await simulationServer({ limits });
    const [late, other] = [await openClient(url), await openClient(url)];
    // With an action, so that the runs are their own.
    const actions = [{ tick: 1, name: 'audit', parameters: {} }];
    await late.ask({ ...START, seed: 5, actions });
    await other.ask({ ...START, seed: 6, actions });
    late.socket.pause();
    // More than the kernel holds for a client that does not read.
    const rounds = 400;
    for (let round = 0; round < rounds; round += 1)
      for (const client of [late, other]) {
        client.say({ action: 'run', pace_ms: 60_000 });
        client.say({ action: 'pause' });
      }
    const received = () => counted('messages', { direction: 'received' });
    await until(async () => (await received()) === 2 + 4 * rounds);
    late.socket.resume();
    const texts = new Set<string>();
    for (let count = 0; count < 2 * rounds; count += 1) {
      texts.add(JSON.stringify(await late.next()));
    }
    const run = replay({ scenario: 'model_drift', seed: 5, actions });
    const session = { ...NEW_SESSION, run, pace: 60_000 };
    const expected = [true, false].map((isRunning) =>
      JSON.stringify(updateOf({ ...session, due: isRunning ? 60_000 : null })),
    );
    expect([...texts]).toEqual(expected);
  });
});

describe('a request that is no upgrade to this', () => {
  test('as one over HTTP/1.0 is none, is answered as any other', async () => {
    const { port } = await simulationServer();
    expect(await askUpgrade(port, { version: '1.0' })).toMatch(/^HTTP\/1\.1 200 /);
  });
});

function simulationKey(): KeyRecord {
  const key = { id: 'k_1', holder: 'h_1', tier: 'academic', areas: ['academics', 'philosophy'] };
  const times = { delivered_at: 1, issued_at: 1, expires_at: Date.UTC(2030, 0), revoked_at: null };
  return { ...key, ...times, hash: hashKey(KEY) } as never;
}

describe('a connection whose key has ended', () => {
  const open = async (end: Partial<KeyRecord>, heartbeatMs: number) => {
    const key = simulationKey();
    const { url, counted } = await simulationServer({ keys: [key], limits: { heartbeatMs } });
    const client = await openClient(url, { Authorization: `Bearer ${KEY}` });
    await client.ask({ ...START, paused: false });
    Object.assign(key, end);
    return { client, counted };
  };

  test('starts nothing more', async () => {
    const { client, counted } = await open({ revoked_at: 1 }, 60_000);
    client.say(START);
    expect(await client.closed).toBe(4002);
    expect(await counted('started')).toBe(1);
  });

  test('ends with the next heartbeat, though its run goes on', async () => {
    const { client } = await open({ expires_at: 1 }, 500);
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
