import { sha256 } from '#hashing';
import { HASH_BYTES } from '../ledger/log/hash.ts';
import { TILE_WIDTH, type Tile, tilePath } from '../ledger/log/tile.ts';
import { digestOf } from '../ledger/notes/digest.ts';
import type { Tree } from '../release/disk/list-tree.ts';
import { counted } from '../words/number.ts';
import { mismatchError } from './findings.ts';

/** The log's folder below the service's root. */
export const LOG = 'log';

/** Tells whether a file has changed, without reading it. */
export interface Validator {
  etag: string | null;
  lastModified: string | null;
}

export interface OpenOptions {
  /** The first byte wanted; an origin may begin before it. */
  from?: number;
  /** The byte after the last one wanted; an origin may go on after it. */
  to?: number;
  /** Instead of both: only that many bytes at the end. Only pages ask so, where the length is not known. */
  last?: number;
  /** Do not send the file if it is still this version. */
  unless?: Validator;
  /** It may be sent as gzip. `bytes` is null then. Bundles of the log are so by the specification, asked or not. */
  compressible?: boolean;
}

/** An open file. Read `body` to its end or leave it with `break`: otherwise it holds a connection. */
export interface Opened {
  /** Offset of the first byte of `body`. */
  from: number;
  /** Length of `body` in bytes, if the origin says so. */
  bytes: number | null;
  /** Length of the whole file, if a part of it says so. */
  total?: number;
  validator: Validator;
  body: AsyncIterable<Uint8Array>;
}

/** A file as a signed list describes it. */
export interface Promised {
  path: string;
  /** Hex. */
  sha256: string;
  bytes: number;
}

/** What only a folder on this machine offers. */
export interface Disk {
  /** What is below a folder of the service, '' for that of the release; empty if there is no such folder. */
  list(folder: string): Promise<Tree>;
  /** The path that an unfinished file will have. */
  finished(path: string): string;
  /** Whether `cathedral mirror` writes this folder. */
  isMirror(): Promise<boolean>;
  /** Throws mirror_mismatch unless the compressed variant at `path` decompresses to this file. */
  verifyEncoding(path: string, file: Promised): Promise<void>;
}

/**
 * Where a release is read from. Nothing that it returns is trusted. Paths are relative to the service's root, without a
 * leading slash.
 */
export abstract class Origin {
  /** Null for hosts. */
  readonly disk: Disk | null = null;

  /** The name of a file in messages. */
  abstract placeOf(path: string): string;

  /** Null: there is no such file. Throws TransientFault, as does reading the body, and mirror_unreachable. */
  abstract open(path: string, options?: OpenOptions): Promise<Opened | 'unchanged' | null>;

  /** Opens a file that must exist. `expected` describes it in the error. Throws mirror_mismatch if it is missing, and what `open` throws. */
  async openExisting(path: string, expected = 'a file', options: OpenOptions = {}): Promise<Opened> {
    const opened = await this.open(path, options);
    if (opened !== null && opened !== 'unchanged') return opened;
    throw mismatchError(this.placeOf(path), expected, 'no such file');
  }

  /** Repeats `work` while a retry can help. Throws mirror_unreachable. */
  abstract retrying<T>(path: string, work: () => Promise<T>): Promise<T>;

  /** Whether a running service answers this path from newer events than those of its release. */
  async answersLive(_path: string): Promise<boolean> {
    return false;
  }

  /** Reads a file to its end. Throws mirror_mismatch if it differs from its description, and mirror_unreachable. */
  async verifyFile({ path, sha256, bytes }: Promised): Promise<void> {
    const place = this.placeOf(path);
    const found = await this.retrying(path, async () => {
      const opened = await this.openExisting(path, `a file of ${bytes} bytes`);
      return measure(promisedBody(opened, bytes, place));
    });
    if (found.sha256 !== sha256) throw mismatchError(place, `SHA-256 ${sha256}`, found.sha256);
  }

  /** A file of the log by its path below the log's address, `public/v1/000`; null if it is missing. Throws as `readSmall` does. */
  async readLogFile(path: string, mostBytes: number): Promise<Uint8Array | null> {
    return (await readSmall(this, `${LOG}/${path}`, { most: mostBytes }))?.bytes ?? null;
  }

  /** The bytes of a tile. A partial tile may have been removed once the full one exists. Throws mirror_mismatch. */
  async readTile(tile: Tile): Promise<Uint8Array> {
    const path = `${LOG}/${tilePath(tile)}`;
    const bytes = tile.width * HASH_BYTES;
    const found = await readSmall(this, path, { exactly: bytes });
    if (found) return found.bytes;
    const full = { ...tile, width: TILE_WIDTH };
    const fullBytes = TILE_WIDTH * HASH_BYTES;
    const whole =
      tile.width < TILE_WIDTH && (await readSmall(this, `${LOG}/${tilePath(full)}`, { exactly: fullBytes }));
    if (whole) return whole.bytes.subarray(0, bytes);
    throw mismatchError(
      this.placeOf(path),
      `a tile of ${counted(tile.width, 'hash', 'hashes')}`,
      'no such file',
    );
  }
}

export interface SmallFile {
  bytes: Uint8Array<ArrayBuffer>;
  validator: Validator;
}

/** How many bytes a file may have. */
export type Size = { exactly: number } | { most: number };

/**
 * A file that fits into memory; reads not a byte beyond `size`. Null: there is none. Throws mirror_mismatch if the size
 * differs, and mirror_unreachable.
 */
export async function readSmall(
  origin: Origin,
  path: string,
  size: Size,
  options: Pick<OpenOptions, 'compressible'> = {},
): Promise<SmallFile | null> {
  const found = await readUnless(origin, path, size, options);
  return found === 'unchanged' ? null : found;
}

/** The same; `unchanged` if the file is still the one that `unless` describes. */
export async function readUnless(
  origin: Origin,
  path: string,
  size: Size,
  options: Pick<OpenOptions, 'compressible' | 'unless'>,
): Promise<SmallFile | 'unchanged' | null> {
  return origin.retrying(path, async () => {
    const opened = await origin.open(path, options);
    if (opened === null || opened === 'unchanged') return opened;
    return { bytes: await readBody(opened.body, size, origin.placeOf(path)), validator: opened.validator };
  });
}

/** A small file that a signed list names. Throws mirror_mismatch if there is none, and as `readSmall` does. */
export async function readListed(
  origin: Origin,
  path: string,
  bytes: number,
): Promise<Uint8Array<ArrayBuffer>> {
  const found = await readSmall(origin, path, { exactly: bytes });
  if (found) return found.bytes;
  throw mismatchError(origin.placeOf(path), `a file of ${bytes} bytes`, 'no such file');
}

/** The same, with the hash that the list gives. `why` ends what is expected: `, as listed`. */
export async function readPromised(
  origin: Origin,
  { path, sha256, bytes }: Promised,
  why = '',
): Promise<Uint8Array<ArrayBuffer>> {
  const found = await readListed(origin, path, bytes);
  const digest = await digestOf(found);
  if (digest === sha256) return found;
  throw mismatchError(origin.placeOf(path), `SHA-256 ${sha256}${why}`, digest);
}

/** The length of a file as the origin announces it, null if it does not. Throws mirror_mismatch if there is no such file. */
export async function announcedLength(origin: Origin, path: string): Promise<number | null> {
  return origin.retrying(path, async () => {
    const opened = await origin.openExisting(path);
    // The header is all that is needed.
    for await (const _ of opened.body) break;
    return opened.bytes;
  });
}

async function readBody(
  body: AsyncIterable<Uint8Array>,
  size: Size,
  place: string,
): Promise<SmallFile['bytes']> {
  const most = 'exactly' in size ? size.exactly : size.most;
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.length;
    if (bytes > most)
      throw mismatchError(place, `${'exactly' in size ? 'exactly' : 'at most'} ${most} bytes`, 'more');
    chunks.push(chunk);
  }
  if ('exactly' in size && bytes !== most) throw mismatchError(place, `exactly ${most} bytes`, `${bytes}`);
  const joined = new Uint8Array(bytes);
  let at = 0;
  for (const chunk of chunks) {
    joined.set(chunk, at);
    at += chunk.length;
  }
  return joined;
}

/** The rest of a file of `bytes`; ends at the first sign that the file is longer or shorter. */
export async function* promisedBody(
  { from, bytes: announced, body }: Opened,
  bytes: number,
  place: string,
): AsyncGenerator<Uint8Array> {
  let at = from;
  for await (const chunk of body) {
    if (announced !== null && from + announced !== bytes)
      throw mismatchError(place, `${bytes} bytes`, `${from + announced}`);
    at += chunk.length;
    if (at > bytes) throw mismatchError(place, `${bytes} bytes`, 'more');
    yield chunk;
  }
  if (at < bytes) throw mismatchError(place, `${bytes} bytes`, `${at}`);
}

/** Length and SHA-256, hex, of a stream. */
export async function measure(
  body: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
): Promise<{ bytes: number; sha256: string }> {
  const hash = sha256();
  let bytes = 0;
  for await (const chunk of body) {
    hash.update(chunk);
    bytes += chunk.length;
  }
  return { bytes, sha256: hash.digest() };
}
