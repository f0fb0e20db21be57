import type { ImportProgress } from '../health/readiness.ts';

export interface ImportingOptions {
  /** Imports new events of a remote ledger into the folder that the server follows. */
  importNew: () => Promise<unknown>;
  /** Called once for each run of the same error. */
  report: (error: unknown) => void;
  /** Resolves or rejects at once if the signal is aborted. */
  sleep: (ms: number, signal: AbortSignal) => Promise<unknown>;
  signal: AbortSignal;
  /** Kept up to date, for the metrics. */
  progress: ImportProgress;
  now: () => number;
}

/**
 * From the end of one import to the start of the next, ms: a new event shows within a minute or so, and a remote ledger without new events
 * gets one request a minute.
 */
export const IMPORT_INTERVAL_MS = 60_000;
/** While a remote ledger is down the interval doubles, up to this, ms. */
const MAX_WAIT_MS = 15 * 60 * 1000;

/** Imports until `signal` aborts. It waits first, since the command has just imported. */
export async function importPeriodically(options: ImportingOptions): Promise<void> {
  const { importNew, report, sleep, signal, progress, now } = options;
  let reported = '';
  while (!signal.aborted) {
    const waitMs = Math.min(IMPORT_INTERVAL_MS * 2 ** progress.failures, MAX_WAIT_MS);
    await sleep(waitMs, signal).catch(() => undefined);
    if (signal.aborted) return;
    try {
      await importNew();
      progress.failures = 0;
      progress.succeededAt = now();
      reported = '';
    } catch (error) {
      progress.failures += 1;
      if (String(error) !== reported) report(error);
      reported = String(error);
    }
  }
}
