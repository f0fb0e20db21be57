import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { Area } from '../../../pipeline/artifacts/artifact.ts';
import { Problem } from '../../api/problem.ts';
import { type Tier, tierWithoutKey } from '../../api/quotas.ts';

/** The server's own load. */
export interface Load {
  /** Recent mean delay of the event loop, ms. */
  loopDelayMs: number;
  /** Admitted requests that are not yet fully answered. */
  active: number;
  /** Those among them whose answer is not yet rendered. The others mostly wait for the network. */
  making: number;
}

/** Where high load begins; see `isShed`. */
export type LoadLimits = Omit<Load, 'making'>;

export const LOAD_LIMITS: LoadLimits = {
  // A small file takes a millisecond. At this delay readers notice, but no request is lost yet.
  loopDelayMs: 150,
  // Downloads mostly wait for the network, so many may be open. Each costs tens of kB.
  active: 4_000,
};

/**
 * Which requests are refused first. `times`: the multiple of the limits at which these requests are refused. `retryAfterS`:
 * requests that are refused last may retry first.
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
 * A late event loop counts as high load only if at least this share of the admitted requests is still rendering. Below it,
 * something else keeps the machine busy, and refusing requests would not help. The share is more than the drawing queues hold,
 * because drawing happens outside the event loop.
 */
const LATE_SHARE = 0.05;

/** Whether to refuse a request of this priority: too many requests are open, or many are and the event loop is late. */
export function isShed(load: Load, limits: LoadLimits, priority: Priority): boolean {
  const { times } = PRIORITIES[priority];
  const isLate = load.loopDelayMs > limits.loopDelayMs * times;
  return (
    load.active >= limits.active * times || (isLate && load.making >= limits.active * LATE_SHARE * times)
  );
}

export interface LoadGateOptions {
  limits: LoadLimits;
  /** The latest measurement, ms. */
  loopDelayMs: () => number;
}

/** An admitted request. Both functions are idempotent. */
export interface Place {
  /** Call when the answer is rendered and only needs to be sent. */
  made: () => void;
  /** Call when the request has ended for any reason. */
  leave: () => void;
}

/** Admits requests while the server keeps up with them. Not for streams that stay open for hours. */
export class LoadGate {
  readonly #options: LoadGateOptions;
  #active = 0;
  #making = 0;

  constructor(options: LoadGateOptions) {
    this.#options = options;
  }

  /** Number of admitted requests that have not ended. */
  get active(): number {
    return this.#active;
  }

  /** Throws overloaded: 503. */
  enter(priority: Priority): Place {
    const { limits, loopDelayMs } = this.#options;
    const load = { loopDelayMs: loopDelayMs(), active: this.#active, making: this.#making };
    if (isShed(load, limits, priority)) throw overloaded(priority);
    this.#active += 1;
    this.#making += 1;
    let [isIn, isMade] = [true, false];
    const made = () => {
      if (!isMade) this.#making -= 1;
      isMade = true;
    };
    const leave = () => {
      made();
      if (isIn) this.#active -= 1;
      isIn = false;
    };
    return { made, leave };
  }
}

function overloaded(priority: Priority): Problem {
  const headers = { 'Retry-After': String(PRIORITIES[priority].retryAfterS) };
  return new Problem('overloaded', undefined, headers);
}

/** A histogram of the intervals between event loop samples, ns, since the last reset. */
interface BeatHistogram {
  /** NaN if there was no sample. */
  readonly mean: number;
  reset: () => void;
}

/** Sampling interval of the event loop, ms. */
const BEAT_MS = 10;
/** Long enough that one slow request is not high load, short enough to react before clients give up. */
const SAMPLE_MS = 500;
const NS_PER_MS = 1_000_000;

/** The mean delay since the last sample, ms: how much later than scheduled the event loop ran. */
export function sampleLoopDelay(histogram: BeatHistogram): number {
  const { mean } = histogram;
  histogram.reset();
  return Number.isNaN(mean) ? 0 : Math.max(0, mean / NS_PER_MS - BEAT_MS);
}

export interface LoopDelay {
  /** The delay of the better of the last two half seconds, ms. */
  read: () => number;
  stop: () => void;
}

/** Measures this process until stopped. Does not keep the process alive. */
export function startLoopDelay(): LoopDelay {
  const histogram = monitorEventLoopDelay({ resolution: BEAT_MS });
  histogram.enable();
  let [before, last] = [0, 0];
  const timer = setInterval(() => {
    [before, last] = [last, sampleLoopDelay(histogram)];
  }, SAMPLE_MS).unref();
  return {
    // A single bad half second is not load: this process or another one may be starting.
    read: () => Math.min(before, last),
    stop: () => {
      clearInterval(timer);
      histogram.disable();
    },
  };
}
