import { expect, test } from 'vitest';
import { DURATION, durationSeconds } from '../../pipeline/words/duration.ts';

test.each([
  ['P1D', 86_400],
  ['P2W', 1_209_600],
  ['PT12H', 43_200],
  ['P1DT12H', 129_600],
  ['P1Y2M3DT4H5M6S', 365 * 86_400 + 60 * 86_400 + 3 * 86_400 + 4 * 3600 + 5 * 60 + 6],
  ['P1Y1D', 366 * 86_400],
  ['PT1H1S', 3601],
  ['P1M', 30 * 86_400],
  ['PT1M', 60],
  ['PT0S', 0],
])('%s is %d seconds', (text, seconds) => {
  expect(text).toMatch(DURATION);
  expect(durationSeconds(text)).toBe(seconds);
});

test.each([...['', 'P1D\n'], ...'P PT P1 P1H PT1D P1DT P1W1D P1D1M PT1S1H P1.5D P-1D 1D p1d'.split(' ')])(
  '%j is no duration',
  (text) => {
    expect(text).not.toMatch(DURATION);
  },
);
