import { randomBytes } from 'node:crypto';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { compress, encodingsOf } from '../../pipeline/release/disk/compress.ts';
import { isCompressible, MEDIA_TYPES, mediaTypeOf } from '../../pipeline/release/format/media-types.ts';

const text = (length: number) =>
  Buffer.from('a sentence of some length. '.repeat(length / 27 + 1)).subarray(0, length);

describe('compressed variants', () => {
  test('decompress to the file, small and large', async () => {
    // Sizes just below and above a whole window, too.
    for (const length of [4096, 65_519, 65_520, 65_521, (1 << 20) + 1]) {
      const bytes = text(length);
      const { br, gzip } = await compress(bytes, 'text/csv', ['br', 'gzip']);
      expect(brotliDecompressSync(br!)).toEqual(bytes);
      expect(gunzipSync(gzip!)).toEqual(bytes);
    }
  });

  test('contain neither a time nor an operating system', async () => {
    const { gzip } = await compress(text(5000), 'text/csv', ['br', 'gzip']);
    expect(gzip!.subarray(4, 8)).toEqual(Buffer.alloc(4));
    expect(gzip![9]).toBe(255);
  });

  test('are for long texts alone, and those of pages for browsers', async () => {
    expect(await compress(text(4095), 'text/csv', ['br', 'gzip'])).toEqual({});
    expect(await compress(randomBytes(5000), 'text/csv', ['br', 'gzip'])).toEqual({});
    expect(await compress(text(5000), 'application/pdf', ['br', 'gzip'])).toEqual({});
    const page = await compress(
      text(5000),
      'text/html',
      encodingsOf({ kind: 'page', path: 'files/index.html' }),
    );
    expect(Object.keys(page)).toEqual(['br']);
    const record = encodingsOf({ kind: 'page', path: 'decisions/decision-1/index.html' });
    expect(await compress(text(5000), 'text/html', record)).toEqual({});
  });
});

describe('a media type', () => {
  test('depends on the last extension, or on two for a JSON Schema', () => {
    expect(mediaTypeOf('economy/mic-history.csv')).toBe('text/csv; charset=utf-8; header=present');
    expect(mediaTypeOf('schemas/economy/mii.schema.json')).toBe('application/schema+json');
    expect(mediaTypeOf('schemas/economy/mic-history.csv.table.json')).toBe('application/json');
  });

  test.each(['economy/supply', 'a/b.exe', 'a.b/c', 'x.constructor', 'x.JSON'])(
    'is not guessed for %s',
    (path) => {
      expect(() => mediaTypeOf(path)).toThrow('publish_failed');
    },
  );

  test('is compressible only for text', () => {
    const compressible = Object.keys(MEDIA_TYPES).filter((ending) => isCompressible(MEDIA_TYPES[ending]!));
    expect(compressible.join(' ')).toBe(
      'html css js mjs txt csv bib json schema.json webmanifest xml svg sig vkey wasm ndjson jsonld atom ris',
    );
  });
});
