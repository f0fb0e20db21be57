import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { KEY_AREAS } from '../../../src/api/tiers.ts';
import {
  containsKey,
  createKey,
  isKey,
  keyPrefix,
  randomBase62,
  redactKeys,
} from '../../../src/sidecar/keys/key-text-and-hash.ts';

/** Bytes that become these letters: each one's place in the alphabet. */
const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const bytesOf = (text: string) => () => Uint8Array.from([...text].map((letter) => ALPHABET.indexOf(letter)));

const KEY = 'cds_economy_0123456789ABCDEFGHIJKLMNOPQRST_2EmdzQ';

describe('base 62', () => {
  test('leaves out the bytes that would make the first letters likelier', () => {
    const bytes = Uint8Array.from([255, 248, 247, 186, 0, 61]);
    expect(randomBase62(4, () => bytes)).toBe('z00z');
  });

  test('uses all 62 letters, each about as often', () => {
    const counts = new Map<string, number>();
    for (const letter of randomBase62(62_000, randomBytes)) counts.set(letter, (counts.get(letter) ?? 0) + 1);
    expect([...counts.keys()].sort().join('')).toBe([...ALPHABET].sort().join(''));
    // 1000 each; 8 standard deviations are 254.
    expect(Math.min(...counts.values())).toBeGreaterThan(746);
    expect(Math.max(...counts.values())).toBeLessThan(1254);
  });
});

describe('a key', () => {
  test.each([
    ['government', '0123456789ABCDEFGHIJKLMNOPQRST', 'cds_government_0123456789ABCDEFGHIJKLMNOPQRST_2mVwFk'],
    ['economy', '0123456789ABCDEFGHIJKLMNOPQRST', KEY],
    ['economy', '000000000000000000000000000043', 'cds_economy_000000000000000000000000000043_00X9jD'],
  ] as const)('of %s has the checksum that another program computes', (area, random, expected) => {
    expect(createKey(area, bytesOf(random))).toBe(expected);
    expect(isKey(expected)).toBe(true);
  });

  test('is taken again when it was made here, for every area', () => {
    for (const area of KEY_AREAS) {
      const key = createKey(area, randomBytes);
      expect(isKey(key)).toBe(true);
      expect(key).toMatch(new RegExp(`^cds_${area}_[0-9A-Za-z]{30}_[0-9A-Za-z]{6}$`));
    }
  });

  test('with any one character changed is none', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...KEY_AREAS),
        fc.uint8Array({ minLength: 30, maxLength: 30 }),
        fc.nat(),
        fc.constantFrom(...ALPHABET, '_', '-', ' ', 'é'),
        (area, bytes, index, letter) => {
          const key = createKey(area, bytesOf([...bytes].map((byte) => ALPHABET[byte % 62]).join('')));
          const at = index % key.length;
          fc.pre(key[at] !== letter);
          expect(isKey(key.slice(0, at) + letter + key.slice(at + 1))).toBe(false);
        },
      ),
      { numRuns: 300 },
    );
  });

  test.each([
    '',
    'cds_',
    KEY.slice(1),
    KEY.slice(0, -1),
    `${KEY}\n`,
    ` ${KEY}`,
    `${KEY}${KEY}`,
    KEY.toLowerCase(),
    KEY.replace('economy', 'diplomacy'),
    KEY.replace('economy', 'academics'),
    KEY.replace('cds', 'CDS'),
    'x'.repeat(100_000),
  ])('is not what stands in %j', (text) => {
    expect(isKey(text)).toBe(false);
  });

  test('is named by its prefix, which leaves 26 letters unknown', () => {
    expect(keyPrefix(KEY)).toBe('cds_economy_0123');
  });
});

describe('text with keys in it', () => {
  test('is told from text without', () => {
    expect(containsKey(`see ${KEY}.`)).toBe(true);
    expect(containsKey(KEY.replace(/.$/, 'x'))).toBe(true);
    expect(containsKey('cds_economy_Ab3d')).toBe(false);
  });

  test('loses all but their prefixes, cut ones too', () => {
    expect(redactKeys(`550 bad: "${KEY}", ${KEY.slice(0, 20)}`)).toBe(
      '550 bad: "cds_economy_0123…", cds_economy_0123…',
    );
    expect(redactKeys('nothing here')).toBe('nothing here');
    expect(redactKeys('cds_economy_Ab3d')).toBe('cds_economy_Ab3d');
  });
});
