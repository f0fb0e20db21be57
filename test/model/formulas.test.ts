import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { formatAmount, parseAmount, roundToAmount } from '../../pipeline/model/amount.ts';
import { coordinationScore, gini, miiThreshold, reward } from '../../pipeline/model/formulas.ts';

describe('the reward', () => {
  test('is half of L at s = 50, times the multiplier', () => {
    expect(reward(50, 1)).toBe(500);
    expect(reward(50, 2)).toBe(1000);
  });

  test('approaches L for high scores and 0 for low scores', () => {
    expect(reward(1000, 1)).toBeCloseTo(1000, 9);
    expect(reward(0, 1)).toBeCloseTo(75.85818, 6);
  });
});

describe('the coordination score', () => {
  const work = { apps: 9, packages: 5, workflows: 27, drift: 0 };

  test('uses the natural logarithm of the uptime in days', () => {
    expect(coordinationScore({ ...work, uptime_days: Math.E })).toBeCloseTo((3.6 + 1.5 + 5.4 + 1) * 2, 12);
  });

  test('counts an uptime under one day as one', () => {
    expect(coordinationScore({ ...work, uptime_days: 0 })).toBe(
      coordinationScore({ ...work, uptime_days: 1 }),
    );
  });
});

describe('the MII threshold', () => {
  test('is 0.95 at a million MIC and falls by 0.02 per power of ten', () => {
    expect(miiThreshold(1e6)).toBe(0.95);
    expect(miiThreshold(1e7)).toBeCloseTo(0.93, 12);
  });

  test('stays between 0 and 1', () => {
    expect([miiThreshold(0), miiThreshold(1e-9), miiThreshold(1e60)]).toEqual([1, 1, 0]);
  });
});

describe('the Gini coefficient', () => {
  test('is 0 for equal amounts, no amounts and zeros, and (n − 1)/n if one has everything', () => {
    expect([gini([3, 3, 3]), gini([]), gini([0, 0])]).toEqual([0, 0, 0]);
    expect(gini([0, 0, 0, 8])).toBeCloseTo(0.75, 12);
    // Rounding would give −2.2e-16, and 1 − Gini would be a share above 1.
    expect(gini(Array(13).fill(87.2))).toBe(0);
  });
});

describe('an amount', () => {
  test('survives parsing and formatting', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -(10n ** 20n), max: 10n ** 20n }), (micro) => {
        const text = formatAmount(micro < 0n ? -micro : micro);
        expect(parseAmount(text)).toBe(micro < 0n ? -micro : micro);
      }),
    );
  });

  test('has the shortest text, even if negative', () => {
    expect([formatAmount(12_500_000n), formatAmount(-1n), formatAmount(0n)]).toEqual([
      '12.5',
      '-0.000001',
      '0',
    ]);
  });

  test('of a reward is rounded to six places', () => {
    expect(roundToAmount(75.8581800212435)).toBe('75.85818');
  });
});
