import { expect, test } from 'vitest';
import { askedPair, comparisonHtml, type Subject } from '../../src/site/components/compare/compare-pair.ts';

const sentinel = (id: string, ...figures: (number | null)[]): Subject => ({
  kind: 'sentinel',
  id,
  label: id,
  href: `/sentinels/${id.toLowerCase()}/`,
  figures,
});
const ALL: Subject[] = [
  sentinel('ATLAS', 6, 0.99, 64.263, 2, 1000, null),
  sentinel('ECHO', 10, 0.95, 38, 1.5, 2500.4, 0.4),
  {
    kind: 'cathedral',
    id: 'FOR-ECONOMISTS',
    label: 'Economists',
    href: '/economy/',
    figures: [3, 2, 10, 0.5],
  },
];

test('an address names a pair in any case of letters, and without names the first two are shown', () => {
  expect(askedPair(ALL, 'echo', 'Atlas')).toEqual({ pair: [ALL[1], ALL[0]] });
  expect(askedPair(ALL, '', '')).toEqual({ pair: [ALL[0], ALL[1]] });
});

test.each([
  [
    'ATLAS',
    'NOBODY',
    '“NOBODY” is no sentinel or cathedral of this ledger. There are ATLAS, ECHO and FOR-ECONOMISTS.',
  ],
  ['ATLAS', 'atlas', 'ATLAS cannot be compared with itself. Choose two different names.'],
  ['ATLAS', 'FOR-ECONOMISTS', 'ATLAS is a sentinel, Economists a cathedral. Choose two of one kind.'],
  ['ATLAS', '', 'The address names only one of two: a and b are both needed.'],
])('of %j and %j it says what is wrong', (a, b, fault) => {
  expect(askedPair(ALL, a, b)).toEqual({ fault });
});

test('the table has both values and their difference, and no difference without a value', () => {
  const rows = [...comparisonHtml([ALL[0]!, ALL[1]!]).matchAll(/<tr><th scope="row">(.*?)<\/tr>/g)].map(
    ([, row]) => [...row!.matchAll(/<td[^>]*>([^<]*)/g)].map(([, cell]) => cell),
  );
  expect(rows).toEqual([
    ['6', '10', '−4'],
    ['0.990', '0.950', '+0.040'],
    ['64.3', '38.0', '+26.3'],
    ['2.00', '1.50', '+0.50'],
    ['1,000', '2,500', '−1,500'],
    ['–', '0.400', '–'],
  ]);
});
