import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { Area } from '../../../pipeline/artifacts/artifact.ts';
import { type Tier, tierWithoutKey } from '../../api/quotas.ts';

/** A histogram of times between two beats of the event loop, ns, since the last reset. */
interface BeatHistogram {
  /** NaN where there was no beat. */
  readonly mean: number;
  reset: () => void;
}

/** How often the loop is asked to beat, ms. */
const BEAT_MS = 10;
/** Long enough for one slow request not to count as high load, short enough to react before clients give up. */
const SAMPLE_MS = 500;
const NS_PER_MS = 1_000_000;

/** The mean delay since the last sample, ms: how much later than asked the loop beat. */
export function sampleLoopDelay(histogram: BeatHistogram): number {
  const { mean } = histogram;
  histogram.reset();
  return Number.isNaN(mean) ? 0 : Math.max(0, mean / NS_PER_MS - BEAT_MS);
}

export interface LoopDelay {
  /** Of the better of the last two half seconds, ms. */
  read: () => number;
  stop: () => void;
}

/** Measures this process until it is stopped; does not keep it alive. */
export function startLoopDelay(): LoopDelay {
  const histogram = monitorEventLoopDelay({ resolution: BEAT_MS });
  histogram.enable();
  let [before, last] = [0, 0];
  const timer = setInterval(() => {
    [before, last] = [last, sampleLoopDelay(histogram)];
  }, SAMPLE_MS).unref();
  return {
    // One bad half second is no load: the start of the process, or of another one on the machine.
    read: () => Math.min(before, last),
    stop: () => {
      clearInterval(timer);
      histogram.disable();
    },
  };
}

/** What the server measures about itself. */
export interface Load {
  /** Mean delay of the event loop over the last moments, ms. */
  loopDelayMs: number;
  /** Requests that were let in and are not answered yet. */
  active: number;
  /** Those of them whose answer is not made yet; the others mostly wait for the network. */
  making: number;
}

/** Where high load begins; see `isShed`. */
export type LoadLimits = Omit<Load, 'making'>;

export const LOAD_LIMITS: LoadLimits = {
  // A small file takes a millisecond; at this delay readers notice, and no request is lost yet.
  loopDelayMs: 150,
  // Downloads mostly wait for the network, so many may be open; each costs some tens of kB.
  active: 4_000,
};

/**
 * Who has to wait first. `times`: how far above the limits the load is before these requests are refused. `retryAfterS`: who
 * is refused last may come back first.
 */
export const PRIORITIES = {
  anonymous: { times: 1, retryAfterS: 10 },
  keyed: { times: 1.5, retryAfterS: 5 },
  government: { times: 2, retryAfterS: 2 },
} as const;

export type Priority = keyof typeof PRIORITIES;

export function priorityOf(area: Area, tier: Tier): Priority {
  if (tier === tierWithoutKey(area)) return 'anonymous';
  return area === 'government' ? 'government' : 'keyed';
}

/**
 * A late event loop is high load where at least this share of the places is taken by requests whose answer is not made yet.
 * With fewer, the machine is busy with something else, and to refuse a request would help nobody. More than the drawing
 * queues hold, whose work is not the event loop's.
 */
export const LATE_SHARE = 0.05;

/** Whether a request of this priority is refused now: too many are being answered, or many are and the event loop is late. */
export function isShed(load: Load, limits: LoadLimits, priority: Priority): boolean {
  const { times } = PRIORITIES[priority];
  const isLate = load.loopDelayMs > limits.loopDelayMs * times;
  return (
    load.active >= limits.active * times || (isLate && load.making >= limits.active * LATE_SHARE * times)
  );
}
