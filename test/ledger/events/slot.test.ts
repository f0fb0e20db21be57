import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  isSlotId,
  nextSlotId,
  SLOT_MS,
  slotId,
  slotTime,
  slotTimestamp,
} from '../../../pipeline/ledger/events/slot.ts';

describe('a slot', () => {
  test.each([
    ['2025-12-01T00:00:00.000Z', '2025-12-01T00Z'],
    ['2025-12-01T05:59:59.999Z', '2025-12-01T00Z'],
    ['2025-12-01T06:00:00.000Z', '2025-12-01T06Z'],
    ['2025-12-01T23:00:00.000Z', '2025-12-01T18Z'],
    // UTC has no daylight saving time.
    ['2025-11-02T09:30:00.000Z', '2025-11-02T06Z'],
    ['1969-12-31T23:59:59.999Z', '1969-12-31T18Z'],
  ])('%s is in %s', (time, id) => {
    expect(slotId(Date.parse(time))).toBe(id);
  });

  test('contains its own time', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 4e12 }), (ms) => {
        const id = slotId(ms);
        expect(slotTime(id)).toBeLessThanOrEqual(ms);
        expect(slotTime(id)).toBeGreaterThan(ms - SLOT_MS);
        expect(slotId(slotTime(id))).toBe(id);
        expect(slotTime(nextSlotId(id))).toBe(slotTime(id) + SLOT_MS);
        expect(nextSlotId(id) > id).toBe(true);
        expect(Date.parse(slotTimestamp(id))).toBe(slotTime(id));
      }),
    );
  });

  test('follows the last one of a year', () => {
    expect(nextSlotId('2024-12-31T18Z')).toBe('2025-01-01T00Z');
  });

  test('may be on a leap day', () => {
    expect(['2024-02-29T06Z', '2000-02-29T00Z'].map(isSlotId)).toEqual([true, true]);
  });

  const NONE = [
    ...'2025-12-01T05Z 2025-12-01T24Z 2025-02-30T06Z 2025-02-29T06Z 2100-02-29T06Z 2025-04-31T06Z'.split(' '),
    ...'2025-04-00T06Z 2025-00-01T06Z 2025-13-01T06Z 2025-12-32T06Z 2025-12-1T06Z 2025-12-01T06z'.split(' '),
    ...['2025-12-01T06:00:00Z', '2025-12-01', ' 2025-12-01T06Z', '2025-12-01T06Z\n', '', '../2025-12-01T06Z'],
  ];
  test.each(NONE)('is not %j', (id) => {
    expect(isSlotId(id)).toBe(false);
    expect(() => slotTime(id)).toThrow(
      expect.objectContaining({ code: 'ledger_order', place: `snapshots/${id}` }),
    );
  });
});
