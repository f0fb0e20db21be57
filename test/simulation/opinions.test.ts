import { describe, expect, test } from 'vitest';
import { applyChange } from '../../src/simulation/change.ts';
import {
  exchangeViews,
  influenceMatrix,
  ownOpinion,
  ownOpinions,
  polarisation,
  positionOf,
} from '../../src/simulation/opinions.ts';
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

  test('of who is offline stay, and nobody goes by them', () => {
    const away = applyChange(world, { sentinels: { EVE: { isOnline: false } } });
    const eve = away.sentinels.findIndex(({ id }) => id === 'EVE');
    expect(exchangeViews(away).conditions.opinion[eve]).toBe(away.conditions.opinion[eve]);
    const matrix = influenceMatrix(away.sentinels, away.levers);
    for (const [i] of away.sentinels.entries()) if (i !== eve) expect(matrix[i * 10 + eve]).toBe(0);
  });

  test('are given as positions by where they lie', () => {
    expect([0, 0.45, 0.46, 0.55, 0.7, 1].map(positionOf)).toEqual([
      'oppose',
      'oppose',
      'abstain',
      'support_with_conditions',
      'support',
      'support',
    ]);
  });
});

describe('influence', () => {
  const entry = (of: World, from: string, to: string) => {
    const place = (id: string) => of.sentinels.findIndex((one) => one.id === id);
    return influenceMatrix(of.sentinels, of.levers)[place(from) * 10 + place(to)]!;
  };

  test('is greater within a cathedral the more kinship counts', () => {
    const close = applyChange(world, { levers: { kinship: 3 } });
    expect(entry(close, 'HERMES', 'ZEUS')).toBeGreaterThan(entry(world, 'HERMES', 'ZEUS'));
  });

  test('crosses virtue distance the better the farther it reaches', () => {
    const far = applyChange(world, { levers: { reach: 2, kinship: 0 } });
    expect(entry(far, 'URIEL', 'EVE')).toBeGreaterThan(entry(world, 'URIEL', 'EVE'));
  });

  test('grows with trust', () => {
    const trusted = applyChange(world, { sentinels: { JADE: { trust: 4 } } });
    expect(entry(trusted, 'ATLAS', 'JADE')).toBeGreaterThan(entry(world, 'ATLAS', 'JADE'));
  });
});

describe('an own opinion, which is half of 1 and the utility', () => {
  const [atlas] = world.sentinels;
  const plain = { ...atlas!, temper: 0 };

  test('is what it does to each virtue, by how much the virtue weighs', () => {
    const none = {
      ...world,
      effects: { integrity: 0.2, temperance: 0, justice: 0, prudence: 0, courage: 0 },
    };
    expect(ownOpinion(plain, 0, none)).toBeCloseTo((1 + 3 * 0.2 * plain.weights.integrity) / 2, 6);
  });

  test('has a cathedral’s stake in it, by the weight of interest', () => {
    const interested = applyChange(world, { stakes: { 'FOR-GOVERNMENTS': 0.5 }, levers: { interest: 0.4 } });
    expect(ownOpinion(plain, 0, interested) - ownOpinion(plain, 0, world)).toBeCloseTo(0.1, 5);
  });

  test('is moved by drift where there is a lure', () => {
    const lured = applyChange(world, { levers: { lure: -1 } });
    expect(ownOpinion(plain, 5, lured) - ownOpinion(plain, 5, world)).toBeCloseTo(-0.25, 5);
  });

  test('of nothing leaves one in the middle', () => {
    const nothing = {
      ...world,
      effects: { integrity: 0, temperance: 0, justice: 0, prudence: 0, courage: 0 },
    };
    expect(ownOpinion(plain, 0, nothing)).toBe(0.5);
  });
});
