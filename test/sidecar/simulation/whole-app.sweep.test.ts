import { once } from 'node:events';
import { request } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import { secondsToMidnight } from '../../../src/api/quotas.ts';
import { SIMULATION_LIMITS } from '../../../src/sidecar/simulation/simulation-options.ts';
import { RunningCli, runCli } from '../../contract/commands/seam.ts';
import { dataFile, publishTiny } from '../../release/publish-tiny.ts';
import { temporaryFolder } from '../../release/temporary-folder.ts';
import { until } from '../live/until.ts';
import { askUpgrade, closeCode, frame, OPCODES, rawClient } from './raw-client.ts';
import { openClient, refusedUpgrade } from './simulation-client.ts';

const START = { action: 'start_simulation', scenario: 'model_drift', seed: 1, paused: true };

/** The real binary over a release that has the page of the simulation, as far as a server can tell. */
async function served(env: Record<string, string> = {}) {
  const out = await temporaryFolder();
  const page = { kind: 'page', area: 'philosophy', mediaType: 'text/html; charset=utf-8' } as const;
  await publishTiny(out, {
    events: 5,
    async extra(staging) {
      await staging.write(dataFile('philosophy/virtues.json', '{}', { area: 'philosophy' }));
      await staging.write(dataFile('philosophy/simulation/index.html', '<title>Simulation</title>', page));
    },
  });
  const cli = new RunningCli(['serve', '--out', out, '--host', '127.0.0.1'], { PORT: '0', ...env });
  const [, url] = await cli.printed(/at (http:\/\/\S+)/);
  const port = Number(new URL(url!).port);
  return { cli, url: url!, port, ws: `ws://127.0.0.1:${port}/philosophy/simulation` };
}

/** The value of a metric of the service. */
async function metric(url: string, name: string): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text();
  return Number(
    text
      .split('\n')
      .find((line) => line.startsWith(`${name} `))
      ?.split(' ')
      .at(-1),
  );
}

/** What Linux says that the process holds, MiB. */
async function residentMiB(url: string): Promise<number> {
  return (await metric(url, 'process_resident_memory_bytes')) / 1024 / 1024;
}

describe('the simulation of the whole service', () => {
  test('is played by a client that knows the specification alone', async () => {
    const { ws } = await served();
    const socket = new WebSocket(ws);
    const updates: Record<string, unknown>[] = [];
    await new Promise<void>((resolve) => {
      socket.onopen = () =>
        socket.send('{"action":"start_simulation","scenario":"cathedral_multiplier_proposal"}');
      socket.onmessage = ({ data }) => {
        updates.push(JSON.parse(String(data)) as Record<string, unknown>);
        if (updates.length === 3) resolve();
      };
    });
    socket.close();
    for (const { type, scenario, sentinels, current_state, next_actions } of updates) {
      expect([type, scenario]).toEqual(['simulation_update', 'cathedral_multiplier_proposal']);
      for (const one of sentinels as Record<string, unknown>[])
        expect(Object.keys(one)).toEqual(
          expect.arrayContaining(['id', 'cathedral', 'position', 'reasoning', 'virtue_tags']),
        );
      expect(current_state).toBeTypeOf('object');
      expect(next_actions).toBeInstanceOf(Array);
    }
    expect(updates.map(({ tick }) => tick)).toEqual([0, 1, 2]);
  });

  test('has its page at the same address for whoever asks for no WebSocket', async () => {
    const { url, port } = await served();
    const moved = await fetch(`${url}/philosophy/simulation?seed=7`, { redirect: 'manual' });
    expect([moved.status, moved.headers.get('location')]).toEqual([308, '/philosophy/simulation/?seed=7']);
    expect(await (await fetch(`${url}/philosophy/simulation`)).text()).toContain('<title>Simulation');
    for (const path of ['/philosophy/simulation/', '/economy/supply'])
      for (const upgrade of ['websocket', 'h2c']) {
        const headers = { upgrade, connection: 'Upgrade' };
        const [answer] = await once(request({ port, path, headers }).end(), 'response');
        expect([path, upgrade, answer.statusCode]).toEqual([path, upgrade, 200]);
        answer.resume();
      }
  });

  test('counts starts apart from the requests of the area', async () => {
    // Not over midnight: the quota of the new day is a new one.
    const left = secondsToMidnight(Date.now());
    if (left < 60) await sleep(left * 1000);
    const { url, ws } = await served({ CATHEDRAL_SIMULATION_STARTS_PER_CLIENT: '2' });
    const client = await openClient(ws);
    await client.ask(START);
    await client.ask({ action: 'step' });
    await client.ask({ action: 'reset' });
    expect((await client.ask({ ...START, scenario: 'none' })).problem?.code).toBe('unknown_scenario');
    expect((await client.ask(START)).type).toBe('simulation_update');
    expect((await client.ask(START)).problem).toMatchObject({ code: 'rate_limited', status: 429 });
    // The one before goes on.
    expect(await client.ask({ action: 'step' })).toMatchObject({ type: 'simulation_update', tick: 1 });
    expect(await metric(url, 'cathedral_simulation_started_total')).toBe(2);
    expect(await metric(url, 'cathedral_simulation_errors_total{code="rate_limited"}')).toBe(1);
    for (let left = 100; left > 0; left -= 1) {
      const { status } = await fetch(`${url}/philosophy/virtues.json`);
      expect([left, status]).toEqual([left, 200]);
    }
    expect((await fetch(`${url}/philosophy/virtues.json`)).status).toBe(429);
  });

  test('lets in the pages of the service and of the sites that are listed, and no others', async () => {
    const { ws, port } = await served({
      CATHEDRAL_SIMULATION_ORIGINS: 'https://class.example.org, https://example.net:8443',
    });
    for (const origin of [
      `http://127.0.0.1:${port}`,
      'https://class.example.org',
      'https://example.net:8443',
    ])
      expect((await (await openClient(ws, { origin })).ask(START)).tick).toBe(0);
    expect(await refusedUpgrade(ws, { origin: 'https://example.net' })).toMatchObject({
      status: 403,
      problem: { code: 'foreign_origin' },
    });
  });

  test('accepts so many connections of one network, and no more', async () => {
    const { ws } = await served();
    await Promise.all(Array.from({ length: SIMULATION_LIMITS.connectionsPerClient }, () => openClient(ws)));
    expect(await refusedUpgrade(ws)).toMatchObject({
      status: 503,
      problem: { code: 'too_many_connections' },
    });
  });

  test('starts nothing more on a connection whose key was revoked by the command', async () => {
    const keys = { CATHEDRAL_KEYS: join(await temporaryFolder(), 'keys.sqlite') };
    const { ws } = await served(keys);
    const said = ['--name', 'A reader', '--affiliation', 'a university', '--purpose', 'a lesson'];
    const issued = await runCli(
      [
        ...['keys', 'issue', '--tier', 'institutional', '--email', 'reader@university.example', ...said],
        ...['--volume', '100', '--basis', 'a contract', '--deliver', 'print', '--json'],
      ],
      keys,
    );
    const { id, key } = JSON.parse(issued.stdout) as { id: string; key: string };
    const client = await openClient(ws, { authorization: `Bearer ${key}` });
    expect((await client.ask(START)).type).toBe('simulation_update');
    expect((await runCli(['keys', 'revoke', '--key-id', id, '--reason', 'a test'], keys)).status).toBe(0);
    client.say(START);
    expect(await client.closed).toBe(4002);
    expect(client.told).toHaveLength(1);
    expect((await refusedUpgrade(ws, { authorization: `Bearer ${key}` })).status).toBe(401);
  });

  test('says goodbye when the service ends, and holds nothing up', async () => {
    const { cli, ws } = await served();
    const client = await openClient(ws);
    await client.ask({ ...START, paused: false });
    const half = await rawClient(Number(new URL(ws).port));
    cli.child.kill('SIGTERM');
    expect(await client.closed).toBe(1001);
    expect(await cli.finished()).toMatchObject({ status: 0, signal: null });
    await half.closed;
  });
});

const MESSAGES = [
  ['malformed_message', 'hello'],
  ['malformed_message', ''],
  ['malformed_message', '[]'],
  ['malformed_message', 'null'],
  ['malformed_message', '7'],
  ['malformed_message', '{"action":"pause","__proto__":{}}'],
  ['unknown_action', '{}'],
  ['unknown_action', '{"action":"explode"}'],
  ['unknown_action', '{"action":"constructor"}'],
  ['not_started', '{"action":"step"}'],
  ['not_started', '{"action":"take_action","name":"phase_in"}'],
  ['unknown_scenario', '{"action":"start_simulation","scenario":"none"}'],
  ['unknown_scenario', '{"action":"start_simulation","scenario":"constructor"}'],
  ['invalid_message', '{"action":"start_simulation"}'],
  ['invalid_seed', '{"action":"start_simulation","scenario":"model_drift","seed":-1}'],
  ['invalid_message', '{"action":"start_simulation","scenario":"model_drift","extra":1}'],
  ['invalid_message', '{"action":"step","ticks":0}'],
  ['invalid_message', '{"action":"step","ticks":1e9}'],
  ['invalid_message', '{"action":"run","pace_ms":1}'],
  ['invalid_actions', '{"action":"start_simulation","scenario":"model_drift","seed":1,"tick":9999}'],
] as const;

const HANDSHAKES = [
  [403, 'foreign_origin', { Origin: 'https://evil.example' }],
  [400, 'bad_handshake', { Host: null }],
  [400, 'bad_handshake', { 'Sec-WebSocket-Key': null }],
  [400, 'bad_handshake', { 'Sec-WebSocket-Key': 'x' }],
  [400, 'bad_handshake', { 'Sec-WebSocket-Version': '99' }],
  [401, 'invalid_token', { Authorization: 'Bearer nothing' }],
] as const;

describe('bad input', () => {
  test('in messages is told of, and the connection is kept', async () => {
    const { ws } = await served();
    for (const [code, message] of MESSAGES) {
      const client = await openClient(ws);
      const { type, problem } = await client.ask(message);
      expect([message, type, problem?.code]).toEqual([message, 'simulation_error', code]);
      expect(await client.ask({ action: 'list_scenarios' })).toMatchObject({ type: 'scenario_list' });
      client.socket.close();
      await client.closed;
    }
  });

  test('in frames ends its own connection alone, and fills no memory', async () => {
    const { url, ws, port } = await served();
    const bystander = await openClient(ws);
    await bystander.ask(START);
    const hugeHead = Buffer.from([0x81, 0xff, 0, 0, 0, 0, 0x06, 0x40, 0, 0, 1, 2, 3, 4]);
    const nothing = frame(OPCODES.continuation, '', { fin: false });
    const million = Buffer.alloc(1_000_000 * nothing.length, nothing);
    const pieces = Buffer.concat([frame(OPCODES.text, '[', { fin: false }), million]);
    const floods = [
      [1009, hugeHead],
      [1008, pieces],
      [1003, frame(OPCODES.binary, '{}')],
      [1008, Buffer.concat(Array.from({ length: 1000 }, () => frame(OPCODES.ping, '')))],
    ] as const;
    const flood = (times: number) =>
      Promise.all(
        Array.from({ length: times }, () => floods)
          .flat()
          .map(async ([code, bytes]) => {
            const client = await rawClient(port);
            client.socket.write(bytes);
            await client.closed;
            expect(closeCode(client.received())).toBe(code);
          }),
      );
    // What the first ones take, they take once: code is compiled, and the heap grows to what it needs.
    await flood(3);
    const before = await residentMiB(url);
    await flood(10);
    expect(await bystander.ask({ action: 'step' })).toMatchObject({ tick: 1 });
    // The frames of each flood would take a gigabyte; what is read and dropped waits for the collector.
    expect((await residentMiB(url)) - before).toBeLessThan(128);
  });

  test('of clients that never read, or never finish to speak, is waited for without harm', async () => {
    const { url, ws, port } = await served({
      CATHEDRAL_REQUEST_TIMEOUT: '3',
    });
    const bystander = await openClient(ws);
    await bystander.ask(START);
    const halves = Array.from({ length: 20 }, () => connect(port, '127.0.0.1'));
    for (const socket of halves) {
      onTestFinished(() => void socket.destroy());
      socket.write('GET /philosophy/simulation HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\n');
    }
    const deaf = await Promise.all(Array.from({ length: 20 }, () => rawClient(port)));
    const fast = { ...START, paused: false, pace_ms: 250 };
    for (const { socket } of deaf) {
      socket.pause();
      socket.write(frame(OPCODES.text, JSON.stringify(fast)));
      for (let reset = 0; reset < 25; reset += 1) socket.write(frame(OPCODES.text, '{"action":"reset"}'));
    }
    await until(async () => (await metric(url, 'cathedral_simulation_running')) === 20);
    expect(await bystander.ask({ action: 'step' })).toMatchObject({ tick: 1 });
    const answers = await Promise.all(halves.map((socket) => text(socket)));
    for (const answer of answers) expect(answer).toMatch(/^HTTP\/1\.1 408 /);
    expect(await bystander.ask({ action: 'step' })).toMatchObject({ tick: 2 });
  });

  test('in a handshake gets a problem document as any other', async () => {
    const { port } = await served();
    for (const [status, code, replace] of HANDSHAKES) {
      const [head = '', body = ''] = (await askUpgrade(port, { replace })).split('\r\n\r\n');
      expect([code, head.slice(0, 12)]).toEqual([code, `HTTP/1.1 ${status}`]);
      expect(JSON.parse(body)).toMatchObject({ status, code, instance: '/philosophy/simulation' });
      expect(head).toContain('Content-Type: application/problem+json');
      expect(head).toContain("Content-Security-Policy: default-src 'none'");
      expect(head).toMatch(/^X-Request-Id: \S+\r$/m);
    }
  });
});
