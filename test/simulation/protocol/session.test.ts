import { describe, expect, test } from 'vitest';
import { MAX_ACTIONS } from '../../../src/simulation/levers.ts';
import { CLIENT_MESSAGES, PROTOCOL_LIMITS } from '../../../src/simulation/protocol/client-message.ts';
import { CLIENT_EXAMPLES } from '../../../src/simulation/protocol/examples.ts';
import { parseMessage } from '../../../src/simulation/protocol/parse-message.ts';
import { SERVER_MESSAGES } from '../../../src/simulation/protocol/server-message.ts';
import {
  elapse,
  NEW_SESSION,
  receive,
  type Session,
  updateOf,
} from '../../../src/simulation/protocol/session.ts';
import { SCENARIOS } from '../../../src/simulation/scenarios.ts';

const AT = { now: 1000, newSeed: () => 42 };
const tell = (session: Session, message: object, at = AT) =>
  receive(session, parseMessage(JSON.stringify(message)), at);
const started = (more: object = {}) =>
  tell(NEW_SESSION, { action: 'start_simulation', scenario: 'model_drift', ...more });

describe('a session', () => {
  test('advances by itself at its pace, a tick at a time', () => {
    const session = started();
    expect(elapse(session, 1999)).toBe(session);
    const first = elapse(session, 2000);
    expect(updateOf(first).tick).toBe(1);
    expect(first.due).toBe(3000);
  });

  test('that is late goes on from now instead of hurrying', () => {
    const late = elapse(started(), 60_000);
    expect(updateOf(late).tick).toBe(1);
    expect(late.due).toBe(60_000);
    expect(updateOf(elapse(late, 60_001)).tick).toBe(2);
  });
});

describe('what the service says', () => {
  test('fits the schemas that are published, in every scenario at every tick', () => {
    for (const { name } of SCENARIOS) {
      let session = tell(NEW_SESSION, {
        action: 'start_simulation',
        scenario: name,
        seed: 1,
        outlooks: true,
      });
      for (let now = 1000; session.due !== null; now += 1000) {
        session = elapse(session, now);
        SERVER_MESSAGES.simulation_update.parse(JSON.parse(JSON.stringify(updateOf(session))));
      }
    }
  });
});

describe('the examples that are shown to readers', () => {
  test('are a conversation that can be led, and have every message that there is', () => {
    let session = NEW_SESSION;
    for (const { message } of CLIENT_EXAMPLES) session = tell(session, message);
    expect(new Set(CLIENT_EXAMPLES.map(({ message: { action } }) => action))).toEqual(
      new Set(Object.keys(CLIENT_MESSAGES)),
    );
  });
});

describe('a message', () => {
  test('of the longest replay that is possible fits in the message size', () => {
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
