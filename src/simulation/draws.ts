/** A sequence of numbers in [0, 1). */
export type Draws = () => number;

const UINT32 = 4_294_967_296;
/** The warm-up that PractRand uses for small seeds. */
const WARM_UP = 15;

/**
 * The draws of one tick: sfc32 by Chris Doty-Humphrey (PractRand 0.95, `RNGs/sfc.h`), seeded with the run's seed and the tick.
 * The draws of a tick do not depend on earlier ones, so a run can branch at any tick. Integer arithmetic gives the same result
 * in every engine. `seed` and `tick`: integers in [0, 2³²).
 */
export function drawsOf(seed: number, tick: number): Draws {
  let a = seed | 0;
  let b = tick | 0;
  let c = 0x5f3759df;
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
  return () => bits() / UINT32;
}

/** For forecasts, which must not predict chance: always the middle. */
export const QUIET: Draws = () => 0.5;
