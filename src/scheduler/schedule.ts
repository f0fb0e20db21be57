import { nextRun } from './next-run.ts';

/** What came of a run. `behind`: all went well, but the snapshot that is due is not in the ledger yet. */
export type RunResult = 'current' | 'behind' | 'failed';

export interface Schedule {
  run: () => Promise<RunResult>;
  /** Told after each run when the next one will be, Unix ms. */
  announce: (result: RunResult, next: number) => Promise<void>;
  now: () => number;
  /** Resolves at a time, Unix ms, or as soon as `signal` aborts. */
  sleepUntil: (time: number, signal: AbortSignal) => Promise<void>;
  /** Between a slot's hour and its run, ms. */
  delayMs: number;
  signal: AbortSignal;
}

/** Runs at once, which catches up what was missed, and then once in each slot, one run at a time, until `signal` aborts. */
export async function schedule({ run, announce, now, sleepUntil, delayMs, signal }: Schedule): Promise<void> {
  let tries = 0;
  while (!signal.aborted) {
    const startedAt = now();
    const result = await run();
    if (signal.aborted) return;
    tries = result === 'current' ? 0 : tries + 1;
    const next = nextRun({ startedAt, endedAt: now(), delayMs, tries });
    await announce(result, next);
    await sleepUntil(next, signal);
  }
}
