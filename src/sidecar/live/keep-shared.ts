import { setTimeout as sleep } from 'node:timers/promises';
import { CathedralError } from '../../../pipeline/errors.ts';
import type { LedgerReplica, Updated } from '../../../pipeline/sources/shared/ledger-replica.ts';
import type { LedgerSharer } from '../../../pipeline/sources/shared/ledger-sharer.ts';
import type { SharedLedger } from '../../../pipeline/sources/shared/shared-ledger.ts';
import { Coalescer, watchLedger } from './watch-ledger.ts';

export interface Keeping {
  /** Called once for each run of the same fault, and with null when it has passed. */
  report: (fault: Error | null) => void;
  signal: AbortSignal;
  /** How often to look where nothing wakes it, ms. Default: a second. */
  pollMs?: number;
}

const POLL_MS = 1000;
/** Pause after each step: a multiple of the time it took, so that it takes a third of a core at most, and a minimum, ms. */
const PAUSE_FACTOR = 2;
const PAUSE_MS = 10;
const FAULT_PAUSE_MS = 500;
/** How long a start waits for the first step. A long ledger takes longer, and a store that is down takes for ever. */
const FIRST_MS = 5000;

/** Shares a ledger in a folder until `signal` aborts: whenever the folder changes, and every second. Resolves after the first attempt. */
export async function keepSharing(folder: string, sharer: LedgerSharer, keeping: Keeping): Promise<void> {
  const step = stepOf(() => sharer.share(), keeping);
  const watching = watchLedger(folder, keeping.pollMs ?? POLL_MS, step);
  onAbort(keeping.signal, async () => (await watching).close());
  await firstOf(watching);
}

/**
 * Keeps a folder as the shared ledger is until `signal` aborts: whenever something is announced, and every second, because an announcement
 * or its connection may be lost. Resolves after the first attempt.
 */
export async function keepReplica(
  replica: LedgerReplica,
  shared: SharedLedger,
  { onUpdate, ...keeping }: Keeping & { onUpdate: (updated: Updated) => void },
): Promise<void> {
  const updates = new Coalescer(stepOf(async () => onUpdate(await replica.update()), keeping));
  const wake = () => void updates.wake();
  const stopListening = shared.listen(wake);
  const poll = setInterval(wake, keeping.pollMs ?? POLL_MS).unref();
  onAbort(keeping.signal, async () => {
    stopListening();
    clearInterval(poll);
    await updates.close();
  });
  await firstOf(updates.wake());
}

/** Never rejects; resolves to the pause that must follow, ms. */
function stepOf(work: () => Promise<unknown>, { report, signal }: Keeping): () => Promise<number> {
  let reported: string | null = null;
  return async () => {
    const start = performance.now();
    try {
      await work();
      if (reported !== null) report(null);
      reported = null;
    } catch (error) {
      // Another process writes the folder, and what it writes is as new.
      const isBusy = error instanceof CathedralError && error.code === 'locked';
      if (!isBusy && !signal.aborted && String(error) !== reported) {
        reported = String(error);
        report(error as Error);
      }
      return FAULT_PAUSE_MS;
    }
    return Math.max(PAUSE_MS, PAUSE_FACTOR * (performance.now() - start));
  };
}

async function firstOf(first: Promise<unknown> | null): Promise<void> {
  await Promise.race([first, sleep(FIRST_MS, undefined, { ref: false })]);
}

function onAbort(signal: AbortSignal, end: () => Promise<void>): void {
  if (signal.aborted) void end();
  else signal.addEventListener('abort', () => void end(), { once: true });
}
