import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { ManifestFile } from '../format/manifest.ts';
import { isCompressible } from '../format/media-types.ts';

const brotli = promisify(brotliCompress);
const zip = promisify(gzip);
/** A shorter file is sent in as many packets as its compressed form. */
const SHORTEST_BYTES = 1 << 12;
/** To compress a longer file takes a second, and who reads it has clients that know Brotli. */
const LONGEST_GZIP_BYTES = 1 << 24;

/** The precompressed variants of a file, where they are smaller than the file. */
export interface Encodings {
  br?: Buffer;
  gzip?: Buffer;
}

/** There are thousands of them in time, and each is read rarely: a server compresses one when it is asked for. */
const OF_A_RECORD = /^(decisions|deliberations|sentinels)\/.+\.html$/;

/** Which encodings a file is published in: browsers, which read pages, know Brotli; programs, which read data, ask for gzip. */
export function encodingsOf({
  kind,
  path,
}: Pick<ManifestFile, 'kind' | 'path'>): readonly (keyof Encodings)[] {
  if (kind === 'data' || kind === 'schema') return ['br', 'gzip'];
  return OF_A_RECORD.test(path) ? [] : ['br'];
}

/** Whether a compressed form of a file saves anything. */
export function isWorthCompressing({
  media_type,
  bytes,
}: Pick<ManifestFile, 'media_type' | 'bytes'>): boolean {
  return isCompressible(media_type) && bytes >= SHORTEST_BYTES;
}

/** Compresses in the thread pool. Deterministic: the variants contain no time and no system name. */
export async function compress(
  bytes: Uint8Array,
  mediaType: string,
  encodings: readonly (keyof Encodings)[],
): Promise<Encodings> {
  if (!isWorthCompressing({ media_type: mediaType, bytes: bytes.length })) return {};
  const [br, gzip] = await Promise.all([
    encodings.includes('br') ? compressBrotli(bytes) : null,
    encodings.includes('gzip') && bytes.length <= LONGEST_GZIP_BYTES ? compressGzip(bytes) : null,
  ]);
  return {
    ...(br && br.length < bytes.length && { br }),
    ...(gzip && gzip.length < bytes.length && { gzip }),
  };
}

/** A higher quality takes 5 times as long for 5 % fewer bytes at most. */
function compressBrotli(bytes: Uint8Array): Promise<Buffer> {
  const params = {
    [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
    [constants.BROTLI_PARAM_QUALITY]: 5,
    [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
    [constants.BROTLI_PARAM_LGWIN]: windowOf(bytes.length),
  };
  return brotli(bytes, { params });
}

/**
 * Base 2 logarithm of the smallest window that holds a file of this size. A window loses 16 bytes (RFC 7932 §9.1). A larger
 * window makes compressing a small file five times slower without making it smaller.
 */
function windowOf(bytes: number): number {
  const { BROTLI_MIN_WINDOW_BITS: least, BROTLI_DEFAULT_WINDOW: most } = constants;
  return Math.min(most, Math.max(least, Math.ceil(Math.log2(bytes + 16))));
}

async function compressGzip(bytes: Uint8Array): Promise<Buffer> {
  const member = await zip(bytes, { level: 6 });
  // RFC 1952: byte 9 is the operating system. zlib fills it in; 255 means unknown.
  member[9] = 255;
  return member;
}
