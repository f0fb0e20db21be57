import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { JsonBytes } from '../../../src/sidecar/simulation/json-bytes.ts';

function written(value: number): string {
  return String(new JsonBytes().number(value).written);
}

describe('JSON written into bytes', () => {
  test('has numbers as JSON.stringify writes them', () => {
    const millionths = fc.integer({ min: 0, max: 2 ** 53 - 1 }).map((count) => count / 1e6);
    const numbers = fc.oneof(fc.double(), fc.integer(), fc.nat(), millionths);
    fc.assert(
      fc.property(numbers, (value) => {
        expect(written(value)).toBe(JSON.stringify(value));
      }),
      { numRuns: 5000 },
    );
    for (const value of [
      0,
      -0,
      1,
      9,
      10,
      99,
      100,
      999,
      1000,
      0.5,
      1e-6,
      0.000011,
      1e-7,
      0.1 + 0.2,
      1e9,
      1e21,
    ])
      expect(written(value)).toBe(JSON.stringify(value));
    for (const value of [
      999.999999,
      999_999.000001,
      999_999_999.999999,
      1000.1,
      1_000_000,
      1_000_001.01,
      NaN,
    ])
      expect(written(value)).toBe(JSON.stringify(value));
  });

  test('grows with what is written', () => {
    const out = new JsonBytes();
    const text = JSON.stringify('x'.repeat(10_000));
    for (let count = 0; count < 10; count += 1) out.text(text).json({ count, said: '“÷”' });
    expect(String(out.written)).toBe(
      Array.from({ length: 10 }, (_, count) => text + JSON.stringify({ count, said: '“÷”' })).join(''),
    );
  });

  test('begins anew once it is cleared', () => {
    const out = new JsonBytes().text('["first"').text(']');
    out.clear();
    expect(String(out.text('[').number(2).text(']').written)).toBe('[2]');
  });

  test('keeps the text of an object that comes again', () => {
    const value = { name: 'ledger' };
    const out = new JsonBytes().kept(value).kept(value).kept(null).kept([]);
    expect(String(out.written)).toBe('{"name":"ledger"}{"name":"ledger"}null[]');
  });
});
