import { setTimeout as sleep } from 'node:timers/promises';

/** Short enough that what ends together is a small part of all. */
const EVERY_MS = 50;

export interface Clock {
  /** Monotonic, ms. */
  now: () => number;
  sleep: (ms: number) => Promise<unknown>;
}

const REAL: Clock = { now: () => performance.now(), sleep };

/**
 * Ends the members that a set has now, evenly over a time, ms, so that their clients do not all reconnect at once; at zero, all
 * of them now. `end` must not mind one that has ended. Resolves after the last one.
 */
export async function endEvenly<One>(
  members: ReadonlySet<One>,
  overMs: number,
  end: (one: One) => void,
  { now, sleep }: Clock = REAL,
): Promise<void> {
  const all = [...members];
  const start = now();
  for (let ended = 0; ended < all.length; ) {
    // Multiplied first: 0.55 × 100 is a little more than 55.
    const due = overMs > 0 ? Math.ceil(((now() - start) * all.length) / overMs) : all.length;
    for (; ended < Math.min(due, all.length); ended += 1) if (members.has(all[ended]!)) end(all[ended]!);
    // The members that have ended on their own leave no gap in the schedule.
    if (members.size === 0) return;
    if (ended < all.length) await sleep(EVERY_MS);
  }
}
