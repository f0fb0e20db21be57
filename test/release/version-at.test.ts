import { describe, expect, test } from 'vitest';
import { retained } from '../../pipeline/build/snapshots/retained.ts';
import { slotId } from '../../pipeline/ledger/events/slot.ts';
import { slotAsOf, snapshotsAround } from '../../pipeline/release/format/version-at.ts';

const BEGIN = Date.UTC(2025, 6, 3, 6);
const HOUR_MS = 3_600_000;

/** Every slot of two years, newest first. */
const ALL = Array.from({ length: 2920 }, (_, index) => slotId(BEGIN + index * 6 * HOUR_MS)).reverse();
const KEPT = retained(ALL, 366).map((id) => ({ id }));
const around = (text: string, list: readonly { id: string }[] = KEPT) => {
  const { before, after, isExact } = snapshotsAround(list, slotAsOf(text)!);
  return [before?.id, after?.id, isExact];
};

describe('as_of', () => {
  test('is a snapshot, a time or a whole day', () => {
    expect(slotAsOf('2026-06-10T06Z')).toBe('2026-06-10T06Z');
    expect(slotAsOf('2026-06-10')).toBe('2026-06-11T00Z');
    expect(slotAsOf('2026-06-10T05:59:59Z')).toBe('2026-06-10T00Z');
    expect(slotAsOf('2026-06-10T06:00:00+02:00')).toBe('2026-06-10T00Z');
  });

  test.each([
    ...['', '2026', '2026-06', '2026-02-30', '2026-06-10T24Z', '2026-06-10T06', '10/06/2026', ' 2026-06-10'],
    ...['2026-06-10T06:60:00Z', '2026-00-10', '02026-06-10', '9999-12-31'],
  ])('is not %j', (text) => {
    expect(slotAsOf(text)).toBeNull();
  });
});

describe('the snapshot of a moment', () => {
  test('is the last one up to then', () => {
    expect(around('2027-06-10T06Z')).toEqual(['2027-06-10T06Z', '2027-06-10T12Z', true]);
    expect(around('2999-01-01')).toEqual([KEPT[0]!.id, undefined, true]);
    expect(around('2027-06-09').slice(0, 1)).toEqual(['2027-06-10T00Z']);
  });

  test('may have been removed: of an earlier month only the last one is kept', () => {
    expect(around('2025-09-15T06Z')).toEqual(['2025-08-31T18Z', '2025-09-30T18Z', false]);
    expect(around('2025-09-30T18Z')).toEqual(['2025-09-30T18Z', '2025-10-31T18Z', true]);
    const since = KEPT.findLast(({ id }, at) => KEPT[at - 1]?.id.slice(0, 7) === id.slice(0, 7))!.id;
    expect(around(since)[2]).toBe(true);
    expect(around(`${since.slice(0, 8)}01T06Z`)).toEqual([expect.anything(), since, false]);
  });

  test('is never an older one where it was removed', () => {
    for (const days of [0, 20, 366])
      for (const end of [0, 30, 61]) {
        const all = ALL.slice(end);
        const kept = new Set(retained(all, days));
        const list = all.filter((id) => kept.has(id)).map((id) => ({ id }));
        for (const id of all.slice(0, -124))
          expect([days, id, snapshotsAround(list, id).isExact]).toEqual([days, id, kept.has(id)]);
      }
  });

  test('was never made by a quiet ledger, which its neighbours show', () => {
    const quiet = (from: number, to: number) => KEPT.filter((_, at) => at < from || at > to);
    expect(around(KEPT[8]!.id, quiet(4, 12))).toEqual([KEPT[13]!.id, KEPT[3]!.id, true]);
    const month = KEPT.findIndex(({ id }) => id.startsWith('2027-05-31'));
    expect(around(KEPT[month]!.id, quiet(month - 9, month + 3))[2]).toBe(true);
  });

  test('is missing before the first one, and in an empty list', () => {
    expect(around('2025-07-02')).toEqual([undefined, KEPT.at(-1)!.id, false]);
    expect(around('2025-07-02', [])).toEqual([undefined, undefined, false]);
  });

  test('is found in every part of the list with an entry more on either side', () => {
    for (let at = 1; at < KEPT.length - 2; at += 7) {
      const slot = slotId(Date.parse(`${KEPT[at]!.id.slice(0, 13)}:00:00Z`) + 12 * HOUR_MS);
      const place = KEPT.findIndex(({ id }) => id <= slot);
      const part = KEPT.slice(Math.max(0, place - 1), place + 2);
      expect(around(slot, part), slot).toEqual(around(slot));
    }
  });
});
