export interface ImportingOptions {
  /** Brings what is new in a remote ledger into the folder that is followed. */
  importNew: () => Promise<unknown>;
  /** From the end of one import to the beginning of the next, ms. */
  intervalMs: number;
  /** Called once for each kind of failure in a row. */
  report: (error: unknown) => void;
  /** Resolves or rejects at once where the signal is aborted. */
  sleep: (ms: number, signal: AbortSignal) => Promise<unknown>;
  signal: AbortSignal;
}

/** A remote ledger that is down is asked less and less often, down to four times an hour, ms. */
const LONGEST_WAIT_MS = 15 * 60 * 1000;

/** Imports again and again until `signal` aborts, beginning with a wait: a start imports by itself. */
export async function keepImporting(options: ImportingOptions): Promise<void> {
  const { importNew, intervalMs, report, sleep, signal } = options;
  let failures = 0;
  let reported = '';
  while (!signal.aborted) {
    const waitMs = Math.max(intervalMs, Math.min(intervalMs * 2 ** failures, LONGEST_WAIT_MS));
    await sleep(waitMs, signal).catch(() => undefined);
    if (signal.aborted) return;
    try {
      await importNew();
      failures = 0;
      reported = '';
    } catch (error) {
      failures += 1;
      if (String(error) !== reported) report(error);
      reported = String(error);
    }
  }
}
