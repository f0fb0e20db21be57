import { expect, test } from 'vitest';
import { endOf } from '../../../pipeline/build/site/compile-site.ts';

const ADVICE = /Probably the memory did not suffice: .* install the package, which has its site compiled\.$/;

test.each([
  ['SIGKILL', ''],
  ['SIGABRT', 'FATAL ERROR: Ineffective mark-compacts near heap limit\n'],
  ['137', ''],
  ['1', 'Allocation failed - JavaScript heap out of memory\n'],
])('a compiler that ends with %s is said to have had too little memory', (exit, output) => {
  expect(endOf(exit, output)).toMatch(ADVICE);
});

test('one that refuses a page is not', () => {
  expect(endOf('1', 'building\n[ERROR] index.astro: no such component\n    at build\n')).toBe(
    'exit 1: [ERROR] index.astro: no such component',
  );
});
