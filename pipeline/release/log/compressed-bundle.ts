import { gunzipSync, gzipSync } from 'node:zlib';
import { CathedralError } from '../../errors.ts';
import { formatBundle, MAX_BUNDLE_BYTES } from '../../ledger/log/entry-bundle.ts';
import { PUBLIC_VERSION } from '../../ledger/log/public-events.ts';
import { type Bundle, bundlePath, parseTilePath, TILE_WIDTH } from '../../ledger/log/tile.ts';
import type { LogFile } from '../../ledger/log/tree-builder.ts';
import { logFile, readLogFile } from './log-folder.ts';

/** Compressed variants stand beside the files, as in a release. */
const GZIP = '.gz';

export function compressedPath(path: string): string {
  return `${path}${GZIP}`;
}

/** A bundle and its compressed variant. */
export function bundleFiles(path: string, bytes: Uint8Array): LogFile[] {
  return [
    { path, bytes },
    { path: compressedPath(path), bytes: gzipSync(bytes), plain: bytes },
  ];
}

/** With the compressed variant, if it is a full bundle of entries. Partial ones are replaced within hours. */
export function withCompressed(file: LogFile): LogFile[] {
  return isFullBundle(file.path) ? bundleFiles(file.path, file.bytes) : [file];
}

function isFullBundle(path: string): boolean {
  const found = parseTilePath(path);
  return found?.kind === 'bundle' && found.bundle.width === TILE_WIDTH;
}

/** The path of a bundle without the ending of its compressed variant, if there may be such a variant. Any other path stays as it is. */
export function plainPath(path: string): string {
  if (!path.endsWith(GZIP)) return path;
  const plain = path.slice(0, -GZIP.length);
  const found = parseTilePath(plain);
  const isPublic = found?.kind === 'public' && found.version === PUBLIC_VERSION;
  return isPublic || isFullBundle(plain) ? plain : path;
}

/**
 * The compressed variant of a full bundle must be there, and decompress to these entries. Throws log_invalid.
 */
export function assertCompressed(out: string, bundle: Bundle, entries: readonly Uint8Array[]): void {
  const place = logFile(out, compressedPath(bundlePath(bundle)));
  assertBytes(place, inflateBundle(readLogFile(place), place), formatBundle(entries));
}

/** Throws log_invalid. */
export function assertBytes(place: string, found: Uint8Array, expected: Uint8Array): void {
  if (Buffer.from(found).equals(expected)) return;
  throw new CathedralError('log_invalid', {
    place,
    expected: `the ${expected.length} bytes of these entries`,
    found: `${found.length} other bytes`,
  });
}

/** The bytes of a compressed bundle, whose size is limited. Throws log_invalid. */
export function inflateBundle(bytes: Uint8Array, place: string): Buffer {
  try {
    return gunzipSync(bytes, { maxOutputLength: MAX_BUNDLE_BYTES });
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException;
    const found = code === 'ERR_BUFFER_TOO_LARGE' ? 'more' : message;
    const expected = `gzip data of at most ${MAX_BUNDLE_BYTES} bytes`;
    throw new CathedralError('log_invalid', { place, expected, found, cause });
  }
}
