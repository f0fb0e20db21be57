/** Seeds are integers below this. */
export const SEEDS = 2 ** 32;

/** A sequence of numbers in [0, 1). */
export type Draws = () => number;

/** The chance in one tick: how conditions vary, and which events happen. Neither shifts the other. */
export interface Chance {
  noise: Draws;
  hazards: Draws;
}

/** Third words of the seeds. */
const STREAMS = {
  noise: 0x5f3759df,
  hazards: 0x2545f491,
  futureNoise: 0x1b873593,
  futureHazards: 0x4cf5ad43,
  plan: 0x38b34ae5,
};

/** The warm-up that PractRand uses for small seeds. */
const WARM_UP = 15;

/**
 * The draws of one tick: sfc32 by Chris Doty-Humphrey (PractRand 0.95, `RNGs/sfc.h`), seeded with the run's seed and the tick.
 * The draws of a tick do not depend on earlier ones, so a run can branch at any tick. Integer arithmetic gives the same result
 * in every engine. All arguments: integers in [0, 2³²).
 */
export function drawsOf(seed: number, tick: number, stream: number = STREAMS.noise): Draws {
  let a = seed | 0;
  let b = tick | 0;
  let c = stream | 0;
  let counter = 1;
  const bits = () => {
    const sum = (a + b + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (((c << 21) | (c >>> 11)) + sum) | 0;
    return sum >>> 0;
  };
  for (let round = 0; round < WARM_UP; round += 1) bits();
  return () => bits() / SEEDS;
}

/** The chance of a run in one tick. */
export function chanceOf(seed: number, tick: number): Chance {
  return { noise: drawsOf(seed, tick), hazards: drawsOf(seed, tick, STREAMS.hazards) };
}

/** The chance in one tick of one of the futures of a forecast, which knows nothing of the run’s own. */
export function chanceOfFuture(future: number, tick: number): Chance {
  return {
    noise: drawsOf(future, tick, STREAMS.futureNoise),
    hazards: drawsOf(future, tick, STREAMS.futureHazards),
  };
}

/** The draws of one decision that a plan leaves to chance, by its place among the scenario’s: the other decisions do not shift them. */
export function drawsOfDecision(seed: number, place: number): Draws {
  return drawsOf(seed, place, STREAMS.plan);
}
