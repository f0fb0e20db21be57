import { describe, expect, test } from 'vitest';
import { exchangeViews, influenceMatrix, ownOpinions, polarisation } from '../../src/simulation/opinions.ts';
import { scenarioNamed } from '../../src/simulation/scenarios.ts';
import { startWorld } from '../../src/simulation/start-world.ts';
import type { World } from '../../src/simulation/world.ts';

const world = startWorld(scenarioNamed('sentinel_disagreement'), 1);

function settled(start: World): World {
  let now = start;
  for (let tick = 0; tick < 300; tick += 1) now = exchangeViews(now);
  return now;
}

function withSentinels(change: Partial<World['sentinels'][number]>): World {
  return { ...world, sentinels: world.sentinels.map((one) => ({ ...one, ...change })) };
}

describe('opinions', () => {
  test('come to rest where x = Λ·W·x + (I − Λ)·u, as the model of Friedkin and Johnsen says', () => {
    const end = settled(world);
    expect(end.movement).toBe(0);
    const matrix = influenceMatrix(end.sentinels, end.levers);
    const own = ownOpinions(end);
    for (const [i, opinion] of end.conditions.opinion.entries()) {
      const heard = end.conditions.opinion.reduce((sum, one, j) => sum + matrix[i * 10 + j]! * one, 0);
      const stubbornness = end.sentinels[i]!.stubbornness * end.levers.stubbornness;
      expect(opinion).toBeCloseTo((1 - stubbornness) * heard + stubbornness * own[i]!, 5);
    }
  });

  test('of stubborn sentinels stay apart for ever', () => {
    expect(polarisation(settled(world))).toBeGreaterThan(0.01);
  });

  test('of sentinels who are not stubborn at all come to one (DeGroot’s case)', () => {
    expect(polarisation(settled(withSentinels({ stubbornness: 0 })))).toBeLessThan(1e-5);
  });

  test('of sentinels who are nothing but stubborn are their own', () => {
    const end = settled(withSentinels({ stubbornness: 1 }));
    expect(end.conditions.opinion).toEqual(ownOpinions(end));
  });
});
