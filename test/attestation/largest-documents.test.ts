import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../pipeline/attestation/limited-json.ts';
import { verifyAttestation } from '../../pipeline/attestation/verify-attestation.ts';
import { few } from '../setups/sweep.ts';
import { TRUST, UNSIGNED } from './signed-document.ts';

const BYTES = 65_536;
const SIGNED = { ...UNSIGNED, signature: `${'A'.repeat(86)}==` };
const names = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, place) => [place.toString(36), 1]));

/** Documents of maximum length, by content. */
const FULL: Record<string, (count: number) => JsonObject> = {
  'zeros of a second': (count) => ({ ...SIGNED, attested_at: `2025-12-01T06:00:00.${'0'.repeat(count)}1Z` }),
  'zeros of two seconds': (count) => ({
    ...SIGNED,
    attested_at: `2025-12-01T06:00:00.${'0'.repeat(count / 2)}1Z`,
    expires_at: `2025-12-02T06:00:00.${'0'.repeat(count / 2)}1Z`,
  }),
  permissions: (count) => ({ ...SIGNED, scope: Array(count).fill('a.a') }),
  'permissions that are none': (count) => ({ ...SIGNED, scope: Array(count).fill('A') }),
  'one permission': (count) => ({ ...SIGNED, scope: [`${'a.'.repeat(count)}A`] }),
  'digits of a duration': (count) => ({
    ...SIGNED,
    drift_monitoring: { check_interval: `P${'1'.repeat(count)}D` },
  }),
  'digits of no duration': (count) => ({
    ...SIGNED,
    drift_monitoring: { check_interval: `P${'1'.repeat(count)}` },
  }),
  numbers: (count) => ({ ...SIGNED, metadata: { x: Array(count).fill(1) } }),
  'members at the top': (count) => ({ ...SIGNED, ...names(count) }),
  'members inside': (count) => ({ ...SIGNED, epicon_ej: names(count) }),
  'anchors without members': (count) => ({ ...SIGNED, epicon_ej: { anchors: Array(count).fill({}) } }),
  'values that are none': (count) => ({ ...SIGNED, epicon_ej: { values: Array(count).fill(0) } }),
  'members that are not read': (count) => ({
    ...SIGNED,
    epicon_ej: { anchors: Array(count).fill({ type: 'policy', source: '', confidence: 1, x: 1 }) },
  }),
  'lists in lists': (count) => ({ ...SIGNED, metadata: { x: Array(count).fill([[[[[[[[]]]]]]]]) } }),
  'a name': (count) => ({ ...SIGNED, attested_by: 'x'.repeat(count) }),
  'a signature': (count) => ({ ...SIGNED, signature: 'A'.repeat(count) }),
};

/** The longest text within the limit. */
function fill(make: (count: number) => JsonObject): string {
  const textOf = (count: number) => JSON.stringify(make(count));
  let [fits, tooMany] = [1, BYTES];
  while (tooMany - fits > 1) {
    const middle = (fits + tooMany) >> 1;
    if (textOf(middle).length <= BYTES) fits = middle;
    else tooMany = middle;
  }
  return textOf(fits);
}

// A check whose time grows with the square of the length would run into the time-out of a test.
describe('a document full of', () => {
  test.each(few(Object.entries(FULL), 8))('%s has a short verdict', (_, make) => {
    const text = fill(make);
    expect(text.length).toBeGreaterThan(BYTES - 100);
    const verdict = verifyAttestation(text, TRUST);
    expect(verdict.valid).toBe(false);
    expect(JSON.stringify(verdict).length).toBeLessThan(12_000);
  });

  test.each(few(['[', '{"a":', '"', '\\u0041', ' ', '1', '[[],', '"a', '-', '1e9', '\ud83d\ude00'], 4))(
    '%j has one, too',
    (text) => {
      const full = text.repeat(BYTES / Buffer.byteLength(text));
      expect(verifyAttestation(full, TRUST)).toMatchObject({ valid: false, status: 'invalid', id: null });
      expect(verifyAttestation(`"${full.slice(2)}"`, TRUST).valid).toBe(false);
    },
  );
});
