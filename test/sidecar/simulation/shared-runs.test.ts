import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { SharedRuns } from '../../../src/sidecar/simulation/shared-runs.ts';
import type { ClientMessage } from '../../../src/simulation/protocol/client-message.ts';
import {
  elapse,
  messageOf,
  NEW_SESSION,
  type Reply,
  type RunFactory,
  receive,
} from '../../../src/simulation/protocol/session.ts';
import { SCENARIOS } from '../../../src/simulation/scenarios.ts';

const START = { action: 'start_simulation', scenario: 'model_drift', seed: 3 } as const;
const at = (runs?: RunFactory) => ({ now: 0, newSeed: () => 1, ...(runs && { runs }) });

/** What a client does, one thing after the other; null is a beat. */
const doings = fc.array(
  fc.constantFrom<ClientMessage | null>(
    null,
    { action: 'step', ticks: 1 },
    { action: 'step', ticks: 7 },
    { action: 'reset' },
    { action: 'pause' },
    { action: 'run' },
    { action: 'run', pace_ms: 500 },
    { action: 'take_action', name: 'call_vote', parameters: {} },
  ),
  { maxLength: 20 },
);

/** The texts that a client is sent; what is refused leaves all as it was. */
function play(doing: readonly (ClientMessage | null)[], start: ClientMessage, runs?: SharedRuns): string[] {
  let reply: Reply = receive(NEW_SESSION, start, at(runs));
  const texts: string[] = [];
  for (const [place, message] of [...doing, null].entries()) {
    texts.push(runs ? String(runs.write(reply.session)) : JSON.stringify(messageOf(reply)));
    try {
      const { session } = reply;
      const next = message ? receive(session, message, at(runs)) : elapse(session, 1e6 * (place + 1), runs);
      if (next.answer !== null) reply = next;
    } catch {
      // The same in both.
    }
  }
  return texts;
}

describe('runs that many watch', () => {
  test('are told in the same bytes as one of each’s own, whatever is done', () => {
    const runs = new SharedRuns();
    const starts = fc.record({
      action: fc.constant('start_simulation' as const),
      scenario: fc.constantFrom(...SCENARIOS.map(({ name }) => name)),
      seed: fc.integer({ min: 0, max: 3 }),
      outlooks: fc.boolean(),
    });
    fc.assert(
      fc.property(doings, starts, (doing, start) => {
        expect(play(doing, start, runs)).toEqual(play(doing, start));
      }),
      { numRuns: 15 },
    );
  });

  test('are left by who acts, and unchanged by it', () => {
    const runs = new SharedRuns();
    receive(NEW_SESSION, START, at(runs));
    const begun = receive(NEW_SESSION, START, at(runs)).session;
    const act = { action: 'take_action', name: 'call_vote', parameters: {} } as const;
    const own = elapse(receive(begun, act, at(runs)).session, 5000, runs).session;
    const others = elapse(begun, 5000, runs).session;
    expect(own.run!.actions).toHaveLength(1);
    expect(others.run!.actions).toHaveLength(0);
    expect(runs.write(own)).not.toBe(runs.write(own));
  });
});
