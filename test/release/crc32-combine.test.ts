import { crc32 } from 'node:zlib';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { combineCrc32 } from '../../pipeline/release/history/gzip-parts.ts';

test('the CRC of two runs of bytes follows from their CRCs', () => {
  const bytes = fc.uint8Array({ maxLength: 300 });
  fc.assert(
    fc.property(bytes, bytes, (a, b) => {
      expect(combineCrc32(crc32(a), crc32(b), b.length)).toBe(crc32(Buffer.concat([a, b])));
    }),
  );
});

test('it also does for large lengths', () => {
  const zeros = Buffer.alloc(5_000_011);
  expect(combineCrc32(crc32('a'), crc32(zeros), zeros.length)).toBe(crc32(zeros, crc32('a')));
});

test('a length above 2^32 counts in full', () => {
  const step = combineCrc32(0x12345678, 0, 2 ** 31);
  const twice = combineCrc32(step, 0, 2 ** 31);
  expect(combineCrc32(0x12345678, 0, 2 ** 32)).toBe(twice);
  expect(combineCrc32(0x12345678, 0, 2 ** 32 + 5)).toBe(combineCrc32(twice, 0, 5));
});
