import { describe, expect, test } from 'vitest';
import { chooseEncoding, parseByteRange } from '../../src/sidecar/files/representation.ts';

describe('Accept-Encoding', () => {
  test.each([
    [undefined, null],
    ['', null],
    ['gzip', 'gzip'],
    ['gzip, deflate, br, zstd', 'br'],
    ['br;q=0.5, gzip', 'gzip'],
    ['br;q=0, gzip;q=0', null],
    ['*', 'br'],
    ['*, br;q=0', 'gzip'],
    ['identity', null],
    ['identity, gzip;q=0.5', null],
    ['GZIP;Q=1.0', 'gzip'],
    ['x-gzip', 'gzip'],
    ['br;q=abc', null],
    ['brotli', null],
  ])('%j takes %s', (header, expected) => {
    expect(chooseEncoding(header, ['br', 'gzip'])).toBe(expected);
  });

  test('selects no encoding that is not available', () => {
    expect(chooseEncoding('br, gzip', [])).toBeNull();
    expect(chooseEncoding('br, gzip', ['gzip'])).toBe('gzip');
  });
});

describe('Range', () => {
  test.each([
    [undefined, 'whole'],
    ['bytes=0-0', { first: 0, last: 0 }],
    ['bytes=0-', { first: 0, last: 99 }],
    ['bytes=90-1000', { first: 90, last: 99 }],
    ['bytes=-10', { first: 90, last: 99 }],
    ['bytes=-1000', { first: 0, last: 99 }],
    ['Bytes=5-6', { first: 5, last: 6 }],
    ['bytes=100-', 'unsatisfiable'],
    ['bytes=-0', 'unsatisfiable'],
    ['bytes=9-5', 'whole'],
    ['bytes=-', 'whole'],
    ['bytes=1-2,4-5', 'whole'],
    ['items=0-5', 'whole'],
    ['bytes=0x1-2', 'whole'],
  ])('%j of 100 bytes is %j', (header, expected) => {
    expect(parseByteRange(header, 100)).toEqual(expected);
  });

  test('of an empty file is never satisfied', () => {
    expect(parseByteRange('bytes=0-', 0)).toBe('unsatisfiable');
    expect(parseByteRange('bytes=-5', 0)).toBe('unsatisfiable');
  });
});
