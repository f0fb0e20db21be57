import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { compareTimestamps } from '../../../pipeline/ledger/events/timestamp.ts';

describe('timestamps', () => {
  test.each([
    ['2025-12-01T06:00:00Z', '2025-12-01T06:00:00.5Z'],
    ['2025-12-01T06:00:00Z', '2025-12-01T06:00:00.000001Z'],
    ['2025-12-01T06:00:00.25Z', '2025-12-01T06:00:00.3Z'],
    ['2025-12-01T06:00:00.9Z', '2025-12-01T06:00:01Z'],
    ['2025-12-01T06:00:00.999999999Z', '2025-12-01T06:00:01.0Z'],
    ['2025-11-30T23:59:59.9Z', '2025-12-01T00:00:00Z'],
  ])('%s is before %s', (a, b) => {
    expect(Math.sign(compareTimestamps(a, b))).toBe(-1);
    expect(Math.sign(compareTimestamps(b, a))).toBe(1);
  });

  test.each([
    ['2025-12-01T06:00:00Z', '2025-12-01T06:00:00.0Z'],
    ['2025-12-01T06:00:00.5Z', '2025-12-01T06:00:00.500Z'],
    ['2025-12-01T06:00:00.120Z', '2025-12-01T06:00:00.12000Z'],
  ])('%s and %s are the same instant', (a, b) => {
    expect(compareTimestamps(a, b)).toBe(0);
    expect(compareTimestamps(b, a)).toBe(0);
  });

  test('are ordered by their instants', () => {
    const spelt = fc.tuple(fc.integer({ min: 0, max: 1e6 }), fc.nat(999), fc.nat(6)).map(([s, ms, zeros]) => {
      const digits = `${String(ms).padStart(3, '0')}${'0'.repeat(zeros)}`;
      const fraction = ms === 0 && zeros === 0 ? '' : `.${digits}`;
      return {
        ms: s * 1000 + ms,
        text: `${new Date(1.7e12 + s * 1000).toISOString().slice(0, 19)}${fraction}Z`,
      };
    });
    fc.assert(
      fc.property(spelt, spelt, (a, b) => {
        expect(Math.sign(compareTimestamps(a.text, b.text))).toBe(Math.sign(a.ms - b.ms));
      }),
    );
  });
});
