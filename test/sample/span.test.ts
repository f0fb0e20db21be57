import { expect, test } from 'vitest';
import { CathedralError } from '../../pipeline/errors.ts';
import { parseSpan, type SampleOptions } from '../../pipeline/sample/span.ts';

test('starts at C-0 and reads a date as 00:00 UTC', () => {
  expect(parseSpan({ to: '2025-12-01' })).toEqual({
    from: Date.parse('2025-07-03T00:00:00Z'),
    to: Date.parse('2025-12-01T00:00:00Z'),
    seed: 1,
    events: null,
  });
  expect(parseSpan({ from: '2026-01-01', to: '2026-01-01T06:30:00Z' }).to).toBe(
    Date.parse('2026-01-01T06:30:00Z'),
  );
  expect(parseSpan({ to: 1_800_000_000_123 }).to).toBe(1_800_000_000_123);
});

const WRONG: [string, SampleOptions, string][] = [
  ['an impossible date', { from: '2026-02-30', to: '2026-12-01' }, '--from'],
  ['a start before C-0', { from: '2025-07-02', to: '2026-12-01' }, '--from'],
  ['a time instead of a date', { from: '2026-01-01T00:00:00Z', to: '2026-12-01' }, '--from'],
  ['an end that is not a time', { to: 'tomorrow' }, '--to'],
  ['an end with an offset', { to: '2026-01-01T00:00:00+01:00' }, '--to'],
  ['an end at the start', { from: '2026-01-01', to: '2026-01-01' }, '--to'],
  ['an end that is not a number', { to: Number.NaN }, '--to'],
  ['a fractional seed', { to: '2026-01-01', seed: 1.5 }, '--seed'],
  ['a negative seed', { to: '2026-01-01', seed: -1 }, '--seed'],
  ['zero events', { to: '2026-01-01', events: 0 }, '--events'],
  ['too many events', { to: '2026-01-01', events: 1e10 }, '--events'],
];

test.each(WRONG)('rejects %s', (_, options, place) => {
  const attempt = () => parseSpan(options);
  expect(attempt).toThrow(CathedralError);
  expect(attempt).toThrow(expect.objectContaining({ code: 'usage', place }));
});
