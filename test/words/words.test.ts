import { globSync, readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import * as z from 'zod/mini';
import { hiddenIn, legible } from '../../pipeline/words/hidden.ts';
import {
  formatDay,
  formatMoment,
  formatMonth,
  formatPeriod,
  formatTimestamp,
} from '../../pipeline/words/moment.ts';
import {
  counted,
  formatBytes,
  formatChange,
  formatCount,
  formatIndex,
  formatMic,
  formatNumber,
  formatPercent,
  formatScore,
  formatSome,
  NO_VALUE,
} from '../../pipeline/words/number.ts';
import { capitalise, formatList, formatToken } from '../../pipeline/words/phrase.ts';
import { indentJson } from '../../src/site/files/preview.ts';

describe('numbers in words', () => {
  test.each([
    [formatNumber(3_412_009.5), '3,412,010'],
    [formatNumber(-2.5, { min: 2, max: 2 }), '−2.50'],
    [formatNumber(1.25, { min: 1, max: 6 }), '1.25'],
    [formatNumber(-0.4), '0'],
    [formatNumber(1234.5, 2), '1,234.50'],
    [formatScore(0.94), '0.940'],
    [formatScore(null), 'not measured'],
    [formatIndex(null, NO_VALUE), '–'],
    [formatIndex(0.9661), '0.9661'],
    [formatPercent(0.9538), '95.4\u00a0%'],
    [formatChange(0.05), '+0.05'],
    [formatChange(-0.05), '−0.05'],
    [formatChange(0.001), '0.00'],
    [formatChange(-0.001), '0.00'],
    [formatCount(0, 'event'), 'no events'],
    [formatCount(1, 'event'), '1 event'],
    [formatSome(0, 3, 'scores', ['is', 'are']), 'None of the 3 scores is'],
    [formatSome(1, 3, 'scores', ['is', 'are']), '1 of the 3 scores is'],
    [formatSome(3, 3, 'scores', ['is', 'are']), 'All 3 scores are'],
    [formatCount(1200, 'alert was', 'alerts were'), '1,200 alerts were'],
    [formatMic(0), '0 MIC'],
    [formatMic(3_412_009.25), '3,412,009 MIC'],
    [formatBytes(0), '0\u00a0bytes'],
    [formatBytes(999), '999\u00a0bytes'],
    [formatBytes(25_231), '25.2\u00a0kB'],
    [formatBytes(123_456_789), '123\u00a0MB'],
  ])('%s reads %s', (found, expected) => {
    expect(found).toBe(expected);
  });
});

describe('times in words are in UTC, wherever the site is built', () => {
  test.each([
    [formatDay('2026-01-01T00:30:00Z'), '1 January 2026'],
    [formatDay('2026-11-15'), '15 November 2026'],
    [formatMoment('2026-09-30T18:05:59Z'), '30 September 2026, 18:05 UTC'],
    [formatMonth('2026-03'), 'March 2026'],
    [formatMonth('2026-03-31'), 'March 2026'],
    [formatTimestamp(Date.UTC(2026, 2, 4, 10, 11, 12, 999)), '2026-03-04T10:11:12Z'],
    [
      formatPeriod({ from: '2026-01-01T00:00:00Z', to: '2026-09-30T18:00:00Z' }),
      'between 1 January and 30 September 2026',
    ],
    [
      formatPeriod({ from: '2025-12-31T00:00:00Z', to: '2026-01-01T00:00:00Z' }),
      'between 31 December 2025 and 1 January 2026',
    ],
    [formatPeriod({ from: '2026-01-01T00:00:00Z', to: '2026-01-01T06:00:00Z' }), 'on 1 January 2026'],
  ])('%s is %s', (found, expected) => {
    expect(found).toBe(expected);
  });
});

test('a number stands before one thing or several', () => {
  expect([0, 1, 2, 20_000].map((count) => counted(count, 'event'))).toEqual([
    ...['0 events', '1 event', '2 events', '20000 events'],
  ]);
  expect([1n, 2n].map((count) => counted(count, 'entry', 'entries'))).toEqual(['1 entry', '2 entries']);
});

// What is counted before it is written: a name in capitals is a constant, which is never one.
const PLURAL =
  /\$\{(?!format|[A-Z_]+[}.])[^{}`]*\} (?:published |read )?(events|cells|items|elements|keys|answers|findings|starts)\b/;

test('no message writes the plural of what may be one', () => {
  const files = globSync(['pipeline/**/*.ts', 'src/**/*.ts']);
  const lines = files.flatMap((file) =>
    readFileSync(file, 'utf8')
      .split('\n')
      .filter((line) => PLURAL.test(line) && !/^\s*(\*|\/\/|\/\*)/.test(line))
      .map((line) => `${file}: ${line.trim()}`),
  );
  expect(lines).toEqual([]);
});

test.each([
  ['Council of Northby', null],
  ['Räte & Söhne – 市議会 👩‍⚖️ नर्मदा\u200dक', null],
  ['شورای\u200cشهر', null],
  ['Team \u{1f3f4}\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}', null],
  ['Coun\u202ecil', 'U+202E (character 5)'],
  ['👩 \u200bCouncil', 'U+200B (character 3)'],
  ['\ufeffCouncil', 'U+FEFF (character 1)'],
  ['Coun\u00adcil', 'U+00AD (character 5)'],
  ['Council\u3164', 'U+3164 (character 8)'],
  ['Council\u{e0041}', 'U+E0041 (character 8)'],
  ['Coun\ncil', 'U+000A (character 5)'],
])('in %j, nobody sees %s', (text, hidden) => expect(hiddenIn(text)).toBe(hidden));

describe('prose', () => {
  const check = z.string().check(legible);

  test.each([
    ['Arabic', 'رخصة CC\u200e (الإصدار 4.0)\u061c'],
    ['Hebrew', 'תקן C++\u200f, גרסה 2; \u05d9\u05b0\u034f\u05b7'],
    ['Khmer', 'ព្រះរាជាណាចក្រ\u200bកម្ពុជា'],
    ['Mongolian', 'ᠴᠢᠨᠠᠭ\u180eᠠ'],
    ['Korean', '\u1112\u119e\u11ab \u115f\u1161'],
    ['German', 'Rechts\u00adschutz, §\u00a05, 20\u202f%'],
    ['Japanese', '葛\u{e0100}城市'],
    ['Hindi', 'क्\u200dष'],
  ])('in %s has what the language needs', (_, text) => expect(check.safeParse(text).success).toBe(true));

  test.each([
    ['\u00adCoun\u202ecil', 'U+202E (character 6)'],
    ['Coun\u2066cil', 'U+2066 (character 5)'],
    ['Council\u{e0041}', 'U+E0041 (character 8)'],
    ['Coun\u2028cil', 'U+2028 (character 5)'],
  ])('%j is refused', (text, found) =>
    expect(check.safeParse(text).error!.issues[0]!.message).toBe(`text without ${found}, which nobody sees`),
  );
});

describe('phrases', () => {
  test('are made from tokens and lists', () => {
    expect(capitalise(formatToken('utility_token'))).toBe('Utility token');
    expect(formatToken('mic_mint')).toBe('MIC mint');
    expect(formatList(['UK', 'EU', 'USA'])).toBe('UK, EU and USA');
  });
});

describe('JSON that is laid out in lines', () => {
  test('reads as JSON.stringify writes it, whatever is in it', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const expected = JSON.stringify(value, null, 2);
        expect(indentJson(JSON.stringify(value))).toBe(expected);
        expect(indentJson(expected)).toBe(expected);
      }),
    );
  });

  test('keeps the digits of a number, and may break off anywhere', () => {
    expect(indentJson('{"a":12345678901234.000001,"b":["x\\"')).toBe(
      '{\n  "a": 12345678901234.000001,\n  "b": [\n    "x\\"',
    );
  });
});
