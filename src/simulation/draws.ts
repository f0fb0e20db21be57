/** Numbers in [0, 1), one after the other. */
export type Draws = () => number;

const UINT32 = 4_294_967_296;
/** As many as PractRand runs before the first output of a small seed. */
const WARM_UP = 15;

/**
 * The draws of one tick: sfc32 of Chris Doty-Humphrey (PractRand 0.95, `RNGs/sfc.h`), seeded with the seed of the run and the
 * tick. So a tick's draws do not depend on how many were made before, and a run can be branched at any tick. Integers alone,
 * hence the same in every engine. `seed` and `tick`: whole numbers in [0, 2³²).
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

/** For forecasts, which must not know what chance will bring: always the middle. */
export const QUIET: Draws = () => 0.5;
