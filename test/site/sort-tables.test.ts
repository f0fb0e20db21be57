import { expect, test } from 'vitest';
import { compareValues, sortValue } from '../../src/site/layout/sort-tables.ts';

test.each([
  ['1,234.5', 1234.5],
  ['−3.0 %', -3],
  ['+0.05', 0.05],
  ['12,790,106 MIC', 12_790_106],
  ['20.5 kB', 20_500],
  ['482 bytes', 482],
  ['9 March 2026', Date.UTC(2026, 2, 9)],
  ['30 September 2026, 18:00 UTC', Date.UTC(2026, 8, 30, 18)],
  ['2026-03-09', '2026-03-09'],
  ['C-400', 'C-400'],
  ['3 of 10', '3 of 10'],
  ['–', null],
  ['', null],
])('a cell %j is sorted by %j', (text, value) => {
  expect(sortValue(text)).toBe(value);
});

test('numbers are ordered by size and ids by their numbers, and empty cells come last in both orders', () => {
  const sorted = (texts: string[], order: 'ascending' | 'descending') =>
    texts.toSorted((a, b) => compareValues(sortValue(a), sortValue(b), order));
  expect(sorted(['–', '10', '9.5', '1,000'], 'ascending')).toEqual(['9.5', '10', '1,000', '–']);
  expect(sorted(['–', '10', '9.5', '1,000'], 'descending')).toEqual(['1,000', '10', '9.5', '–']);
  expect(sorted(['C-100', 'C-20', 'c-3'], 'ascending')).toEqual(['c-3', 'C-20', 'C-100']);
});
