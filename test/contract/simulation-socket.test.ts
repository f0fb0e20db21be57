import { expect, test } from 'vitest';
import { rowsOf } from '../rows-of.ts';
import {
  askUpgrade,
  closeCode,
  frame,
  OPCODES,
  openClient,
  rawClient,
  refusedUpgrade,
  type SimulationClient,
  simulationServer,
} from './simulation/seam.ts';

// What a program that opens a WebSocket at /philosophy/simulation may rely on: messages, refusals, closes and limits.

type Told = Awaited<ReturnType<SimulationClient['next']>>;

/** A message in one line. */
function inShort(told: Told): string {
  const reply = told.reply_to === undefined ? '' : ` to ${JSON.stringify(told.reply_to)}`;
  if (told.type === 'scenario_list') return `list of ${(told.scenarios as unknown[]).length}${reply}`;
  if (told.problem) {
    const { status, code, detail, type } = told.problem;
    const place = type === `/philosophy/simulation/protocol/#${code}` ? '' : ` ${type}`;
    return `${status} ${code}${reply}${place}: ${detail}`;
  }
  const { is_running, is_over, pace_ms } = told.current_state as Record<string, unknown>;
  const state = is_over ? 'over' : is_running ? `each ${pace_ms} ms` : 'paused';
  return `tick ${told.tick} of ${told.scenario} ${told.seed}, ${state}${reply}`;
}

const START = { action: 'start_simulation', scenario: 'model_drift', seed: 7, paused: true };

/** One connection: each message, and its answer. */
const STORY = rowsOf<[message: string, answer: string]>(`
{"action":"list_scenarios","id":1} | list of 7 to 1
{"action":"step"} | 409 not_started: Send start_simulation first; list_scenarios returns the available scenarios.
${JSON.stringify(START)} | tick 0 of model_drift 7, paused
{"action":"step","id":"a"} | tick 1 of model_drift 7, paused to "a"
{"action":"take_action","name":"audit","id":""} | tick 1 of model_drift 7, paused to ""
{"action":"take_action","name":"audit"} | 409 action_unavailable: name: expected one of call_vote, brief_sentinel; found "audit".
{"action":"take_action","name":"brief_sentinel","parameters":{"sentinel":"NOBODY"},"id":7} | 400 invalid_parameters to 7: parameters.sentinel: expected one of ATLAS, HERMES, ZEUS, AUREA, ZENITH, DAEDALUS, ECHO, URIEL, EVE, JADE; found "NOBODY".
{"action":"take_action","name":"brief_sentinel","parameters":{"slowly":1}} | 400 invalid_parameters: parameters: expected sentinel, virtue; found "slowly".
{"action":"take_action","name":"brief_sentinel","parameters":{"sentinel":"EVE","virtue":"justice"}} | tick 1 of model_drift 7, paused
{"action":"step","ticks":3} | tick 4 of model_drift 7, paused
{"action":"run","pace_ms":60000} | tick 4 of model_drift 7, each 60000 ms
{"action":"pause"} | tick 4 of model_drift 7, paused
{"action":"run"} | tick 4 of model_drift 7, each 60000 ms
{"action":"pause"} | tick 4 of model_drift 7, paused
{"action":"step","ticks":100} | tick 26 of model_drift 7, over
{"action":"step"} | 409 simulation_over: The simulation has come to its end.
{"action":"run"} | 409 simulation_over: The simulation has come to its end.
{"action":"take_action","name":"audit"} | 409 simulation_over: The simulation has come to its end.
{"action":"pause"} | tick 26 of model_drift 7, over
{"action":"reset"} | tick 0 of model_drift 7, paused
${JSON.stringify(START).slice(0, -1)},"actions":[{"tick":1,"name":"audit","parameters":{}}],"tick":3} | tick 3 of model_drift 7, paused
{"action":"start_simulation","scenario":"emergency_protocol_activation","seed":5,"paused":true} | tick 0 of emergency_protocol_activation 5, paused
{"action":"step"} | tick 1 of emergency_protocol_activation 5, paused
{"action":"take_action","name":"attach_sunset","parameters":{"cycles":2.5}} | 400 invalid_parameters: parameters.cycles: expected a whole number from 2 to 20, found 2.5.
{"action":"take_action","name":"attach_sunset","parameters":{"cycles":3}} | tick 1 of emergency_protocol_activation 5, paused
{"action":"start_simulation","scenario":"moral_dilemma","pace_ms":60000} | tick 0 of moral_dilemma 5, each 60000 ms`);

test('a conversation from the first message to the last', async () => {
  const { url, simulation, counted } = await simulationServer();
  const client = await openClient(url);
  const answers: [string, string][] = [];
  for (const [message] of STORY) answers.push([message, inShort(await client.ask(JSON.parse(message)))]);
  expect(answers).toEqual(STORY);
  expect(simulation.state()).toEqual({ connections: 1, running: 1 });
  expect(await counted('started')).toBe(4);
});

test('a run goes on by itself at its pace, with updates that answer nothing, and stops at its end', async () => {
  const { url } = await simulationServer();
  const client = await openClient(url);
  // From just before the end.
  await client.ask({ ...START, tick: 31, pace_ms: 250, paused: false, id: 1 });
  const told = [await client.next(), await client.next()];
  expect(told.map(inShort)).toEqual([
    'tick 32 of model_drift 7, each 250 ms',
    'tick 33 of model_drift 7, over',
  ]);
  expect(inShort(await client.ask({ action: 'list_scenarios' }))).toBe('list of 7');
});

test('a step of several ticks tells what happened in each of them', async () => {
  const { url } = await simulationServer();
  const [one, other] = [await openClient(url), await openClient(url)];
  const happened = ({ current_state }: Told) =>
    (current_state as { happened: { tick: number; text: string }[] }).happened;
  for (const client of [one, other]) await client.ask(START);
  const told: { tick: number; text: string }[] = [];
  for (let tick = 0; tick < 20; tick++) told.push(...happened(await one.ask({ action: 'step' })));
  expect(new Set(told.map(({ tick }) => tick)).size).toBeGreaterThan(2);
  expect(happened(await other.ask({ action: 'step', ticks: 20 }))).toEqual(told);
});

test('messages are answered in their order', async () => {
  const { url } = await simulationServer();
  const client = await openClient(url);
  for (const message of [START, { action: 'step' }, { action: 'dance' }, { action: 'step', ticks: 2 }])
    client.say(message);
  const told = [await client.next(), await client.next(), await client.next(), await client.next()];
  expect(told.map(({ tick, problem }) => tick ?? problem?.code)).toEqual([0, 1, 'unknown_action', 3]);
});

const DRIFT = '"action":"start_simulation","scenario":"model_drift"';

/** The text of a message, what it is refused with, and where it says more: the beginning of the detail. */
const REFUSED: readonly [text: string, code: string, ...detail: string[]][] = [
  ['', 'malformed_message'],
  ...rowsOf<[string, string, ...string[]]>(`
{ | malformed_message | the message, at character 1: expected a string, found the end.
{"action":"pause"} {} | malformed_message | the message, at character 19: expected the end, found "{}".
{"action":"step","ticks":1,"ticks":100} | malformed_message | the message, at character 27: expected each member once
{"action":"pause","id":"\\ud800"} | malformed_message
null | malformed_message | the message: expected an object, found null.
[] | malformed_message | the message: expected an object, found [].
[{"action":"pause"}] | malformed_message
"start_simulation" | malformed_message
42 | malformed_message
{"action":"pause","__proto__":{}} | malformed_message
{"action":"take_action","name":"brief_sentinel","parameters":{"__proto__":1}} | malformed_message
${'['.repeat(8000)} | malformed_message
{"action":"pause","deep":${'['.repeat(7900)}${']'.repeat(7900)}} | malformed_message
{} | unknown_action
{"action":1} | unknown_action
{"action":"toString"} | unknown_action
{"action":"__proto__"} | unknown_action
{"action":"start"} | unknown_action | action: expected one of start_simulation,
{"action":"start_simulation"} | invalid_message | scenario: expected a name of at most 64 small letters and underscores, found nothing.
{"action":"start_simulation","scenario":7} | invalid_message | scenario: expected a name of at most 64 small letters and underscores, found 7.
{"action":"start_simulation","scenario":"no_such"} | unknown_scenario
{"action":"start_simulation","scenario":"constructor"} | unknown_scenario
{${DRIFT},"seed":-1} | invalid_seed | seed: expected a whole number from 0 to 4294967295, found -1.
{${DRIFT},"seed":1.5} | invalid_seed | seed: expected a whole number from 0 to 4294967295, found 1.5.
{${DRIFT},"seed":"7"} | invalid_seed | seed: expected a whole number from 0 to 4294967295, found "7".
{${DRIFT},"seed":null} | invalid_seed
{${DRIFT},"seed":4294967296} | invalid_seed
{${DRIFT},"seed":1e400} | invalid_seed | seed: expected a whole number from 0 to 4294967295, found Infinity.
{${DRIFT},"sed":1} | invalid_message
{${DRIFT},"pace_ms":249} | invalid_message | pace_ms: expected a whole number from 250 to 60000, found 249.
{${DRIFT},"pace_ms":60001} | invalid_message
{${DRIFT},"paused":"no"} | invalid_message | paused: expected true or false, found "no".
{${DRIFT},"id":[]} | invalid_message | id: expected a text of at most 64 characters or a whole number, found [].
{${DRIFT},"id":"${'x'.repeat(65)}"} | invalid_message
{${DRIFT},"settings":{"quorum":7},"seed":1} | invalid_settings | settings.quorum: expected a number from 0.3 to 1, found 7.
{${DRIFT},"settings":{"courage":1},"seed":1} | invalid_settings | settings: expected no members except interest,
{${DRIFT},"tick":35} | missing_seed | seed: expected that of the run
{${DRIFT},"actions":[]} | missing_seed
{${DRIFT},"seed":1,"tick":99} | invalid_actions | tick: expected a tick from 0 to 46, found 99.
{${DRIFT},"seed":1,"actions":[{"tick":99,"name":"audit"}]} | invalid_actions | actions.0.tick: expected a tick from 0 to 46, found 99.
{${DRIFT},"seed":1,"actions":[{"tick":2,"name":"audit"},{"tick":1,"name":"call_vote"}]} | invalid_actions
{${DRIFT},"seed":1,"actions":[{"tick":0,"name":"audit"}]} | action_unavailable | actions.0.name: expected
{${DRIFT},"seed":1,"actions":[{"tick":"a","name":"b"}]} | invalid_message | actions.0.tick: expected a whole number from 0 to 10000, found "a".
{${DRIFT},"seed":1,"actions":[{"tick":1,"name":"b","parameters":{"x":true}}]} | invalid_parameters | actions.0.parameters.x: expected a number or a text of at most 64 characters, found true.
{"action":"take_action"} | invalid_message
{"action":"take_action","name":"audit","parameters":[]} | invalid_message
{"action":"take_action","name":"audit"} | not_started
{"action":"step","ticks":0} | invalid_message | ticks: expected a whole number from 1 to 100, found 0.
{"action":"step","ticks":101} | invalid_message
{"action":"step","ticks":1e9} | invalid_message
{"action":"run","pace_ms":249} | invalid_message
{"action":"run"} | not_started
{"action":"pause"} | not_started
{"action":"reset"} | not_started
{"action":"pause","${'k'.repeat(15_000)}":1} | invalid_message | the message: expected no members except action, id; found the member "k
{"action":"resume","token":"x"} | unknown_action`),
];

test('each message that is refused is told why, and the connection goes on', async () => {
  const { url, logged } = await simulationServer({ limits: { burst: 1e6 } });
  const client = await openClient(url);
  const answers: (readonly string[])[] = [];
  for (const [text, , detail] of REFUSED) {
    const { type, problem } = await client.ask(text);
    expect(type).toBe('simulation_error');
    expect(problem!.detail.length).toBeLessThan(500);
    answers.push([text, problem!.code, ...(detail ? [problem!.detail.slice(0, detail.length)] : [])]);
  }
  expect(answers).toEqual(REFUSED);
  expect(inShort(await client.ask(START))).toBe('tick 0 of model_drift 7, paused');
  expect(logged).toEqual([]);
});

const head = (length: number) =>
  Buffer.concat([
    Buffer.from([0x81, 0xff, 0, 0, 0, 0]),
    Buffer.from([length >>> 24, length >>> 16, length >>> 8, length]),
    Buffer.alloc(4),
  ]);
const pieces = (text: string) =>
  Buffer.concat([
    frame(OPCODES.text, text, { fin: false }),
    ...Array.from({ length: 100 }, () => frame(OPCODES.continuation, text, { fin: false })),
  ]);
const times = (count: number, bytes: Buffer) => Buffer.concat(Array.from({ length: count }, () => bytes));

/** Bytes after the handshake, and the code that the service closes with. */
const FRAMES: readonly (readonly [what: string, bytes: Buffer, code: number])[] = [
  ['a binary message', frame(OPCODES.binary, '{"action":"pause"}'), 1003],
  ['text that is not UTF-8', frame(OPCODES.text, Buffer.from([0x22, 0xff, 0x22])), 1007],
  [
    'a message that is too long',
    frame(OPCODES.text, JSON.stringify({ action: 'x'.repeat(16 * 1024) })),
    1009,
  ],
  ['the head of a frame of 100 MB, before its bytes', head(100_000_000), 1009],
  ['a message in too many fragments', pieces('a'), 1008],
  ['fragments of nothing', pieces(''), 1008],
  [
    'fragments that together are too long',
    Buffer.concat([
      frame(OPCODES.text, 'a'.repeat(10_000), { fin: false }),
      frame(OPCODES.continuation, 'a'.repeat(10_000)),
    ]),
    1009,
  ],
  ['a frame that is not masked', frame(OPCODES.text, '{}', { masked: false }), 1002],
  ['an opcode that there is not', frame(3, 'a'), 1002],
  ['a continuation of nothing', frame(OPCODES.continuation, 'a'), 1002],
  ['a ping that is too long', frame(OPCODES.ping, 'a'.repeat(126)), 1002],
  ['more messages than a second has', times(40, frame(OPCODES.text, '{}')), 1008],
  ['more pings than a second has', times(40, frame(OPCODES.ping, '')), 1008],
];

test('frames that no client sends close their own connection alone, each with its code', async () => {
  const { port, url, simulation } = await simulationServer();
  const bystander = await openClient(url);
  await bystander.ask(START);
  const closes = await Promise.all(
    FRAMES.map(async ([what, bytes]) => {
      const client = await rawClient(port);
      client.socket.write(bytes);
      await client.closed;
      return [what, bytes, closeCode(client.received())];
    }),
  );
  expect(closes).toEqual(FRAMES);
  expect(inShort(await bystander.ask({ action: 'step' }))).toBe('tick 1 of model_drift 7, paused');
  await expect.poll(() => simulation.state().connections).toBe(1);
});

/** Headers of a handshake, and how it is answered. */
const HANDSHAKES: readonly (readonly [replace: Record<string, string | null>, answer: string])[] = [
  [{}, '101'],
  [{ Origin: 'https://data.example.org' }, '101'],
  [{ Origin: 'https://class.example.net' }, '101'],
  // The host that was asked.
  [{ Origin: 'http://localhost' }, '101'],
  [{ Origin: 'https://evil.example' }, '403 foreign_origin'],
  [{ Origin: 'null' }, '403 foreign_origin'],
  [{ Authorization: 'Bearer nothing' }, '401 invalid_token'],
  [{ Authorization: 'Basic YTpi' }, '401 unknown_scheme'],
  [{ Host: null }, '400 bad_handshake'],
  // A proxy might use the other one.
  [{ Host: 'localhost\r\nHost: evil.example' }, '400 bad_handshake'],
  [{ 'Sec-WebSocket-Key': null }, '400 bad_handshake'],
  [{ 'Sec-WebSocket-Key': 'x' }, '400 bad_handshake'],
  [{ 'Sec-WebSocket-Version': '12' }, '400 bad_handshake, version 13'],
  [{ 'Sec-WebSocket-Version': '13, 8' }, '400 bad_handshake, version 13'],
  [{ 'Sec-WebSocket-Version': null }, '400 bad_handshake, version 13'],
  [{ Upgrade: 'h2c' }, '200'],
];

test('each handshake is accepted or refused as it says, and no place is lost', async () => {
  const { port } = await simulationServer({
    origins: ['https://class.example.net'],
    limits: { connectionsPerClient: 4 },
  });
  const answers: (readonly [object, string])[] = [];
  for (const [replace] of HANDSHAKES) {
    const text = await askUpgrade(port, { replace });
    const [, status = ''] = /^HTTP\/1\.1 (\d+)/.exec(text) ?? [];
    const [, code] = /"code":"(\w+)"/.exec(text) ?? [];
    const version = /\r\nSec-WebSocket-Version: (.+)\r\n/.exec(text)?.[1];
    answers.push([
      replace,
      [[status, code].filter(Boolean).join(' '), version && `version ${version}`].filter(Boolean).join(', '),
    ]);
    if (code) expect(text).toContain('\r\nContent-Type: application/problem+json\r\n');
  }
  expect(answers).toEqual(HANDSHAKES);
});

test('parameters in the address are refused, and a key among them as a key', async () => {
  const { url } = await simulationServer();
  const codes = await Promise.all(
    ['?scenario=model_drift', '?access_token=1'].map(
      async (query) => (await refusedUpgrade(url + query)).problem.code,
    ),
  );
  expect(codes).toEqual(['unknown_parameter', 'key_in_query']);
});

/** Everything but what differs between connections. */
function stateOf({ current_state, ...rest }: Told): unknown {
  const { is_running, pace_ms, ...state } = current_state as Record<string, unknown>;
  return { ...rest, state };
}

test('a run goes on at another server from its seed, settings and actions, as if nothing had happened', async () => {
  const [first, second] = [await simulationServer(), await simulationServer()];
  const before = await openClient(first.url);
  const settings = { quorum: 0.5 };
  await before.ask({ ...START, settings });
  await before.ask({ action: 'step' });
  await before.ask({ action: 'take_action', name: 'audit' });
  const last = await before.ask({ action: 'step' });
  await first.simulation.drain(0);
  expect(await before.closed).toBe(1001);
  const { actions } = last.current_state as Record<string, unknown>;
  const after = await openClient(second.url);
  const again = await after.ask({ ...START, settings, actions, tick: last.tick });
  expect(stateOf(again)).toEqual(stateOf(last));
  expect((await after.ask({ action: 'step' })).tick).toBe(3);
  // It counts as a start.
  expect(await second.counted('started')).toBe(1);
});

test('a network has so many connections, an IPv6 network as one', async () => {
  const { url, simulation } = await simulationServer({ limits: { connectionsPerClient: 2, connections: 3 } });
  const from = (address: string) => ({ 'X-Forwarded-For': address });
  const one = await openClient(url, from('2001:db8:0:1::1'));
  await openClient(url, from('2001:db8:0:1::2'));
  const refused = await refusedUpgrade(url, from('2001:db8:0:1::3'));
  expect([refused.status, refused.problem.code, refused.headers['retry-after']]).toEqual([
    503,
    'too_many_connections',
    '30',
  ]);
  await openClient(url, from('2001:db8:0:2::1'));
  expect((await refusedUpgrade(url, from('203.0.113.9'))).problem.code).toBe('too_many_connections');
  // A page can read only what comes over an open connection.
  const page = await openClient(url, { ...from('2001:db8:0:1::3'), Origin: 'https://data.example.org' });
  expect((await page.next()).problem!.code).toBe('too_many_connections');
  expect(await page.closed).toBe(1013);
  one.socket.close();
  await one.closed;
  await expect.poll(() => simulation.state().connections).toBe(2);
  await openClient(url, from('2001:db8:0:1::3'));
});

test('starts are counted, and nothing else; a refused one costs nothing, and what runs goes on', async () => {
  const taken: unknown[] = [];
  const take = async (request: object, extra: unknown) => {
    taken.push({ ...request, extra });
    return { allowed: taken.length <= 2, limit: 2, remaining: 0, resetSeconds: 60 };
  };
  const { url } = await simulationServer({ services: { limiter: { take } } });
  const client = await openClient(url, { 'X-Forwarded-For': '203.0.113.9' });
  const said = [
    { action: 'list_scenarios' },
    START,
    { action: 'step' },
    { action: 'reset' },
    { ...START, scenario: 'no_such' },
    START,
    { action: 'step', ticks: 2 },
    START,
    { action: 'step' },
  ];
  const answers: unknown[] = [];
  for (const message of said) {
    const { tick, problem } = await client.ask(message);
    answers.push(tick ?? problem?.code);
  }
  expect(answers).toEqual([undefined, 0, 1, 0, 'unknown_scenario', 0, 2, 'rate_limited', 3]);
  expect(taken).toHaveLength(3);
  expect(taken[0]).toMatchObject({
    area: 'philosophy',
    subject: { address: '203.0.113.9' },
    extra: { name: 'simulation', limit: 2000 },
  });
});

test('a start that cannot be counted starts nothing, and is in the log', async () => {
  const take = () => Promise.reject(new Error('the disk is full'));
  const { url, logged } = await simulationServer({ services: { limiter: { take } } });
  const client = await openClient(url);
  expect((await client.ask(START)).problem).toMatchObject({ code: 'request_not_counted', status: 503 });
  expect((await client.ask({ action: 'step' })).problem!.code).toBe('not_started');
  expect(logged).toHaveLength(1);
});

test('too many messages, faults of the service, silence and age close a connection, each with its code', async () => {
  const closes = await Promise.all(
    [
      { limits: { burst: 1, messagesPerSecond: 0.001 } },
      { services: { limiter: { take: async () => null as never } } },
      { limits: { idleMs: 50, heartbeatMs: 500 } },
      { limits: { totalMs: 50, heartbeatMs: 500 } },
    ].map(async (options) => {
      const client = await openClient((await simulationServer(options)).url);
      if (!('idleMs' in (options.limits ?? {}))) {
        client.say({ ...START, paused: false });
        client.say({ action: 'list_scenarios' });
      }
      const code = await client.closed;
      return [code, client.told.find(({ problem }) => problem)?.problem?.code];
    }),
  );
  expect(closes).toEqual([
    [1008, 'too_many_messages'],
    [1011, 'internal_error'],
    [4000, undefined],
    [4001, undefined],
  ]);
});
