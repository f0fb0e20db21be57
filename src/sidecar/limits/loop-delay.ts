import { monitorEventLoopDelay } from 'node:perf_hooks';

/** A histogram of times between two beats of the event loop, ns, since the last reset. */
export interface BeatHistogram {
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
