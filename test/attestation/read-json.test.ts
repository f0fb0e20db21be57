import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { MAX_BYTES, MAX_DEPTH, readJson } from '../../pipeline/attestation/read-json.ts';
import { isFaithful } from '../../pipeline/ledger/faithful-json.ts';

const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);

describe('readJson', () => {
  test('reads what JSON.parse reads', () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 5 }), fc.constantFrom(undefined, 1, '\t'), (text, space) => {
        fc.pre(!/__proto__|\\ud[89a-f]/i.test(text) && !/-0(?![.\d])/.test(text));
        const pretty = JSON.stringify(JSON.parse(text), null, space);
        expect(readJson(pretty)).toEqual({ value: JSON.parse(text), problem: null });
        expect(readJson(new TextEncoder().encode(text)).problem).toBeNull();
      }),
    );
  });

  test('accepts no text that JSON.parse refuses or reads in one of two ways', () => {
    const text = fc.array(
      fc.constantFrom(
        ...'{}[]:,"\\',
        '"a"',
        '"b"',
        'true',
        'null',
        '-',
        '0',
        '1',
        '.',
        'e',
        '+',
        '9',
        ' ',
        '\n',
        'u0041',
        '1e999',
      ),
      { maxLength: 14 },
    );
    fc.assert(
      fc.property(text, (parts) => {
        const joined = parts.join('');
        const { problem } = readJson(joined);
        let parsed: unknown;
        try {
          parsed = JSON.parse(joined);
        } catch {
          expect(problem).not.toBeNull();
          return;
        }
        expect(problem === null).toBe(isFaithful(joined, parsed));
      }),
      { numRuns: 20_000 },
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
    const { problem } = readJson(text);
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
    expect(readJson(Uint8Array.from(bytes)).problem).toMatchObject({ code: 'not_utf8', pointer: '' });
  });

  test('accepts what is as large and as deep as is allowed', () => {
    expect(readJson(nested(MAX_DEPTH)).problem).toBeNull();
    expect(readJson(`"${'a'.repeat(MAX_BYTES - 2)}"`).problem).toBeNull();
  });

  test.each([
    ['brackets', '['.repeat(MAX_BYTES)],
    ['an open string', `"${'\\u0041'.repeat(10_000)}`],
    ['digits', '9'.repeat(MAX_BYTES)],
    ['spaces', ' '.repeat(MAX_BYTES)],
    ['members', `{${Array.from({ length: 8000 }, (_, index) => `"${index}":0`).join()}}`.slice(0, MAX_BYTES)],
  ])('is not held up by %s', (_, text) => {
    expect(readJson(text)).toBeDefined();
  });
});
