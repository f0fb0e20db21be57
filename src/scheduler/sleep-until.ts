import { setTimeout as sleep } from 'node:timers/promises';

/** A long sleep is many short ones: a timer does not see that the machine was asleep, or that its clock was set. */
const STEP_MS = 30_000;

/** A clock that can be waited on; `wait` resolves after `ms` or as soon as `signal` aborts. */
export interface Clock {
  now: () => number;
  wait: (ms: number, signal: AbortSignal) => Promise<void>;
}

const CLOCK: Clock = {
  now: Date.now,
  wait: (ms, signal) => sleep(ms, undefined, { signal }).catch(() => {}),
};

/**
 * Resolves at `time`, Unix ms, or as soon as `signal` aborts; or when the clock is set back, for then `time` was reckoned
 * by a clock that was wrong, and may be days away.
 */
export async function sleepUntil(time: number, signal: AbortSignal, { now, wait } = CLOCK): Promise<void> {
  let before = now();
  while (before < time && !signal.aborted) {
    await wait(Math.min(time - before, STEP_MS), signal);
    if (now() < before) return;
    before = now();
  }
}
