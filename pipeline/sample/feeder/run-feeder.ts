import { Random } from '../../random.ts';
import { DEFAULT_SEED } from '../span.ts';
import { Feed } from './feed.ts';

export interface FeederOptions {
  /** Folder of a sample ledger; the demo key has signed it. Nobody else may write to it meanwhile. */
  ledger: string;
  /** The one that the sample was made with. Default 1. */
  seed?: number;
  /** Unix ms. */
  now: () => number;
  /** Resolves after `ms`, or earlier where `signal` is aborted; rejecting then is fine too. */
  sleep: (ms: number, signal: AbortSignal) => Promise<unknown>;
  /** Ends the feeder, between two events. */
  signal: AbortSignal;
  /** Least and greatest time in ms between two events of the feeder's own. Default 4 to 15 s. */
  pace?: readonly [number, number];
}

const PACE = [4000, 15_000] as const;

/**
 * Keeps a sample ledger alive: catches up with what passed since its last event, then appends to the head at a human
 * pace, the sample's own events at their times and a few more in between, and seals a snapshot when a slot is over.
 * Ends when `signal` is aborted. Throws what reading or writing the ledger throws.
 */
export async function runFeeder(options: FeederOptions): Promise<void> {
  const { ledger, seed = DEFAULT_SEED, now, sleep, signal, pace = PACE } = options;
  const feed = await Feed.open(ledger, seed);
  const random = new Random(seed, 'pace', now());
  try {
    for (let livenAt = now(); !signal.aborted; ) {
      // One look at the clock for both: an event of the sample that falls between two looks would come too late.
      const at = now();
      await feed.advance(at);
      if (at >= livenAt) {
        feed.liven(at);
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
