import { Random } from '../../random.ts';
import { DEFAULT_SEED } from '../span.ts';
import { Feed } from './feed.ts';

export interface FeederOptions {
  /** Folder of a demo ledger, signed with the demo key. */
  ledger: string;
  /** The seed of the sample. Default 1. */
  seed?: number;
  /** Unix ms. */
  now: () => number;
  /** Resolves after `ms`. Resolves or rejects earlier if `signal` aborts. */
  sleep: (ms: number, signal: AbortSignal) => Promise<unknown>;
  /** Stops the feeder between two events. */
  signal: AbortSignal;
  /** Shortest and longest time between two extra events, ms. Default 4 to 15 s. */
  pace?: readonly [number, number];
}

const PACE = [4000, 15_000] as const;

/**
 * Keeps a demo ledger up to date until `signal` aborts: catches up with the clock, then appends the sample's events at
 * their times and some extra ones in between, and seals a snapshot at the end of each slot. Throws locked, and the
 * errors of reading or writing the ledger.
 */
export async function runFeeder(options: FeederOptions): Promise<void> {
  const { ledger, seed = DEFAULT_SEED, now, sleep, signal, pace = PACE } = options;
  const feed = await Feed.open(ledger, seed, now);
  const random = new Random(seed, 'pace', now());
  try {
    for (let livenAt = now(); !signal.aborted; ) {
      // Read the clock once: a sample event between two readings would come after the extra event, out of order.
      const at = now();
      await feed.advance(at);
      if (at >= livenAt) {
        await feed.liven(at);
        livenAt = at + random.between(...pace);
      }
      await untilAborted(sleep(Math.max(0, Math.min(livenAt, feed.nextAt) - now()), signal), signal);
    }
  } finally {
    feed.close();
  }
}

async function untilAborted(sleeping: Promise<unknown>, signal: AbortSignal): Promise<void> {
  try {
    await sleeping;
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}
