import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { drawsOf } from '../../src/simulation/draws.ts';
import { influenceMatrix } from '../../src/simulation/influence.ts';
import { roundTo6 } from '../../src/simulation/round-to-6.ts';
import type { World } from '../../src/simulation/world.ts';
import { arbitraryPlay, play } from './arbitrary-run.ts';

/** In every state that a run can come to. */
function everywhere(holds: (world: World) => void): void {
  fc.assert(
    fc.property(arbitraryPlay, (plays) => {
      play(plays, ({ world }) => holds(world));
    }),
    { numRuns: 60, seed: 19 },
  );
}

describe('whatever a player does', () => {
  test('opinions, drift, gi, the index and its threshold stay in their ranges', () => {
    everywhere(({ conditions, economy }) => {
      const { opinion, drift, gi, score } = conditions;
      for (const share of [...opinion, ...gi]) expect(share >= 0 && share <= 1).toBe(true);
      expect(drift.every((one) => one >= 0 && one <= 10)).toBe(true);
      expect(score.every((one) => one >= 0 && one < 200)).toBe(true);
      for (const share of [economy.mii, economy.threshold, economy.strain])
        expect(share >= 0 && share <= 1).toBe(true);
      for (const multiplier of Object.values(economy.multipliers))
        expect(multiplier >= 1 && multiplier <= 2).toBe(true);
    });
  });

  test('each row of the influence matrix sums to 1 and has nothing negative', () => {
    everywhere(({ sentinels, levers }) => {
      const matrix = influenceMatrix(sentinels, levers);
      for (let i = 0; i < sentinels.length; i += 1) {
        const row = matrix.subarray(i * sentinels.length, (i + 1) * sentinels.length);
        expect(row.reduce((sum, entry) => sum + entry, 0)).toBeCloseTo(1, 12);
        expect(row.every((entry) => entry >= 0)).toBe(true);
      }
    });
  });

  test('every number of the state is whole or has six places at most', () => {
    everywhere((world) => {
      JSON.stringify(world, (_, value: unknown) => {
        if (typeof value === 'number' && !Number.isSafeInteger(value)) expect(roundTo6(value)).toBe(value);
        return value;
      });
    });
  });

  test('a deliberation that is decided stays decided', () => {
    fc.assert(
      fc.property(arbitraryPlay, (plays) => {
        let decided: string | null = null;
        play(plays, ({ world: { deliberation } }) => {
          if (decided !== null) expect(deliberation.status).toBe(decided);
          if (!['open', 'held'].includes(deliberation.status)) decided = deliberation.status;
        });
      }),
      { numRuns: 60, seed: 19 },
    );
  });
});

describe('draws', () => {
  test('are those of sfc32', () => {
    // The state after seeding by hand, with the recurrence as PractRand has it, in BigInt.
    const mask = 0xffff_ffffn;
    let [a, b, c, counter] = [7n, 3n, 0x5f3759dfn, 1n];
    const next = () => {
      const sum = (a + b + counter) & mask;
      counter = (counter + 1n) & mask;
      a = b ^ (b >> 9n);
      b = (c + (c << 3n)) & mask;
      c = ((((c << 21n) | (c >> 11n)) & mask) + sum) & mask;
      return sum;
    };
    for (let round = 0; round < 15; round += 1) next();
    const draws = drawsOf(7, 3);
    for (let count = 0; count < 1000; count += 1) expect(draws()).toBe(Number(next()) / 2 ** 32);
  });

  test('are spread evenly', () => {
    const counts = new Array<number>(10).fill(0);
    for (let tick = 0; tick < 10_000; tick += 1) counts[Math.floor(drawsOf(1, tick)() * 10)]! += 1;
    for (const count of counts) expect(count).toBeGreaterThan(850);
  });
});
