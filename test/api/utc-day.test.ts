import fc from 'fast-check';
import { expect, test } from 'vitest';
import { secondsToMidnight, utcDay } from '../../src/api/utc-day.ts';

test.each([
  ['2025-12-01T00:00:00.000Z', '2025-12-01', 86_400],
  ['2025-12-01T00:00:00.001Z', '2025-12-01', 86_400],
  ['2025-12-01T07:59:59.999Z', '2025-12-01', 57_601],
  ['2025-12-01T23:00:00.000Z', '2025-12-01', 3_600],
  ['2025-12-01T23:59:59.000Z', '2025-12-01', 1],
  ['2025-12-01T23:59:59.999Z', '2025-12-01', 1],
  ['2024-02-29T12:00:00.000Z', '2024-02-29', 43_200],
])('%s is on %s, %d s before midnight', (time, day, seconds) => {
  expect(utcDay(Date.parse(time))).toBe(day);
  expect(secondsToMidnight(Date.parse(time))).toBe(seconds);
});

test('who waits for the seconds to midnight comes back on the next day, and not a second later', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 4e12 }), (time) => {
      const back = time + secondsToMidnight(time) * 1_000;
      expect(utcDay(back)).not.toBe(utcDay(time));
      expect(utcDay(back - 1_001)).toBe(utcDay(time));
    }),
  );
});
