import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { AREAS } from '../../pipeline/artifacts/artifact.ts';
import { isTierOf, QUOTAS, quotaOf, type Tier, tierWithoutKey } from '../../src/api/quotas.ts';

const DOCUMENT = readFileSync(new URL('../../docs/limits.md', import.meta.url), 'utf8');

/** Row by row as the specification of the service has them. */
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

  test('are for no other tier', () => {
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
