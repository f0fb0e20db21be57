import { constants, zstdCompressSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ZstdFrame } from '../../pipeline/ledger/zstd-frame.ts';

const { ZSTD_c_checksumFlag, ZSTD_c_contentSizeFlag, ZSTD_c_compressionLevel } = constants;

function compress(content: Uint8Array, params: Record<number, number> = {}): Buffer {
  return zstdCompressSync(content, { params: { [ZSTD_c_checksumFlag]: 1, ...params } });
}

function walk(bytes: Uint8Array, step = bytes.length || 1): void {
  const frame = new ZstdFrame('file');
  for (let at = 0; at < bytes.length; at += step) frame.push(bytes.subarray(at, at + step));
  frame.end();
}

const corrupt = expect.objectContaining({ code: 'ledger_corrupt', place: 'file' });
const text = Buffer.from('Nothing is lost that is written down twice. '.repeat(20_000));

describe('a zstd frame', () => {
  test('is whole whatever is in it and however it comes', () => {
    const content = fc.oneof(
      fc.uint8Array({ maxLength: 3000 }),
      fc.integer({ min: 0, max: text.length }).map((length) => text.subarray(0, length)),
      fc.integer({ min: 0, max: 400_000 }).map((length) => Buffer.alloc(length, 'a')),
    );
    const level = fc.constantFrom(-5, 1, 3, 19);
    fc.assert(
      fc.property(
        content,
        level,
        fc.boolean(),
        fc.integer({ min: 1, max: 5000 }),
        (bytes, lv, sized, step) => {
          const frame = compress(bytes, {
            [ZSTD_c_compressionLevel]: lv,
            [ZSTD_c_contentSizeFlag]: sized ? 1 : 0,
          });
          expect(() => walk(frame, step)).not.toThrow();
        },
      ),
    );
  });

  test('of every length of content size is passed over', () => {
    for (const length of [0, 1, 255, 256, 65_791, 65_792, 3_000_000]) {
      expect(() => walk(compress(Buffer.alloc(length)), 1)).not.toThrow();
    }
  });

  test('is refused where it is cut off', () => {
    const frame = compress(text);
    for (let length = 0; length < frame.length; length++) {
      expect(() => walk(frame.subarray(0, length)), `at ${length}`).toThrow(corrupt);
    }
  });

  test('may have no checksum', () => {
    expect(() => walk(zstdCompressSync(text))).not.toThrow();
    expect(() => walk(zstdCompressSync(text).subarray(0, -1))).toThrow(corrupt);
  });

  test.each([
    ['a byte', Buffer.of(0)],
    ['a line end', Buffer.from('\n')],
    ['another frame', compress(Buffer.from('more'))],
    ['an empty frame', compress(Buffer.alloc(0))],
    ['a skippable frame', Buffer.from('502a4d1804000000aabbccdd', 'hex')],
  ])('is refused with %s after it', (_, more) => {
    for (const step of [1, 7, 1e6]) {
      expect(() => walk(Buffer.concat([compress(text), more]), step)).toThrow(corrupt);
    }
  });

  test.each([
    ['nothing', Buffer.alloc(0)],
    ['gzip', Buffer.from('1f8b0800000000000003', 'hex')],
    ['text', Buffer.from('{"seq":0}\n')],
    ['a skippable frame before it', Buffer.concat([Buffer.from('502a4d1800000000', 'hex'), compress(text)])],
    ['a dictionary', withDescriptor((descriptor) => descriptor | 0x01)],
    ['the reserved bit', withDescriptor((descriptor) => descriptor | 0x08)],
    ['the unused bit', withDescriptor((descriptor) => descriptor | 0x10)],
    ['a block of the reserved type', Buffer.from('28b52ffd0400070000', 'hex')],
  ])('is not %s', (_, bytes) => {
    expect(() => walk(bytes)).toThrow(corrupt);
  });
});

function withDescriptor(change: (descriptor: number) => number): Buffer {
  const frame = compress(text);
  frame[4] = change(frame[4]!);
  return frame;
}
