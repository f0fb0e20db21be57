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
import { stepRun } from '../../../src/simulation/run.ts';
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
      { numRuns: 60 },
    );
  });

  test('are made and written once, from the second who asks on', () => {
    const runs = new SharedRuns();
    const [first, ...rest] = [0, 1, 2].map(
      () => elapse(receive(NEW_SESSION, START, at(runs)).session, 5000, runs).session,
    );
    expect(rest[0]!.run).toBe(rest[1]!.run);
    expect(runs.write(rest[0]!)).toBe(runs.write(rest[1]!));
    expect(first!.run).not.toBe(rest[0]!.run);
    expect(String(runs.write(first!))).toBe(String(runs.write(rest[0]!)));
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

  test('are forgotten, the longest unasked first, when there are many', () => {
    const runs = new SharedRuns();
    const start = (seed: number) => [1, 2].map(() => runs.start('model_drift', seed))[1]!;
    const first = start(1);
    expect(runs.start('model_drift', 1)).toBe(first);
    for (let seed = 2; seed < 100; seed += 1) start(seed);
    expect(runs.start('model_drift', 1)).not.toBe(first);
    expect(runs.start('model_drift', 99)).toBe(runs.start('model_drift', 99));
    // Whoever watches what was forgotten has it alone: nobody can join.
    expect(runs.isShared(first)).toBe(false);
    expect(runs.isShared(runs.start('model_drift', 99))).toBe(true);
    expect(runs.step(first)).not.toBe(runs.step(first));
    expect(runs.step(first)).toEqual(stepRun(first));
  });

  test('are forgotten with all that follows: whoever is at the end keeps nothing of the way there', () => {
    const runs = new SharedRuns();
    const start = (seed: number) => [1, 2].map(() => runs.start('model_drift', seed))[1]!;
    const first = start(1);
    const later = runs.step(runs.step(first));
    expect([first, runs.step(first), later].map((run) => runs.isShared(run))).toEqual([true, true, true]);
    for (let seed = 2; seed < 100; seed += 1) start(seed);
    expect([first, later].map((run) => runs.isShared(run))).toEqual([false, false]);
  });
});
