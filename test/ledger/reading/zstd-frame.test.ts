import { createHash } from 'node:crypto';
import { closeSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { constants, zstdCompressSync } from 'node:zlib';
import fc from 'fast-check';
import { beforeEach, describe, expect, test } from 'vitest';
import { decompress } from '../../../pipeline/ledger/reading/read-lines.ts';
import { frameLength } from '../../../pipeline/ledger/reading/zstd-frame.ts';
import { ZstdFile } from '../../../pipeline/ledger/writing/zstd-file.ts';
import { temporaryFolder } from '../test-ledger.ts';

const { ZSTD_c_checksumFlag, ZSTD_c_contentSizeFlag, ZSTD_c_compressionLevel } = constants;

function compress(content: Uint8Array, params: Record<number, number> = {}): Buffer {
  return zstdCompressSync(content, { params: { [ZSTD_c_checksumFlag]: 1, ...params } });
}

/** The length of the first frame of a file with these bytes. */
function walk(bytes: Uint8Array): number {
  const path = join(folder, 'frame');
  writeFileSync(path, bytes);
  const file = openSync(path, 'r');
  try {
    return frameLength(file, bytes.length, 'file');
  } finally {
    closeSync(file);
  }
}

let folder: string;
beforeEach(() => {
  folder = temporaryFolder();
});

const corrupt = expect.objectContaining({ code: 'ledger_corrupt', place: 'file' });
/** The bytes that Node's compressor appends. */
const EMPTY = Buffer.from('28b52ffd240001000099e9d851', 'hex');
const noise = createHash('shake256', { outputLength: 262_200 }).update('noise').digest();
const text = Buffer.from('Nothing is lost that is written down twice. '.repeat(20_000));

describe('a zstd frame', () => {
  test('is read completely for any content', () => {
    const content = fc.oneof(
      fc.uint8Array({ maxLength: 3000 }),
      fc.integer({ min: 0, max: text.length }).map((length) => text.subarray(0, length)),
      fc.integer({ min: 0, max: 400_000 }).map((length) => Buffer.alloc(length, 'a')),
      fc.integer({ min: 0, max: noise.length }).map((length) => noise.subarray(0, length)),
    );
    const level = fc.constantFrom(-5, 1, 3, 19);
    fc.assert(
      fc.property(content, level, fc.boolean(), (bytes, lv, sized) => {
        const frame = compress(bytes, {
          [ZSTD_c_compressionLevel]: lv,
          [ZSTD_c_contentSizeFlag]: sized ? 1 : 0,
        });
        expect(walk(frame)).toBe(frame.length);
      }),
    );
  });

  test('with a content size field of any length is skipped', () => {
    for (const length of [0, 1, 255, 256, 65_791, 65_792, 3_000_000])
      expect(() => walk(compress(Buffer.alloc(length)))).not.toThrow();
  });

  test('is refused if truncated', () => {
    for (const frame of [compress(text), compress(noise)])
      for (let length = 0; length < frame.length; length += frame.length > 5000 ? 997 : 1)
        expect(() => walk(frame.subarray(0, length)), `at ${length}`).toThrow(corrupt);
  });

  test('may omit the checksum', () => {
    expect(() => walk(zstdCompressSync(text))).not.toThrow();
    expect(() => walk(zstdCompressSync(text).subarray(0, -1))).toThrow(corrupt);
  });

  test.each([
    ['a byte', Buffer.of(0)],
    ['a line end', Buffer.from('\n')],
    ['another frame', compress(Buffer.from('more'))],
    ['an empty frame and a byte', Buffer.concat([EMPTY, Buffer.of(0)])],
    ['an empty frame and another frame', Buffer.concat([EMPTY, compress(Buffer.from('more'))])],
    ['half an empty frame', EMPTY.subarray(0, 7)],
    ['an empty frame of two blocks', Buffer.from('28b52ffd0400000000010000', 'hex')],
    ['a skippable frame', Buffer.from('502a4d1804000000aabbccdd', 'hex')],
  ])('is refused with %s after it', (_, more) => {
    expect(() => walk(Buffer.concat([compress(text), more]))).toThrow(corrupt);
  });

  test('may be followed by empty frames, as Node writes them at a chunk boundary', () => {
    const first = compress(text);
    const bytes = Buffer.concat([first, EMPTY, compress(Buffer.alloc(0))]);
    expect(walk(bytes)).toBe(first.length);
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

describe('a zstd file', () => {
  /** The file of these writes, and its content as read back. */
  async function written(...writes: Buffer[]) {
    const path = join(temporaryFolder(), 'file.zst');
    const file = new ZstdFile(`${path}.tmp`, false);
    for (const bytes of writes.slice(0, -1)) await file.write(Buffer.from(bytes));
    await file.finish(writes.at(-1)!, path);
    const content: Buffer[] = [];
    for await (const chunk of decompress(path, 'file')) content.push(chunk);
    return { path, bytes: readFileSync(path), content: Buffer.concat(content) };
  }

  // Random bytes do not compress, so the lengths below cover every output length around the boundary.
  test.each([
    ['at once', 16_384, 14, (bytes: Buffer) => [bytes]],
    ['at once', 32_768, 14, (bytes: Buffer) => [bytes]],
    ['as a stream', 131_072, 14, (bytes: Buffer) => [bytes.subarray(0, 50_000), bytes.subarray(50_000)]],
    ['as a stream', 262_144, 17, (bytes: Buffer) => [bytes.subarray(0, 9), bytes.subarray(9)]],
    ['as a stream', 131_072, 14, (bytes: Buffer) => [bytes, bytes.subarray(0, 0)]],
  ])('written %s is one frame if its output ends at %i bytes', async (_, boundary, overhead, cut) => {
    const lengths = new Set<number>();
    for (let length = boundary - overhead - 3; length <= boundary - overhead + 3; length++) {
      const content = noise.subarray(0, length);
      const file = await written(...cut(content));
      lengths.add(file.bytes.length);
      expect(walk(file.bytes), `${length} bytes`).toBe(file.bytes.length);
      expect(file.content.equals(content)).toBe(true);
    }
    expect(lengths).toContain(boundary);
  });

  test.each([
    ['small', text],
    ['large', noise],
    ['small but with much content', Buffer.alloc(5_000_000)],
  ])('that is %s and followed by an empty frame is read', async (_, content) => {
    const { path, bytes } = await written(content);
    writeFileSync(path, Buffer.concat([bytes, EMPTY]));
    let read = 0;
    for await (const chunk of decompress(path, 'file')) read += chunk.length;
    expect(read).toBe(content.length);
  });
});

function withDescriptor(change: (descriptor: number) => number): Buffer {
  const frame = compress(text);
  frame[4] = change(frame[4]!);
  return frame;
}
