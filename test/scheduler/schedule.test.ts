import { describe, expect, test } from 'vitest';
import {
  isBehind,
  nextRun,
  RETRY_MS,
  type RunResult,
  schedule,
  sleepUntil,
} from '../../src/scheduler/schedule.ts';

const MINUTE = 60_000;
const at = (time: string) => Date.parse(`2025-12-01T${time}Z`);

/** The run after one that took no time. */
const nextAfter = (now: number, retries: number) =>
  nextRun({ startedAt: now, endedAt: now, delayMs: MINUTE, retries });

describe('the next run', () => {
  test.each([
    ['05:59:59', '06:01:00'],
    ['06:00:00', '06:01:00'],
    ['06:00:59', '06:01:00'],
    ['06:01:00', '12:01:00'],
    ['11:30:00', '12:01:00'],
    ['18:01:00', '24:01:00'],
  ])('at %s is at %s, one minute after the slot', (now, expected) => {
    const midnight = at('00:00:00');
    const [hours, minutes] = expected.split(':').map(Number);
    expect(nextAfter(at(now), 0)).toBe(midnight + (hours! * 60 + minutes!) * MINUTE);
  });

  test('after a failure comes sooner, with longer waits the longer it fails', () => {
    const waits = [1, 2, 3, 4, 5, 6, 7, 100].map(
      (retries) => nextAfter(at('06:02:00'), retries) - at('06:02:00'),
    );
    expect(waits).toEqual([...RETRY_MS, RETRY_MS.at(-1), RETRY_MS.at(-1)]);
    expect(waits).toEqual([...waits].sort((a, b) => a - b));
  });

  test('after a failure is never later than that of the next slot', () => {
    expect(nextAfter(at('11:50:00'), 9)).toBe(at('12:01:00'));
  });
});

describe('the run after the clock was set back', () => {
  test('belongs to the slot of the new time', () => {
    const [startedAt, endedAt] = [at('12:01:00') + 24 * 60 * MINUTE, at('12:02:00')];
    expect(nextRun({ startedAt, endedAt, delayMs: MINUTE, retries: 0 })).toBe(at('18:01:00'));
  });
});

describe('a ledger', () => {
  test('is behind if it lacks the ledger snapshot that is due', () => {
    expect(isBehind('2025-12-01T00Z', at('06:00:30'), MINUTE)).toBe(false);
    expect(isBehind('2025-12-01T00Z', at('06:01:00'), MINUTE)).toBe(true);
    expect(isBehind('2025-12-01T06Z', at('06:01:00'), MINUTE)).toBe(false);
    expect(isBehind('2025-11-30T18Z', at('00:30:00'), MINUTE)).toBe(true);
  });
});

/** Runs the scheduler on a simulated clock until its results are used up. Returns what happened, in order. */
async function simulate(start: number, results: RunResult[], runMs = 0): Promise<string[]> {
  const happened: string[] = [];
  const controller = new AbortController();
  let clock = start;
  const time = (ms: number) => new Date(ms).toISOString().slice(11, 16);
  await schedule({
    run: async () => {
      happened.push(`run ${time(clock)}`);
      clock += runMs;
      const result = results.shift()!;
      if (results.length === 0) controller.abort();
      return result;
    },
    announce: async (result, next) => {
      happened.push(`${result}, next ${time(next)}`);
    },
    now: () => clock,
    sleepUntil: async (until) => {
      clock = Math.max(clock, until);
    },
    delayMs: MINUTE,
    signal: controller.signal,
  });
  return happened;
}

describe('the scheduler', () => {
  test('runs immediately, and then in each slot', async () => {
    expect(await simulate(at('03:33:00'), ['current', 'current', 'current'])).toEqual(
      'run 03:33; current, next 06:01; run 06:01; current, next 12:01; run 12:01'.split('; '),
    );
  });

  test('retries after a failure or a late ledger snapshot, and starts counting again after a success', async () => {
    expect(await simulate(at('06:01:00'), ['failed', 'behind', 'current', 'failed', 'current'])).toEqual([
      ...'run 06:01; failed, next 06:02; run 06:02; behind, next 06:04; run 06:04'.split('; '),
      ...'current, next 12:01; run 12:01; failed, next 12:02; run 12:02'.split('; '),
    ]);
  });

  test('never runs twice at once: a run that takes longer than its slot is followed by one that catches up', async () => {
    const ran = await simulate(at('06:01:00'), ['current', 'current'], 7 * 60 * MINUTE);
    expect(ran).toEqual(['run 06:01', 'current, next 12:01', 'run 13:01']);
  });
});

const HOUR = 60 * MINUTE;
const NEVER = new AbortController().signal;

/** How long the sleep took by a true clock, on a simulated one; `jumps`: by how much that is set at the n-th wait. */
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

  test('ends soon after its time if the machine slept meanwhile', async () => {
    expect(await slept(6 * HOUR, { 3: 8 * HOUR })).toBe(2 * MINUTE);
  });

  test('ends immediately if the clock is set back, because its time came from a wrong clock', async () => {
    expect(await slept(6 * HOUR, { 3: -24 * HOUR })).toBe(2 * MINUTE);
  });

  test('does not start if it was aborted before', async () => {
    expect(await slept(6 * HOUR, {}, AbortSignal.abort())).toBe(0);
  });
});
