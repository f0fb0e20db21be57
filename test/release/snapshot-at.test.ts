import { describe, expect, test } from 'vitest';
import { retained } from '../../pipeline/build/snapshots/retained.ts';
import { slotId } from '../../pipeline/ledger/slot.ts';
import { parseAsOf, snapshotAt } from '../../pipeline/release/format/snapshot-at.ts';

const BEGIN = Date.UTC(2025, 6, 3, 6);
const HOUR_MS = 3_600_000;

/** Every slot of two years, newest first. */
const ALL = Array.from({ length: 2920 }, (_, index) => slotId(BEGIN + index * 6 * HOUR_MS)).reverse();
const KEPT = retained(ALL, 366).map((id) => ({ id }));
const at = (text: string, list: readonly { id: string }[] = KEPT) => snapshotAt(list, parseAsOf(text)!);

describe('as_of', () => {
  test('is a snapshot, a time or a whole day', () => {
    const moments = [
      '2026-06-10T06Z',
      '2026-06-10T06:00Z',
      '2026-06-10T06:00:00Z',
      '2026-06-10T06:00:00.000Z',
    ];
    for (const text of moments) expect(parseAsOf(text), text).toBe(Date.UTC(2026, 5, 10, 6));
    expect(parseAsOf('2026-06-10')).toBe(Date.UTC(2026, 5, 11));
    expect(parseAsOf('2026-06-10T05:59:59Z')).toBe(Date.UTC(2026, 5, 10, 5, 59, 59));
  });

  test.each([
    ...['', '2026', '2026-06', '2026-02-30', '2026-06-10T24Z', '2026-06-10T06', '2026-06-10T06:00:00+02:00'],
    ...['2026-06-10T06:60Z', '10/06/2026', '2026-06-10t06z', ' 2026-06-10', '2026-00-10', '02026-06-10'],
  ])('is not %j', (text) => {
    expect(parseAsOf(text)).toBeNull();
  });
});

describe('the snapshot of a moment', () => {
  test('is the last one up to then', () => {
    expect(at('2027-06-10T06Z')).toEqual({ kind: 'kept', entry: { id: '2027-06-10T06Z' } });
    expect(at('2027-06-10T11:59:59Z')).toEqual({ kind: 'kept', entry: { id: '2027-06-10T06Z' } });
    expect(at('2027-06-09')).toEqual({ kind: 'kept', entry: { id: '2027-06-10T00Z' } });
    expect(at('2999-01-01')).toEqual({ kind: 'kept', entry: KEPT[0] });
  });

  test('may have been removed by retention: then its neighbours are named', () => {
    expect(at('2025-09-15T06Z')).toEqual({
      kind: 'removed',
      before: { id: '2025-08-31T18Z' },
      after: { id: '2025-09-30T18Z' },
    });
    expect(at('2025-09-30T18Z')).toEqual({ kind: 'kept', entry: { id: '2025-09-30T18Z' } });
    expect(at('2025-09-30T23:00Z')).toEqual({ kind: 'kept', entry: { id: '2025-09-30T18Z' } });
  });

  test('is not one that a quiet ledger did not make', () => {
    const quiet = ALL.slice(0, 40)
      .filter((_, index) => index < 4 || index > 12)
      .map((id) => ({ id }));
    expect(at(ALL[8]!, quiet)).toEqual({ kind: 'kept', entry: { id: ALL[13] } });
  });

  test('is missing before the first one, and in an empty list', () => {
    expect(at('2025-07-03T05:59:59Z')).toEqual({ kind: 'before_first', after: KEPT.at(-1) });
    expect(at('2025-07-03', [])).toEqual({ kind: 'before_first', after: undefined });
  });

  test('is found in every part of the list that has two entries after it', () => {
    for (let index = 2; index < KEPT.length; index += 7) {
      const { id } = KEPT[index]!;
      expect(at(id, KEPT.slice(index - 2, index + 1))).toEqual(at(id));
    }
  });
});
