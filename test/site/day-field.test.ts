import { describe, expect, test } from 'vitest';
import { dayFault } from '../../src/site/components/day-field.ts';

const field = (value: string, dataset: Record<string, string> = {}, required = false) =>
  ({ value, required, dataset }) as unknown as HTMLInputElement;
const EXTENT = { min: '2025-07-03', max: '2026-11-22' };

describe('a field for a day', () => {
  test('accepts the days of the data, and nothing if it need not be filled in', () => {
    for (const value of ['2025-07-03', ' 2026-02-28 ', '2026-11-22', ''])
      expect(dayFault(field(value, EXTENT))).toBe('');
    expect(dayFault(field('1900-01-01'))).toBe('');
  });

  test.each([
    ['', 'Enter a day as YYYY-MM-DD from 2025-07-03 to 2026-11-22.'],
    ['03/04/2026', '“03/04/2026” is not a day as YYYY-MM-DD, for example 2026-11-22.'],
    ['2026-2-3', '“2026-2-3” is not a day as YYYY-MM-DD, for example 2026-11-22.'],
    ['2026-02-30', 'The calendar has no 2026-02-30.'],
    ['2026-13-01', 'The calendar has no 2026-13-01.'],
    ['2020-01-01', '2020-01-01 is outside the data. Enter a day from 2025-07-03 to 2026-11-22.'],
    ['2026-11-23', '2026-11-23 is outside the data. Enter a day from 2025-07-03 to 2026-11-22.'],
  ])('says of %j what is wrong', (value, words) => {
    expect(dayFault(field(value, EXTENT, true))).toBe(words);
  });
});
