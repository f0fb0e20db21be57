import { describe, expect, test } from 'vitest';
import { sleepUntil } from '../../src/scheduler/sleep-until.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const NEVER = new AbortController().signal;

/** A clock of its own; `jumps` says by how much it is set at the n-th wait. Gives how long the sleep took by a true clock. */
async function slept(time: number, jumps: Record<number, number> = {}, signal = NEVER): Promise<number> {
  let [clock, passed, waits] = [0, 0, 0];
  await sleepUntil(time, signal, {
    now: () => clock,
    wait: async (ms) => {
      passed += ms;
      clock += ms + (jumps[waits] ?? 0);
      waits += 1;
    },
  });
  return passed;
}

describe('a sleep', () => {
  test('ends at its time', async () => {
    expect(await slept(6 * HOUR)).toBe(6 * HOUR);
    expect(await slept(0)).toBe(0);
  });

  test('ends soon after its time where the machine was asleep meanwhile', async () => {
    expect(await slept(6 * HOUR, { 3: 8 * HOUR })).toBe(2 * MINUTE);
  });

  test('ends at once where the clock is set back: its time was reckoned by a wrong one', async () => {
    expect(await slept(6 * HOUR, { 3: -24 * HOUR })).toBe(2 * MINUTE);
  });

  test('does not begin where it is over before', async () => {
    expect(await slept(6 * HOUR, {}, AbortSignal.abort())).toBe(0);
  });
});
