import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { AREAS } from '../../pipeline/artifacts/artifact.ts';
import {
  isTierOf,
  QUOTAS,
  quotaOf,
  rateLimitHeaders,
  secondsToMidnight,
  type Tier,
  tierWithoutKey,
  utcDay,
} from '../../src/api/quotas.ts';
import { rateLimited } from '../../src/sidecar/limits/rate-limited.ts';

const DOCUMENT = readFileSync(new URL('../../docs/limits.md', import.meta.url), 'utf8');

/** Row by row as in the specification of the service. */
const ROWS = [
  ['government', 'public', 100],
  ['government', 'government', 'unlimited'],
  ['economy', 'anonymous', 100],
  ['economy', 'economist', 2_000],
  ['economy', 'institutional', 'unlimited'],
  ['academics', 'anonymous', 100],
  ['academics', 'academic', 1_000],
  ['academics', 'institutional', 10_000],
  ['philosophy', 'anonymous', 100],
  ['philosophy', 'academic', 1_000],
  ['philosophy', 'institutional', 10_000],
  ['diplomacy', 'anonymous', 100],
] as const;

describe('quotas', () => {
  test.each(ROWS)('of %s, tier %s: %s', (area, tier, quota) => {
    expect(quotaOf(area, tier)).toBe(quota);
  });

  test('exist for no other tier', () => {
    expect(Object.values(QUOTAS).flatMap((tiers) => Object.keys(tiers))).toHaveLength(ROWS.length);
    expect(() => quotaOf('economy', 'academic')).toThrow(RangeError);
    expect(() => quotaOf('economy', 'toString' as Tier)).toThrow(RangeError);
    expect(isTierOf('diplomacy', 'institutional')).toBe(false);
    expect(isTierOf('economy', 'economist')).toBe(true);
  });

  test.each(AREAS)('without a key in %s: the first tier, 100 a day', (area) => {
    expect(tierWithoutKey(area)).toBe(Object.keys(QUOTAS[area])[0]);
    expect(quotaOf(area, tierWithoutKey(area))).toBe(100);
  });

  test.each(ROWS)('are documented: %s, %s, %s', (area, tier, quota) => {
    const shown = quota === 'unlimited' ? quota : quota.toLocaleString('en-US').replace(',', ' ');
    expect(DOCUMENT).toContain(`| ${area} | ${tier} | ${shown} |`);
  });
});

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

test('waiting for the seconds to midnight ends on the next day, and not a second later', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 4e12 }), (time) => {
      const back = time + secondsToMidnight(time) * 1_000;
      expect(utcDay(back)).not.toBe(utcDay(time));
      expect(utcDay(back - 1_001)).toBe(utcDay(time));
    }),
  );
});

test('headers within the quota say what is left', () => {
  expect(rateLimitHeaders({ allowed: true, limit: 100, remaining: 97, resetSeconds: 3_600 })).toEqual({
    'RateLimit-Policy': '"daily";q=100;w=86400',
    RateLimit: '"daily";r=97;t=3600',
  });
});

test('headers over the quota say when to return', () => {
  const over = { allowed: false, limit: 1_000, remaining: 0, resetSeconds: 1 };
  const headers = {
    'RateLimit-Policy': '"daily";q=1000;w=86400',
    RateLimit: '"daily";r=0;t=1',
    'Retry-After': '1',
  };
  expect(rateLimitHeaders(over)).toEqual(headers);
  expect(rateLimited('academics', over)).toMatchObject({ code: 'rate_limited', headers });
  expect(rateLimited('academics', over).message).toContain('1000 requests of this day for academics');
});

test('there are no headers without a quota', () => {
  expect(rateLimitHeaders({ allowed: true, limit: null, remaining: null, resetSeconds: 3_600 })).toEqual({});
});
