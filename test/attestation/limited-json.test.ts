import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { MAX_BYTES, MAX_DEPTH, placesIn, readLimitedJson } from '../../pipeline/attestation/limited-json.ts';
import { unambiguousJson } from '../../pipeline/ledger/events/json.ts';
import { placesOf, valid } from './generated-document.ts';

const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);

describe('readLimitedJson', () => {
  test('reads what JSON.parse reads', () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 5 }), fc.constantFrom(undefined, 1, '\t'), (text, space) => {
        fc.pre(!/__proto__|\\ud[89a-f]/i.test(text) && !/-0(?![.\d])/.test(text));
        const pretty = JSON.stringify(JSON.parse(text), null, space);
        expect(readLimitedJson(pretty)).toEqual({ value: JSON.parse(text), problem: null });
        expect(readLimitedJson(new TextEncoder().encode(text)).problem).toBeNull();
      }),
    );
  });

  test('accepts no text that JSON.parse refuses or reads in one of two ways', () => {
    const text = fc.array(
      fc.constantFrom(...'{}[]:,"\\-01.e+9 \n', ...['"a"', '"b"', 'true', 'null', 'u0041', '1e999']),
      { maxLength: 14 },
    );
    fc.assert(
      fc.property(text, (parts) => {
        const joined = parts.join('');
        const { problem } = readLimitedJson(joined);
        let parsed: unknown;
        try {
          parsed = JSON.parse(joined);
        } catch {
          expect(problem).not.toBeNull();
          return;
        }
        expect(problem === null).toBe(unambiguousJson(joined, parsed) !== undefined);
      }),
      { numRuns: 3000 },
    );
  });

  test.each([
    ['', 'not_json', ''],
    ['{', 'not_json', ''],
    ['{"a":1,}', 'not_json', ''],
    ["{'a':1}", 'not_json', ''],
    ['{"a":01}', 'not_json', ''],
    ['{"a":NaN}', 'not_json', '/a'],
    ['{"a":-Infinity}', 'not_json', '/a'],
    ['{"a":1} {"a":1}', 'not_json', ''],
    ['{"a":"\n"}', 'not_json', '/a'],
    ['{"a":"\\x"}', 'not_json', '/a'],
    ['// no\n{}', 'not_json', ''],
    ['{"a":{"b":1,"b":2}}', 'duplicate_member', '/a/b'],
    ['{"a":1,"\\u0061":2}', 'duplicate_member', '/a'],
    ['[0,{"__proto__":{}}]', 'forbidden_member', '/1/__proto__'],
    ['{"\\u005f_proto__":1}', 'forbidden_member', '/__proto__'],
    ['{"a":"\\ud800"}', 'lone_surrogate', '/a'],
    ['{"a":"\\udc00\\ud800"}', 'lone_surrogate', '/a'],
    ['{"\\ud800":1}', 'lone_surrogate', ''],
    ['{"a":"\ud800"}', 'lone_surrogate', ''],
    ['{"a":[1,1e999]}', 'number_not_finite', '/a/1'],
    ['\ufeff{}', 'not_utf8', ''],
    [nested(MAX_DEPTH + 1), 'too_deep', '/0'.repeat(MAX_DEPTH)],
    [`"${'a'.repeat(MAX_BYTES - 1)}"`, 'too_large', ''],
    [`"${'é'.repeat(MAX_BYTES / 2)}"`, 'too_large', ''],
  ])('refuses %j', (text, code, pointer) => {
    const { problem } = readLimitedJson(text);
    expect(problem).toMatchObject({ code, pointer });
    expect(problem!.message.length).toBeLessThan(200);
  });

  test.each([
    [[0xff]],
    [[0x22, 0xc3, 0x22]],
    [[0xef, 0xbb, 0xbf, 0x31]],
    [[0x22, 0xed, 0xa0, 0x80, 0x22]],
    [[0x22, 0xc0, 0x80, 0x22]],
  ])('refuses the bytes %j', (bytes) => {
    expect(readLimitedJson(Uint8Array.from(bytes)).problem).toMatchObject({ code: 'not_utf8', pointer: '' });
  });

  test('accepts what is as large and as deep as is allowed', () => {
    expect(readLimitedJson(nested(MAX_DEPTH)).problem).toBeNull();
    expect(readLimitedJson(`"${'a'.repeat(MAX_BYTES - 2)}"`).problem).toBeNull();
  });

  test.each([
    ['brackets', '['.repeat(MAX_BYTES)],
    ['an open string', `"${'\\u0041'.repeat(10_000)}`],
    ['digits', '9'.repeat(MAX_BYTES)],
    ['spaces', ' '.repeat(MAX_BYTES)],
    ['members', `{${Array.from({ length: 8000 }, (_, index) => `"${index}":0`).join()}}`.slice(0, MAX_BYTES)],
  ])('is not held up by %s', (_, text) => {
    expect(readLimitedJson(text)).toBeDefined();
  });
});

describe('the places in a text', () => {
  const TEXT = '{ "a": [1, {"b/c": "x"}],\n  "d": -2.5e3 }';
  const partOf = (text: string, pointer: string) => {
    const { start, end } = placesIn(text).values.get(pointer)!;
    return text.slice(start, end);
  };

  test('are those of the values, with the names before them', () => {
    expect([...placesIn(TEXT).values.keys()]).toEqual(['/a/0', '/a/1/b~1c', '/a/1', '/a', '/d']);
    expect(partOf(TEXT, '/a')).toBe('"a": [1, {"b/c": "x"}]');
    expect(partOf(TEXT, '/a/0')).toBe('1');
    expect(partOf(TEXT, '/a/1')).toBe('{"b/c": "x"}');
    expect(partOf(TEXT, '/a/1/b~1c')).toBe('"b/c": "x"');
    expect(partOf(TEXT, '/d')).toBe('"d": -2.5e3');
    expect(placesIn(TEXT).stop).toBeNull();
  });

  test.each([
    ['{"a": 1, "a": 2}', '"a"', 9],
    ['{"__proto__": 1}', '"__proto__"', 1],
    ['{"a": 1e999}', '1e999', 6],
    ['["ab\\ud800"]', '"ab\\ud800"', 1],
    ['{"a": tru}', 't', 6],
    ['{"a": 1', '', 7],
    ['{"a": 1} x', 'x', 9],
    ['["\u0001"]', '"', 1],
    [`${'['.repeat(17)}`, '[', 16],
  ])('of %j end at what cannot be read', (text, part, start) => {
    const { stop } = placesIn(text);
    expect([text.slice(stop!.start, stop!.end), stop!.start]).toEqual([part, start]);
  });

  test('are none where it is about the whole', () => {
    for (const text of [' '.repeat(70_000), '\ufeff{}', '"\ud800"'])
      expect(placesIn(text)).toEqual({ values: new Map(), stop: null });
  });

  test('are those of every value, whatever the document', () => {
    fc.assert(
      fc.property(valid, (document) => {
        const text = JSON.stringify(document, null, 2);
        const { values, stop } = placesIn(text);
        expect(stop).toBeNull();
        for (const { start, end } of values.values()) {
          const part = text.slice(start, end);
          // A member by itself is one of an object, an item is a value.
          expect([`{${part}}`, part].some(isJson)).toBe(true);
        }
        expect(values.size).toBe(placesOf(document).length);
      }),
    );
  });
});

function isJson(text: string): boolean {
  return readLimitedJson(text).problem === null;
}
