import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { formatJson, formatJsonRow, parseJsonFile } from '../../../pipeline/artifacts/format/json.ts';
import { formatAmount } from '../../../pipeline/model/amount.ts';
import { faultOf } from '../../fault-of.ts';

const Sentinel = z.strictObject({ id: z.string(), score: z.number().nullable() });
const Report = z.strictObject({
  timestamp: z.string(),
  supply: z.number(),
  sentinels: z.array(Sentinel),
  by_cathedral: z.record(z.string(), z.number()),
  note: z.string().optional(),
});

describe('formatJson', () => {
  test('writes members in the order of the schema, records as they come, and one line end', () => {
    const value = {
      by_cathedral: { b: 2, a: 1 },
      sentinels: [{ score: null, id: 'ATLAS' }],
      supply: 1,
      timestamp: 't',
    };
    expect(formatJson(Report, value, 'x.json')).toBe(
      '{\n  "timestamp": "t",\n  "supply": 1,\n  "sentinels": [\n    {\n      "id": "ATLAS",\n      "score": null\n    }\n  ],\n' +
        '  "by_cathedral": {\n    "b": 2,\n    "a": 1\n  }\n}\n',
    );
  });

  test('writes a row on one line without a line end', () => {
    expect(formatJsonRow(Sentinel, { score: 100_000n, id: 'É' }, 'x')).toBe('{"id":"É","score":0.1}');
  });

  test('writes every digit of an amount, which a double would round', () => {
    fc.assert(
      fc.property(fc.bigInt(), (micro) => {
        const text = formatJsonRow(z.number(), micro, 'x');
        expect(text).toBe(formatAmount(micro));
      }),
    );
    expect(formatJsonRow(z.number(), 123456789012345678000001n, 'x')).toBe('123456789012345678.000001');
  });

  test('gives back what it was given, whatever the order of members', () => {
    const sentinel = fc.record({
      id: fc.string({ unit: 'grapheme' }),
      score: fc.option(fc.double({ noNaN: true, noDefaultInfinity: true })),
    });
    const report = fc.record({
      supply: fc.double({ noNaN: true, noDefaultInfinity: true }),
      sentinels: fc.array(sentinel),
      by_cathedral: fc.dictionary(
        fc.string().filter((key) => key !== '__proto__'),
        fc.integer(),
      ),
      timestamp: fc.string(),
    });
    fc.assert(
      fc.property(report, (value) => {
        const text = formatJson(Report, value, 'x');
        expect(Object.keys(JSON.parse(text))).toEqual(['timestamp', 'supply', 'sentinels', 'by_cathedral']);
        expect(parseJsonFile(text, Report, 'x')).toEqual(JSON.parse(JSON.stringify(value)));
        expect(formatJson(Report, parseJsonFile(text, Report, 'x'), 'x')).toBe(text);
      }),
    );
  });

  const good = { timestamp: 't', supply: 1, sentinels: [{ id: 'a', score: 1 }], by_cathedral: {} };
  const HELD = 'a value that JSON can hold';
  const LEFT = 'a schema that leaves its value as it is';
  const named = JSON.parse('{"__proto__":1}');
  test.each([
    ['a value of the wrong type', { supply: '1' }, 'supply', 'a number', '"1"'],
    ['a member that the schema does not have', { more: 1 }, 'more', 'no member of this name', '1'],
    ['a member that is missing', { timestamp: undefined }, 'timestamp', HELD, 'nothing'],
    // JSON.stringify makes null of it.
    ['not a number', { sentinels: [{ id: 'a', score: Number.NaN }] }, 'sentinels[0].score', HELD, 'NaN'],
    [
      'an infinite number',
      { by_cathedral: { 'FOR-X': Infinity } },
      'by_cathedral["FOR-X"]',
      HELD,
      'Infinity',
    ],
    ['an optional member that is undefined', { note: undefined }, 'note', HELD, 'nothing'],
    ['a date', { timestamp: new Date(0) }, 'timestamp', HELD, 'an object'],
    ['half of a surrogate pair', { note: '\uD800' }, 'note', HELD, '"\\ud800"'],
    ['a lost name', { by_cathedral: named }, 'by_cathedral', LEFT, 'an object changed to an object'],
  ])('refuses %s', (_, change, place, expected, found) => {
    const error = faultOf(() => formatJson(Report, { ...good, ...change } as never, 'x'));
    expect(error).toMatchObject({ code: 'artifact_invalid', place: `x: ${place}`, expected, found });
  });

  test.each([
    ['drops members', z.object({ a: z.number() }), { a: 1, b: 2 }],
    ['fills in a default', z.object({ a: z.number().default(1) }), {}],
    ['changes a value', z.string().trim(), ' a'],
  ])('refuses a schema that %s', (_, schema, value) => {
    expect(faultOf(() => formatJson(schema, value as never, 'x')).expected).toBe(
      'a schema that leaves its value as it is',
    );
  });
});

describe('parseJsonFile', () => {
  test.each([
    ['a syntax error', '{"id":"a",}', 'x', 'JSON, with a string at character 10'],
    ['a byte order mark', '\uFEFF{"id":"a","score":1}', 'x', 'JSON, with a value at character 0'],
    [
      'a member given twice',
      '{"id":"a","score":1,"\\u0069d":"b"}',
      'x: id',
      'each member once, none of them __proto__',
    ],
    [
      'a member named __proto__',
      '{"id":"a","score":1,"__proto__":{}}',
      'x: __proto__',
      'each member once, none of them __proto__',
    ],
    [
      'half of a surrogate pair, which no file in UTF-8 holds',
      '{"id":"\\ud800","score":1}',
      'x',
      'JSON, with well-formed Unicode at character 6',
    ],
    ['an unknown member', '{"id":"a","score":1,"x":1}', 'x: x', 'no member of this name'],
    ['a missing member', '{"id":"a"}', 'x: score', 'a number'],
  ])('refuses %s', (_, text, place, expected) => {
    expect(faultOf(() => parseJsonFile(text, Sentinel, 'x', 'document_invalid'))).toMatchObject({
      code: 'document_invalid',
      place,
      expected,
    });
  });

  test('says where in the file a member is given twice', () => {
    const text = '{"a":[{"b":1},{"b":[[],{"c":"}{,:\\"","d":{"c":1}}],"b":2}]}';
    expect(faultOf(() => parseJsonFile(text, z.unknown(), 'f.json')).place).toBe('f.json: a[1].b');
  });

  test('takes any JSON whose members have different names', () => {
    const named = fc.jsonValue().filter((value) => !JSON.stringify(value).includes('__proto__'));
    fc.assert(
      fc.property(named, (value) => {
        const text = JSON.stringify(value, null, 1);
        expect(parseJsonFile(text, z.unknown(), 'x')).toEqual(JSON.parse(text));
      }),
    );
  });
});
