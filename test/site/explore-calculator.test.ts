import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { coordinationScore, miiThreshold, reward } from '../../pipeline/model/formulas.ts';
import {
  type CalculatorState,
  calculate,
  DEFAULT_NUMBERS,
  FIELD_NAMES,
  FIELDS,
  formatCalculator,
  type Numbers,
  parseCalculator,
  parseField,
  resultWords,
} from '../../src/site/components/calculator/calculator.ts';

const numbers = fc.record(
  Object.fromEntries(
    FIELD_NAMES.map((name) => {
      const { least, most } = FIELDS[name];
      return [
        name,
        fc.double({ min: least, max: Math.min(most, 1e6), noNaN: true }).map((n) => Number(n.toFixed(2))),
      ];
    }),
  ),
) as fc.Arbitrary<Numbers>;
const states: fc.Arbitrary<CalculatorState> = fc.record({ from: fc.constantFrom('score', 'work'), numbers });

describe('the calculator', () => {
  test('gives what the service’s formulas give', () => {
    fc.assert(
      fc.property(states, (state) => {
        const { s, multiplier, mints, supply, mii, uptime, ...work } = state.numbers;
        const score = state.from === 'score' ? s : coordinationScore({ ...work, uptime_days: uptime });
        const result = calculate(state);
        expect(result.score).toBe(score);
        expect(result.reward).toBeCloseTo(reward(score, multiplier), 6);
        expect(result.roi).toBeCloseTo(reward(score, multiplier) / 1000, 8);
        expect(result.total).toBeCloseTo(result.reward * mints, 3);
        expect(result.threshold).toBe(miiThreshold(supply));
        expect(result.isMinting).toBe(mii >= miiThreshold(supply));
      }),
    );
  });

  test('shows each step with the numbers put in', () => {
    const state = parseCalculator(new URLSearchParams('apps=9&uptime=64&multiplier=2&supply=10000000'));
    const { steps, ...result } = calculate(state);
    expect(steps.score).toEqual([
      '0.4 × 9 + 0.3 × 5 + 0.2 × 14 + 0.1 × (10 − 1.5) = 8.75',
      '1 + ln 64 = 5.159',
      's = 8.75 × 5.159 = 45.14 points',
    ]);
    expect(steps.reward.at(-1)).toBe('R = 439.55 × 2 = 879.1 MIC');
    expect(steps.threshold[0]).toBe('(95 − 2 × log10(10,000,000 ÷ 1,000,000)) ÷ 100 = 0.93');
    expect(resultWords({ ...result, steps })).toMatchObject({
      score: '45.14',
      reward: '879.10',
      minting: 'on',
    });
  });

  test('has no logarithm of nothing', () => {
    const { steps, threshold } = calculate({ from: 'score', numbers: { ...DEFAULT_NUMBERS, supply: 0 } });
    expect([threshold, steps.threshold[0]]).toEqual([1, 'With no supply, the threshold is 1.']);
  });
});

describe('a calculation’s address', () => {
  test('gives back what it was made of', () => {
    fc.assert(
      fc.property(states, ({ from, numbers }) => {
        const text = formatCalculator({ from, numbers });
        const again = parseCalculator(new URLSearchParams(text));
        expect(again.from).toBe(from);
        expect(calculate(again)).toEqual(calculate({ from, numbers }));
        expect(formatCalculator(again)).toBe(text);
      }),
    );
  });

  test('is empty for the defaults', () => {
    expect(formatCalculator({ from: 'score', numbers: DEFAULT_NUMBERS })).toBe('');
  });

  test.each([
    ['s', '-1'],
    ['s', '1e3'],
    ['s', 'fifty'],
    ['multiplier', '2.01'],
    ['drift', '10.5'],
    ['mii', ''],
    ['supply', '9'.repeat(20)],
  ] as const)('is not led astray by %s=%s', (name, text) => {
    expect(parseField(name, text)).toBeNull();
    const { numbers } = parseCalculator(new URLSearchParams({ [name]: text }));
    expect(numbers[name]).toBe(FIELDS[name].default);
  });
});
