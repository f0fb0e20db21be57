import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isUnambiguousJson } from '../../pipeline/ledger/unambiguous-json.ts';

const check = (text: string) => isUnambiguousJson(text, JSON.parse(text));

describe('a JSON text', () => {
  test.each([
    '{"a":1,"a":2}',
    '{"a":1,"a":1}',
    '{"a":1,"\\u0061":2}',
    '{"a":{"b":[{"c":1, "d":2, "c":3}]}}',
    '{"a" : 1, "a" : 2}',
    '{"a":":","a":"\\":"}',
    '{"__proto__":1,"__proto__":2}',
    '{"":1,"":2}',
  ])('%s names a member twice', (text) => {
    expect(check(text)).toBe(false);
  });

  test.each(['{"a":1e999}', '{"a":[-1e999]}', '[1e400]'])('%s has a number beyond a double', (text) => {
    expect(check(text)).toBe(false);
  });

  test.each([
    '{"a":1,"b":2}',
    '{ "a" : 1 , "b" : [ { "a" : 2 } , { "a" : 3 } ] }',
    '{"a":"\\"a\\":1,\\"a\\":2"}',
    '{"2":1,"1":2,"a":1.0,"b":1e3}',
    '{"a":["k", ":", ":\\"", "\\\\"],"b":"\\\\"}',
    '{"__proto__":1}',
    '{"a":12345678901234567890}',
    '{"a":"\\u00e9\\/"}',
  ])('%s says one thing only', (text) => {
    expect(check(text)).toBe(true);
  });

  test('says one thing only however it is spaced', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.constantFrom(0, 1, '\t'), (value, indent) => {
        expect(check(JSON.stringify(value, null, indent))).toBe(true);
      }),
    );
  });

  test('with one member repeated, wherever that is, does not', () => {
    const key = fc.string();
    const repeated = fc.tuple(key, fc.jsonValue(), fc.jsonValue()).map(([name, one, two]) => {
      const member = (value: unknown) => `${JSON.stringify(name)}:${JSON.stringify(value)}`;
      return `{${member(one)},${member(two)}}`;
    });
    fc.assert(
      fc.property(repeated, fc.array(fc.jsonValue()), fc.array(key), (object, others, path) => {
        const list = `[${[...others.map((value) => JSON.stringify(value)), object].join(' ,')}]`;
        expect(check(path.reduce((inner, name) => `{${JSON.stringify(name)}: ${inner}}`, list))).toBe(false);
      }),
    );
  });

  test('that is nested too deeply to be looked through is not faithful', () => {
    const depth = 200_000;
    let value: unknown = [];
    for (let i = 1; i < depth; i++) value = [value];
    expect(isUnambiguousJson('[ '.repeat(depth) + ']'.repeat(depth), value)).toBe(false);
  });
});
