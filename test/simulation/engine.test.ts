import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { drawsOf } from '../../src/simulation/draws.ts';
import { influenceMatrix } from '../../src/simulation/influence.ts';
import { LEVER_NAMES, LEVERS } from '../../src/simulation/levers.ts';
import { meanOpinion } from '../../src/simulation/opinions.ts';
import { roundTo6 } from '../../src/simulation/round-to-6.ts';
import { replay, startRun, stepRun } from '../../src/simulation/run.ts';
import { show } from '../../src/simulation/view.ts';
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

  test('the supply is what circulates, is locked and was burned, to the last millionth', () => {
    everywhere(({ economy: { total, circulating, locked, burned } }) => {
      expect(circulating + locked + burned).toBe(total);
      for (const stock of [total, circulating, locked, burned])
        expect(Number.isSafeInteger(stock) && stock >= 0).toBe(true);
    });
  });

  test('what is minted is what the sentinels got', () => {
    everywhere(({ economy, began, conditions }) => {
      expect(conditions.minted.reduce((sum, one) => sum + one, 0)).toBe(economy.total - began.total);
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

  test('levers stay between their ends', () => {
    everywhere(({ levers }) => {
      for (const name of LEVER_NAMES)
        expect(levers[name] >= LEVERS[name].least && levers[name] <= LEVERS[name].most).toBe(true);
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

describe('a run', () => {
  test('of the same scenario, seed and actions has the same bytes', () => {
    fc.assert(
      fc.property(arbitraryPlay, (plays) => {
        expect(JSON.stringify(show(play(plays)))).toBe(JSON.stringify(show(play(plays))));
      }),
      { numRuns: 30, seed: 19 },
    );
  });

  test('that is resumed from its seed and its actions is the run that was left', () => {
    fc.assert(
      fc.property(arbitraryPlay, (plays) => {
        const run = play(plays);
        const { seed, actions, world } = run;
        const text = JSON.stringify({ scenario: run.scenario.name, seed, actions, tick: world.tick });
        expect(JSON.stringify(show(replay(JSON.parse(text))))).toBe(JSON.stringify(show(run)));
      }),
      { numRuns: 40, seed: 19 },
    );
  });

  test('can be gone on from at any tick, as if nobody had looked', () => {
    const whole = stepRun(startRun('model_drift', 5), 20);
    const { world } = replay({ scenario: 'model_drift', seed: 5, actions: [], tick: 9 });
    const resumed = replay({ scenario: 'model_drift', seed: 5, actions: [], tick: world.tick });
    show(resumed);
    expect(show(stepRun(resumed, 11))).toEqual(show(whole));
  });

  test('of another seed is another one', () => {
    const [one, other] = [1, 2].map((seed) => stepRun(startRun('moral_dilemma', seed), 3));
    expect(meanOpinion(one!.world)).not.toBe(meanOpinion(other!.world));
  });

  test('stands still at its end', () => {
    const end = stepRun(startRun('moral_dilemma', 1), 1000);
    expect(end.world.ending).not.toBeNull();
    expect(stepRun(end)).toBe(end);
  });

  test('has the numbers that it had when this was written', () => {
    const { world } = stepRun(startRun('cathedral_multiplier_proposal', 151), 12);
    expect(world.conditions.opinion).toMatchInlineSnapshot(`
      [
        0.523655,
        0.628409,
        0.584422,
        0.364383,
        0.322693,
        0.477108,
        0.560584,
        0.508773,
        0.842863,
        0.54467,
      ]
    `);
    expect(world.economy).toMatchInlineSnapshot(`
      {
        "burned": 239219179963,
        "circulating": 3318895018844,
        "isMinting": true,
        "locked": 541238993206,
        "mii": 0.968318,
        "multipliers": {
          "FOR-ACADEMICS": 1.2,
          "FOR-ECONOMISTS": 1.5,
          "FOR-GOVERNMENTS": 2,
          "FOR-PHILOSOPHERS": 1,
        },
        "stopped": 0,
        "strain": 0,
        "threshold": 0.937763,
        "total": 4099353192013,
      }
    `);
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
