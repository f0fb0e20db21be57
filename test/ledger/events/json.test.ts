import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  isJsonObject,
  numberText,
  parseExactJson,
  readJson,
  roundNumbers,
  unambiguousJson,
} from '../../../pipeline/ledger/events/json.ts';
import { anyCharacter } from '../../any-character.ts';

describe('parseExactJson', () => {
  const KEPT = '1.0 -0 -0.0 1e-07 1E+16 1e400 12345678901234567890 0.10 [1.0,{"a":2.50}] "\\ud800"';
  test.each(KEPT.split(' '))('%s is printed unchanged', (text) => {
    expect(JSON.stringify(parseExactJson(text))).toBe(text);
  });

  test('reads the same values as JSON.parse', () => {
    // Without escaped names, which V8 misreads: see the next test.
    const name = fc.stringMatching(/^[a-zA-Z0-9 é漢]{0,8}$/);
    const { tree } = fc.letrec((tie) => ({
      tree: fc.oneof(
        { maxDepth: 5 },
        fc.double({ noNaN: true, noDefaultInfinity: true }),
        fc.integer(),
        fc.string({ unit: anyCharacter }),
        fc.constantFrom(null, true, false),
        fc.array(tie('tree')),
        fc.dictionary(name, tie('tree'), { noNullPrototype: true }),
      ),
    }));
    fc.assert(
      fc.property(tree, fc.constantFrom(undefined, 1, '\t'), (value, space) => {
        const text = JSON.stringify(value, null, space);
        expect(roundNumbers(parseExactJson(text))).toEqual(JSON.parse(text));
      }),
    );
  });

  test('reads an escaped name correctly after a name that is a backslash', () => {
    parseExactJson('{"\\\\": 1}');
    JSON.parse('{"\\\\": 1}');
    const names = Object.keys(parseExactJson('{"\\u00df": 1.0, "\\"": 2}') as object);
    expect(names).toEqual(['ß', '"']);
  });

  const NAMES = ['\\', '"', 'ß', '\n', 'a\\', 'a"', '\\u00df', 'a'];
  const escaped = (name: string) => JSON.stringify(name).replace('ß', '\\u00df');
  const objects = fc.array(fc.uniqueArray(fc.constantFrom(...NAMES), { maxLength: 3 }), {
    minLength: 1,
    maxLength: 4,
  });

  test('and so do the readers that begin with JSON.parse', () => {
    fc.assert(
      fc.property(objects, (all) => {
        const texts = all.map((names) => `{${names.map((name, at) => `${escaped(name)}: ${at}`).join()}}`);
        const entries = all.map((names) => names.map((name, at) => [name, at]));
        expect(texts.map((text) => Object.entries(readJson(text) as object))).toEqual(entries);
        expect(
          texts.map((text) => Object.entries(unambiguousJson(text, JSON.parse(text)) as object)),
        ).toEqual(entries);
      }),
    );
  });

  test('reads a member named __proto__ as a member', () => {
    const value = parseExactJson('{"__proto__": {"x": 1}}') as object;
    expect(Object.keys(value)).toEqual(['__proto__']);
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
  });

  test('refuses two members of one name', () => {
    expect(() => parseExactJson('{"a": 1, "b": 2, "a": 3}')).toThrow('each member once');
  });

  test.each([
    ...['', ' ', '[1 2]', '"a\nb"', '\ufeff1', '\u00a01', '1\u0000', '1 2'],
    ...String.raw`{ [ [1,] {"a":1,} {"a"} {a:1} {'a':1} 01 1. .5 - +1 1e NaN Infinity -Infinity nul True "a "\x41" "\u12" "\ ]`.split(
      ' ',
    ),
  ])('refuses %j', (text) => {
    expect(() => parseExactJson(text)).toThrow(SyntaxError);
  });

  test('reports the position of an error', () => {
    expect(() => parseExactJson('{"a": [1, nope]}')).toThrow(
      'at character 10: expected a value, found "nope]}"',
    );
  });

  test('reads nesting as deep as Python can print, and refuses deeper nesting', () => {
    const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);
    expect(JSON.stringify(parseExactJson(nested(1000)))).toBe(nested(1000));
    expect(() => parseExactJson(nested(100_000))).toThrow(
      'expected at most 1000 objects or arrays in each other',
    );
  });
});

describe('numberText', () => {
  test('is a number’s text only for numbers', () => {
    const texts = ['1', '1.0', '"1"', 'true', 'null', '[1]', '{}'].map((text) =>
      numberText(parseExactJson(text)),
    );
    expect(texts).toEqual(['1', '1.0', undefined, undefined, undefined, undefined, undefined]);
  });
});

describe('isJsonObject', () => {
  test('does not mistake a number for an object', () => {
    const are = ['{}', '1.0', '1', '[]', 'null', '"a"'].map((text) => isJsonObject(parseExactJson(text)));
    expect(are).toEqual([true, false, false, false, false, false]);
  });
});

const check = (text: string) => unambiguousJson(text, JSON.parse(text)) !== undefined;

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
  ])('%s has a duplicate member', (text) => {
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
  ])('%s has one meaning', (text) => {
    expect(check(text)).toBe(true);
  });

  test('has one meaning with any white space', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.constantFrom(0, 1, '\t'), (value, indent) => {
        expect(check(JSON.stringify(value, null, indent))).toBe(true);
      }),
    );
  });

  test('with a duplicate member anywhere does not', () => {
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

  test('with too deep nesting is refused', () => {
    const depth = 200_000;
    let value: unknown = [];
    for (let i = 1; i < depth; i++) value = [value];
    expect(unambiguousJson('[ '.repeat(depth) + ']'.repeat(depth), value)).toBe(undefined);
  });
});
