import { setTimeout as sleep } from 'node:timers/promises';
import { SLOT_MS, slotId, slotTime } from '../../pipeline/ledger/events/slot.ts';

/**
 * The outcome of a run. `behind`: it succeeded, but the ledger has not sealed the ledger snapshot that is due. `incomplete`: the data are
 * published, and something else is missing.
 */
export type RunResult = 'current' | 'behind' | 'incomplete' | 'failed';

export interface Schedule {
  run: () => Promise<RunResult>;
  /** Called after each run with the time of the next one, Unix ms. */
  announce: (result: RunResult, next: number) => Promise<void>;
  now: () => number;
  /** Resolves at a time, Unix ms, or when `signal` aborts. */
  sleepUntil: (time: number, signal: AbortSignal) => Promise<void>;
  /** Between the hour of a slot and its run, ms. */
  delayMs: number;
  signal: AbortSignal;
}

/** Runs immediately, which catches up on missed slots, and then once per slot, one run at a time, until `signal` aborts. */
export async function schedule({ run, announce, now, sleepUntil, delayMs, signal }: Schedule): Promise<void> {
  let retries = 0;
  while (!signal.aborted) {
    const startedAt = now();
    const result = await run();
    if (signal.aborted) return;
    retries = result === 'current' ? 0 : retries + 1;
    const next = nextRun({ startedAt, endedAt: now(), delayMs, retries });
    await announce(result, next);
    await sleepUntil(next, signal);
  }
}

const MINUTE_MS = 60_000;

/** Waits before a retry, ms: short at first, because most faults pass, then longer, because some need a person. */
export const RETRY_MS = [1, 2, 5, 10, 30, 60].map((minutes) => minutes * MINUTE_MS);

export interface LastRun {
  /** Unix ms */
  startedAt: number;
  endedAt: number;
  delayMs: number;
  /** Consecutive runs, this one included, that did not bring the release that is due. */
  retries: number;
}

/**
 * Unix ms of the next run: `delayMs` after the hour of the next slot, or an earlier retry. The time has already passed where
 * the last run took longer than its slot.
 */
export function nextRun({ startedAt, endedAt, delayMs, retries }: LastRun): number {
  // If the clock was set back during the run, its start is a time of a wrong clock.
  const slot = slotTime(slotId(Math.min(startedAt, endedAt) - delayMs)) + SLOT_MS + delayMs;
  if (retries === 0) return slot;
  return Math.min(slot, endedAt + RETRY_MS[Math.min(retries, RETRY_MS.length) - 1]!);
}

/** Whether a ledger read up to `snapshot` lacks the one of the newest slot that ended at least `delayMs` ago. */
export function isBehind(snapshot: string, now: number, delayMs: number): boolean {
  return snapshot < slotId(now - delayMs);
}

/** A long sleep consists of short ones: a timer does not notice that the machine slept, or that its clock was set. */
const STEP_MS = 30_000;

/** A clock to wait on; `wait` resolves after `ms` or when `signal` aborts. */
interface Clock {
  now: () => number;
  wait: (ms: number, signal: AbortSignal) => Promise<void>;
}

const CLOCK: Clock = {
  now: Date.now,
  wait: (ms, signal) => sleep(ms, undefined, { signal }).catch(() => {}),
};

/**
 * Resolves at `time`, Unix ms, or when `signal` aborts. Also when the clock is set back: `time` was computed from a wrong
 * clock then, and may be days away.
 */
export async function sleepUntil(time: number, signal: AbortSignal, { now, wait } = CLOCK): Promise<void> {
  let previous = now();
  while (previous < time && !signal.aborted) {
    await wait(Math.min(time - previous, STEP_MS), signal);
    if (now() < previous) return;
    previous = now();
  }
}
