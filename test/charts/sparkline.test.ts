import { expect, test } from 'vitest';
import { sparkline } from '../../pipeline/charts/drawing/sparkline.ts';

const pathOf = (svg: string) => / d="([^"]*)"/.exec(svg)?.[1];

test('a sparkline runs from the least to the greatest value over its whole width, with a gap where there is none', () => {
  expect(pathOf(sparkline([0, 1, null, 3, 2]))).toBe('M3,27L31.5,19M88.5,3L117,11');
  expect(sparkline([0, 1, null, 3, 2])).toContain('<circle cx="117" cy="11"');
});

test('a measure that did not change runs along the middle', () => {
  expect(pathOf(sparkline([7, 7]))).toBe('M3,15L117,15');
});

test('without two values there is no line', () => {
  expect([sparkline([]), sparkline([1]), sparkline([null, 1, null])]).toEqual(['', '', '']);
});
