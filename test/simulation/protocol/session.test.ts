import { describe, expect, test } from 'vitest';
import { CLIENT_MESSAGES, type ClientMessage } from '../../../src/simulation/protocol/client-message.ts';
import { CONVERSATION, openExampleToken } from '../../../src/simulation/protocol/examples.ts';
import { PROTOCOL_LIMITS } from '../../../src/simulation/protocol/limits.ts';
import { parseMessage } from '../../../src/simulation/protocol/parse-message.ts';
import { errorMessage, type SimulationRefusal } from '../../../src/simulation/protocol/refusal.ts';
import { SERVER_MESSAGES, SimulationError } from '../../../src/simulation/protocol/server-message.ts';
import {
  elapse,
  messageOf,
  NEW_SESSION,
  type Reply,
  receive,
  type Session,
  type SimulationUpdate,
} from '../../../src/simulation/protocol/session.ts';
import { MAX_ACTIONS } from '../../../src/simulation/run.ts';
import { SCENARIOS } from '../../../src/simulation/scenarios.ts';

const AT = { now: 1000, newSeed: () => 42, openToken: openExampleToken };
const tell = (session: Session, message: object, at = AT) =>
  receive(session, parseMessage(JSON.stringify(message)), at);
const updateIn = (reply: Reply) => messageOf(reply) as SimulationUpdate;
const started = (more: object = {}) =>
  tell(NEW_SESSION, { action: 'start_simulation', scenario: 'model_drift', ...more });

describe('a session', () => {
  test('begins with the message of the specification, and picks a seed', () => {
    const reply = tell(NEW_SESSION, {
      action: 'start_simulation',
      scenario: 'cathedral_multiplier_proposal',
    });
    const update = updateIn(reply);
    expect(update).toMatchObject({
      type: 'simulation_update',
      scenario: 'cathedral_multiplier_proposal',
      seed: 42,
      tick: 0,
    });
    expect(update.sentinels).toHaveLength(10);
    expect(update.current_state).toMatchObject({ cycle: 'C-151', is_running: true, pace_ms: 1000 });
    expect(reply.session.due).toBe(2000);
  });

  test('advances by itself at its pace, a tick at a time', () => {
    const { session } = started();
    expect(elapse(session, 1999)).toEqual({ session, answer: null });
    const first = elapse(session, 2000);
    expect(updateIn(first).tick).toBe(1);
    expect(first.session.due).toBe(3000);
  });

  test('that is late goes on from now instead of hurrying', () => {
    const late = elapse(started().session, 60_000);
    expect(updateIn(late).tick).toBe(1);
    expect(late.session.due).toBe(60_000);
    expect(updateIn(elapse(late.session, 60_001)).tick).toBe(2);
  });

  test('stops by itself at the end', () => {
    const reply = tell(started().session, { action: 'step', ticks: 100 });
    const { session } = reply;
    expect(session).toMatchObject({ isRunning: false, due: null });
    expect(updateIn(reply).current_state).toMatchObject({ is_over: true, is_running: false });
    expect(elapse(session, 1e9).answer).toBeNull();
  });

  test('is paused, stepped and run on', () => {
    const paused = tell(started().session, { action: 'pause' });
    expect(elapse(paused.session, 1e9).answer).toBeNull();
    const stepped = tell(paused.session, { action: 'step', ticks: 3 });
    expect(updateIn(stepped)).toMatchObject({ tick: 3, current_state: { is_running: false } });
    const running = tell(stepped.session, { action: 'run', pace_ms: 500 });
    expect(running.session).toMatchObject({ isRunning: true, pace: 500, due: 1500 });
  });

  test('is reset to the same beginning', () => {
    const first = started({ seed: 7 });
    const acted = tell(tell(first.session, { action: 'step', ticks: 2 }).session, {
      action: 'take_action',
      name: 'audit',
    });
    expect(updateIn(acted).current_state.actions).toEqual([{ tick: 2, name: 'audit', parameters: {} }]);
    expect(updateIn(tell(acted.session, { action: 'reset' }))).toEqual(updateIn(first));
  });

  test('is resumed from what an update said', () => {
    const acted = tell(tell(started({ seed: 7 }).session, { action: 'step', ticks: 2 }).session, {
      action: 'take_action',
      name: 'isolate',
    });
    // An update has the notes since the one before, and a resumed session has none before.
    const later = tell(acted.session, { action: 'step', ticks: 3 });
    const left = updateIn(tell(later.session, { action: 'step' }));
    const { scenario, seed, tick, current_state } = left;
    const { actions } = current_state;
    const resumed = tell(NEW_SESSION, { action: 'start_simulation', scenario, seed, actions, tick });
    expect(updateIn(resumed)).toEqual(left);
  });

  test('has forecasts where it was asked for them', () => {
    const outlookOf = (outlooks: boolean) =>
      updateIn(tell(started({ outlooks }).session, { action: 'step' })).next_actions[0]!.outlook;
    expect(outlookOf(true)).toMatchObject({ tick: 8 });
    expect(outlookOf(false)).toBeNull();
  });

  test('says which action of a replay cannot be taken, and why', () => {
    const briefing = { tick: 1, name: 'brief_sentinel', parameters: { sentinel: 'X', virtue: 'justice' } };
    const actions = [{ tick: 1, name: 'audit', parameters: {} }, briefing];
    expect(() => started({ seed: 1, actions })).toThrow(
      /^actions\.1: sentinel: expected one of .* found "X"\.$/,
    );
  });

  test('is unchanged by a message that is refused', () => {
    const { session } = started();
    expect(() => tell(session, { action: 'take_action', name: 'nothing' })).toThrow();
    expect(updateIn(elapse(session, 2000)).tick).toBe(1);
  });

  test.each(['take_action', 'step', 'run', 'pause', 'reset'] as const)(
    'refuses %s before a start',
    (action) => {
      const message = { action, ...(action === 'take_action' ? { name: 'audit' } : {}) };
      expect(() => tell(NEW_SESSION, message)).toThrow(
        expect.objectContaining({ code: 'not_started' }) as SimulationRefusal,
      );
    },
  );

  test.each(['step', 'run', 'take_action'] as const)('refuses %s after the end', (action) => {
    const { session } = tell(started().session, { action: 'step', ticks: 100 });
    const message = { action, ...(action === 'take_action' ? { name: 'audit' } : {}) };
    expect(() => tell(session, message)).toThrow(
      expect.objectContaining({ code: 'simulation_over' }) as SimulationRefusal,
    );
  });
});

describe('what the service says', () => {
  test('fits the schemas that are published, in every scenario at every tick', () => {
    for (const { name } of SCENARIOS) {
      let reply = tell(NEW_SESSION, { action: 'start_simulation', scenario: name, seed: 1, outlooks: true });
      for (let now = 2000; reply.answer !== null; now += 1000) {
        SERVER_MESSAGES.simulation_update.parse(JSON.parse(JSON.stringify(messageOf(reply))));
        reply = elapse(reply.session, now);
      }
    }
  });

  test('lists the scenarios', () => {
    const list = messageOf(tell(NEW_SESSION, { action: 'list_scenarios' }));
    expect(SERVER_MESSAGES.scenario_list.parse(list).scenarios).toHaveLength(7);
  });
});

describe('the conversation that is shown to readers', () => {
  test('can be led, and has every message that there is', () => {
    let session = NEW_SESSION;
    for (const { action, message } of CONVERSATION) {
      expect(message).toMatchObject({ action });
      session = tell(session, message).session;
    }
    expect(new Set(CONVERSATION.map(({ action }) => action))).toEqual(new Set(Object.keys(CLIENT_MESSAGES)));
  });
});

describe('a message', () => {
  const codeOf = (text: string): string => {
    try {
      receive(started().session, parseMessage(text) as ClientMessage, AT);
      return 'followed';
    } catch (error) {
      const message = errorMessage(error);
      SimulationError.parse(message);
      return message!.problem.code;
    }
  };

  test.each([
    ['', 'malformed_message'],
    ['{', 'malformed_message'],
    ['\ud800', 'malformed_message'],
    ['null', 'malformed_message'],
    ['[]', 'malformed_message'],
    ['[{"action":"pause"}]', 'malformed_message'],
    ['"start_simulation"', 'malformed_message'],
    ['42', 'malformed_message'],
    ['{}', 'unknown_action'],
    ['{"action":1}', 'unknown_action'],
    ['{"action":"toString"}', 'unknown_action'],
    ['{"action":"__proto__"}', 'unknown_action'],
    ['{"action":"start"}', 'unknown_action'],
    ['{"action":"start_simulation"}', 'invalid_message'],
    ['{"action":"start_simulation","scenario":7}', 'invalid_message'],
    ['{"action":"start_simulation","scenario":"no_such"}', 'unknown_scenario'],
    ['{"action":"start_simulation","scenario":"constructor"}', 'unknown_scenario'],
    ['{"action":"start_simulation","scenario":"model_drift","seed":-1}', 'invalid_seed'],
    ['{"action":"start_simulation","scenario":"model_drift","seed":1.5}', 'invalid_seed'],
    ['{"action":"start_simulation","scenario":"model_drift","seed":"7"}', 'invalid_seed'],
    ['{"action":"start_simulation","scenario":"model_drift","seed":null}', 'invalid_seed'],
    ['{"action":"start_simulation","scenario":"model_drift","seed":4294967296}', 'invalid_seed'],
    ['{"action":"start_simulation","scenario":"model_drift","seed":1e400}', 'invalid_seed'],
    ['{"action":"start_simulation","scenario":"model_drift","sed":1}', 'invalid_message'],
    ['{"action":"start_simulation","scenario":"model_drift","pace_ms":1}', 'invalid_message'],
    ['{"action":"start_simulation","scenario":"model_drift","tick":35}', 'missing_seed'],
    ['{"action":"start_simulation","scenario":"model_drift","actions":[]}', 'missing_seed'],
    ['{"action":"start_simulation","scenario":"model_drift","seed":1,"tick":99}', 'invalid_actions'],
    [
      '{"action":"start_simulation","scenario":"model_drift","seed":1,"actions":[{"tick":99,"name":"audit"}]}',
      'invalid_actions',
    ],
    [
      '{"action":"start_simulation","scenario":"model_drift","seed":1,"actions":[{"tick":0,"name":"audit"}]}',
      'action_unavailable',
    ],
    ['{"action":"take_action"}', 'invalid_message'],
    ['{"action":"take_action","name":"audit"}', 'action_unavailable'],
    ['{"action":"take_action","name":"brief_sentinel","parameters":{"sentinel":"X"}}', 'invalid_parameters'],
    ['{"action":"take_action","name":"brief_sentinel","parameters":{"__proto__":1}}', 'malformed_message'],
    ['{"action":"take_action","name":"brief_sentinel","parameters":[]}', 'invalid_message'],
    ['{"action":"step","ticks":0}', 'invalid_message'],
    ['{"action":"step","ticks":1e9}', 'invalid_message'],
    ['{"action":"run","pace_ms":249}', 'invalid_message'],
    ['{"action":"pause","__proto__":{}}', 'malformed_message'],
    [`${'['.repeat(8000)}`, 'malformed_message'],
    [`${'['.repeat(8000)}${']'.repeat(8000)}`, 'malformed_message'],
    [`{"action":"pause","deep":${'['.repeat(7900)}${']'.repeat(7900)}}`, 'malformed_message'],
  ])('like %s is answered with %s', (text, code) => {
    expect(codeOf(text)).toBe(code);
  });

  test.each([
    ['a name', { ['k'.repeat(15_000)]: 1 }],
    ['names', Object.fromEntries(Array.from({ length: 1500 }, (_, place) => [`k${place}`, 1]))],
  ])('that have %s too long for an answer are told of in short', (_, members) => {
    const message = JSON.stringify({ action: 'pause', ...members });
    expect(() => parseMessage(message)).toThrow(
      /^the message: expected no members except action, id; found the member "k.{1,70}$/,
    );
  });

  test.each([
    [{ seed: -1 }, 'seed: expected a whole number from 0 to 4294967295, found -1.'],
    [{ scenario: 7 }, 'scenario: expected a name of at most 64 small letters and underscores, found 7.'],
    [
      { scenario: undefined },
      'scenario: expected a name of at most 64 small letters and underscores, found nothing.',
    ],
    [{ pace_ms: 1 }, 'pace_ms: expected a whole number from 250 to 60000, found 1.'],
    [{ paused: 'no' }, 'paused: expected true or false, found "no".'],
    [{ id: [] }, 'id: expected a text of at most 64 characters or a whole number, found [].'],
    [
      { seed: 1, actions: [{ tick: 'a', name: 'b' }] },
      'actions.0.tick: expected a whole number from 0 to 10000, found "a".',
    ],
    [
      { seed: 1, actions: [{ tick: 1, name: 'b', parameters: { x: true } }] },
      'actions.0.parameters.x: expected a number or a text of at most 64 characters, found true.',
    ],
    [
      { seed: 1, actions: [{ tick: 1, name: 'b', parameters: { X: 1 } }] },
      'actions.0.parameters: expected a name of at most 64 small letters and underscores, found "X".',
    ],
  ])('with %j is refused with place, expected and found', (members, detail) => {
    const message = JSON.stringify({ action: 'start_simulation', scenario: 'model_drift', ...members });
    expect(() => parseMessage(message)).toThrow(expect.objectContaining({ message: detail }) as Error);
  });

  test.each(['a', 7, ''])('with the id %j gets it back, in an answer and in an error', (id) => {
    const ask = (message: object) => tell(started().session, { id, ...message });
    expect(messageOf(ask({ action: 'step' }))).toMatchObject({ tick: 1, reply_to: id });
    expect(messageOf(ask({ action: 'list_scenarios' }))).toMatchObject({ reply_to: id });
    expect(messageOf(elapse(ask({ action: 'step' }).session, 1e9))).not.toHaveProperty('reply_to');
    for (const message of [{ action: 'none' }, { action: 'pause', more: 1 }])
      try {
        ask(message);
        expect.unreachable();
      } catch (error) {
        expect(errorMessage(error)).toMatchObject({ type: 'simulation_error', reply_to: id });
      }
  });

  test('of the longest resume that is possible fits in the message size', () => {
    const action = {
      tick: 10_000,
      name: 'a'.repeat(24),
      parameters: { sentinel: 'DAEDALUS', virtue: 'temperance' },
    };
    const actions = Array.from({ length: MAX_ACTIONS }, () => action);
    const message = { action: 'start_simulation', scenario: 'a'.repeat(40), seed: 4_294_967_295, actions };
    expect(JSON.stringify(message).length).toBeLessThan(PROTOCOL_LIMITS.messageBytes);
  });
});
