import { setTimeout as sleep } from 'node:timers/promises';

/** A long sleep is many short ones: a timer does not see that the machine was asleep, or that its clock was set. */
const STEP_MS = 30_000;

/** Resolves at `time`, Unix ms, or as soon as `signal` aborts. */
export async function sleepUntil(time: number, signal: AbortSignal): Promise<void> {
  for (let rest = time - Date.now(); rest > 0 && !signal.aborted; rest = time - Date.now()) {
    await sleep(Math.min(rest, STEP_MS), undefined, { signal }).catch(() => {});
  }
}
