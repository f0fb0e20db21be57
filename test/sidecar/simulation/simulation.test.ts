import { describe, expect, test } from 'vitest';
import { SETTINGS } from '../../../pipeline/config/settings.ts';
import { replay } from '../../../src/simulation/run.ts';
import { show } from '../../../src/simulation/view.ts';
import { until } from '../live/until.ts';
import { openClient, refusedUpgrade } from './simulation-client.ts';
import { simulationServer } from './simulation-server.ts';

const START = { action: 'start_simulation', scenario: 'cathedral_multiplier_proposal' };
const PAUSED = { ...START, seed: 1, paused: true, outlooks: true };

describe('a client that knows the specification alone', () => {
  test('gets a simulation that goes on by itself', async () => {
    const { url } = await simulationServer();
    // The platform’s own WebSocket, not the library that the service is built on.
    const socket = new WebSocket(url);
    const updates: Record<string, unknown>[] = [];
    const three = new Promise<void>((resolve) => {
      socket.onopen = () =>
        socket.send('{"action":"start_simulation","scenario":"cathedral_multiplier_proposal"}');
      socket.onmessage = ({ data }) => {
        updates.push(JSON.parse(String(data)) as Record<string, unknown>);
        if (updates.length === 3) resolve();
      };
    });
    await three;
    socket.close();
    for (const { type, scenario, sentinels, current_state, next_actions } of updates) {
      expect(type).toBe('simulation_update');
      expect(scenario).toBe('cathedral_multiplier_proposal');
      expect(sentinels).toBeInstanceOf(Array);
      expect(current_state).toBeTypeOf('object');
      expect(next_actions).toBeInstanceOf(Array);
    }
    expect(updates.map(({ tick }) => tick)).toEqual([0, 1, 2]);
  });
});

describe('a connection', () => {
  test('plays a run that anybody can replay from what it was told', async () => {
    const { url } = await simulationServer();
    const client = await openClient(url);
    await client.ask(PAUSED);
    await client.ask({ action: 'step' });
    await client.ask({ action: 'take_action', name: 'phase_in' });
    const end = await client.ask({ action: 'step', ticks: 100 });
    const { actions, is_running, pace_ms, ...state } = end.current_state as Record<string, unknown> & {
      actions: [];
    };
    const own = show(
      replay({ scenario: 'cathedral_multiplier_proposal', seed: 1, actions, tick: end.tick! }),
    );
    // The last update is of a whole step, and has all that happened since.
    const { happened, ...told } = JSON.parse(JSON.stringify(own.current_state));
    expect({ ...state, actions }).toMatchObject(told);
    const since = (state.happened as typeof happened).filter(
      ({ tick }: { tick: number }) => tick === end.tick,
    );
    expect(since).toEqual(happened);
    expect(
      new Set((state.happened as typeof happened).map(({ tick }: { tick: number }) => tick)).size,
    ).toBeGreaterThan(1);
    expect({ is_running, pace_ms }).toEqual({ is_running: false, pace_ms: 1000 });
    expect(end.sentinels).toEqual(JSON.parse(JSON.stringify(own.sentinels)));
  });

  test('is kept where a message is wrong, and its run goes on', async () => {
    const { url } = await simulationServer();
    const client = await openClient(url);
    await client.ask(PAUSED);
    for (const [message, code] of [
      ['not json', 'malformed_message'],
      ['[]', 'malformed_message'],
      [{ action: 'dance' }, 'unknown_action'],
      [{ ...START, scenario: 'no_such' }, 'unknown_scenario'],
      [{ action: 'take_action', name: 'lock_rewards' }, 'action_unavailable'],
      [{ action: 'step', ticks: -1 }, 'invalid_message'],
    ] as const) {
      const { type, problem } = await client.ask(message);
      expect(type).toBe('simulation_error');
      expect(problem).toMatchObject({ code, type: `/philosophy/simulation/protocol/#${code}` });
    }
    expect(await client.ask({ action: 'step' })).toMatchObject({ type: 'simulation_update', tick: 1 });
  });

  test('answers messages in their order, those behind a start too', async () => {
    const { url } = await simulationServer();
    const client = await openClient(url);
    client.say(PAUSED);
    client.say({ action: 'step' });
    client.say({ action: 'step', ticks: 2 });
    expect([await client.next(), await client.next(), await client.next()].map(({ tick }) => tick)).toEqual([
      0, 1, 3,
    ]);
  });

  test('picks a seed and says which', async () => {
    const { url } = await simulationServer();
    const client = await openClient(url);
    expect((await client.ask(START)).seed).toBe(5);
  });

  test('is told when the service goes down', async () => {
    const { url, simulation } = await simulationServer();
    const client = await openClient(url);
    await simulation.close();
    expect(await client.closed).toBe(1001);
    expect((await refusedUpgrade(url)).problem.code).toBe('too_many_connections');
  });
});

describe('the limit of starts', () => {
  test('counts each start, and nothing else', async () => {
    const taken: unknown[] = [];
    const take = async (request: object, extra: unknown) => {
      taken.push({ ...request, extra });
      return { allowed: taken.length <= 2, limit: 2, remaining: 0, resetSeconds: 60 };
    };
    const { url, simulation } = await simulationServer({ services: { limiter: { take } } });
    const client = await openClient(url, { 'X-Forwarded-For': '203.0.113.9' });
    await client.ask({ action: 'list_scenarios' });
    await client.ask(PAUSED);
    await client.ask({ action: 'step' });
    await client.ask({ action: 'reset' });
    await client.ask({ ...PAUSED, scenario: 'no_such' });
    await client.ask(PAUSED);
    await client.ask({ action: 'step', ticks: 2 });
    const { problem } = await client.ask(PAUSED);
    expect(problem).toMatchObject({
      code: 'rate_limited',
      status: 429,
      detail: 'The 2000 starts of this day for this network are used up; the next day begins at 00:00 UTC.',
    });
    expect(taken).toHaveLength(3);
    expect(taken[0]).toMatchObject({
      area: 'philosophy',
      tier: 'anonymous',
      subject: { address: '203.0.113.9' },
      extra: { name: 'simulation', limit: 2000 },
    });
    // What ran before the refused start goes on.
    expect(await client.ask({ action: 'step' })).toMatchObject({ tick: 3 });
    expect(simulation.counts()).toMatchObject({
      started: 2,
      errors: { rate_limited: 1, unknown_scenario: 1 },
    });
  });

  test('suffices for forty people behind one address in two lessons, over connections', async () => {
    const limits = { burst: 1000, startsPerClient: Number(SETTINGS.simulationStartsPerClient.default) };
    const { url } = await simulationServer({ limits });
    const people = await Promise.all(Array.from({ length: 40 }, () => openClient(url)));
    for (let start = 0; start < 2 * 25; start += 1)
      for (const told of await Promise.all(people.map((one) => one.ask(PAUSED))))
        expect(told.type).toBe('simulation_update');
    expect((await people[0]!.ask(PAUSED)).problem!.code).toBe('rate_limited');
  });

  test('that cannot be counted starts nothing, and is in the log', async () => {
    const take = () => Promise.reject(new Error('the disk is full'));
    const { url, logged } = await simulationServer({ services: { limiter: { take } } });
    const client = await openClient(url);
    expect((await client.ask(PAUSED)).problem).toMatchObject({ code: 'request_not_counted', status: 503 });
    expect((await client.ask({ action: 'step' })).problem!.code).toBe('not_started');
    expect(logged).toHaveLength(1);
  });
});

describe('counts', () => {
  test('say what is going on', async () => {
    const { url, simulation } = await simulationServer();
    const client = await openClient(url);
    await client.ask(START);
    expect(simulation.counts()).toMatchObject({
      connections: 1,
      running: 1,
      opened: 1,
      started: 1,
      received: 1,
    });
    client.socket.close(1000);
    await until(() => simulation.counts().connections === 0);
    expect(simulation.counts()).toMatchObject({ running: 0, closed: { 1000: 1 } });
  });
});
