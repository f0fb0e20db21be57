import { closeSync, createReadStream, fstatSync, openSync, readSync } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { constants, createZstdDecompress, zstdDecompressSync } from 'node:zlib';
import { CathedralError } from '../../errors.ts';
import { MAX_LINE_BYTES } from '../events/event.ts';
import type { SnapshotFile } from './directory.ts';
import { ZstdFrame } from './zstd.ts';

/** Compressed size up to which a file is decompressed in one call, which is cheaper than a stream. */
const SMALL_BYTES = 256 * 1024;
/** Decompressed size up to which this applies. A small file that expands further is streamed. */
const SMALL_CONTENT_BYTES = 4 * 1024 * 1024;
/** Decompressed bytes per chunk: a few thousand events, so that the stream's overhead is small. */
const CHUNK_BYTES = 256 * 1024;
/** Maximum window, and thus memory, that a file may require: RFC 8878 §3.1.1.1.2 recommends that readers support 8 MB. */
const PARAMS = { [constants.ZSTD_d_windowLogMax]: 23 };

/**
 * The content of a file that is one zstd frame, in chunks of a few hundred kB that the caller may overwrite. Throws
 * `ledger_unreadable` or `ledger_corrupt` with `place`, possibly after yielding part of the content.
 */
export async function* decompress(path: string, place: string): AsyncGenerator<Buffer> {
  const small = readSmall(path, place);
  const content = small && inflateSmall(small, place);
  if (!content) return yield* stream(path, place);
  for (let at = 0; at < content.length; at += CHUNK_BYTES) yield content.subarray(at, at + CHUNK_BYTES);
}

function readSmall(path: string, place: string): Buffer | undefined {
  let file: number | undefined;
  try {
    file = openSync(path, 'r');
    const { size } = fstatSync(file);
    if (size > SMALL_BYTES) return undefined;
    const bytes = Buffer.allocUnsafe(size);
    let got = 0;
    for (let read = -1; got < size && read !== 0; got += read)
      read = readSync(file, bytes, got, size - got, got);
    return bytes.subarray(0, got);
  } catch (cause) {
    throw unreadable(place, cause);
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

function inflateSmall(bytes: Buffer, place: string): Buffer | undefined {
  const frame = new ZstdFrame(place);
  frame.push(bytes);
  frame.end();
  try {
    return zstdDecompressSync(bytes, { params: PARAMS, maxOutputLength: SMALL_CONTENT_BYTES });
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') return undefined;
    throw corrupt(place, 'zstd data', (cause as Error).message, cause);
  }
}

async function* stream(path: string, place: string): AsyncGenerator<Buffer> {
  const frame = new ZstdFrame(place);
  const decoder = createZstdDecompress({ params: PARAMS, chunkSize: CHUNK_BYTES });
  const source = createReadStream(path, { highWaterMark: CHUNK_BYTES });
  const done = pipeline(
    source,
    async function* (chunks: AsyncIterable<Buffer>) {
      for await (const chunk of chunks) {
        frame.push(chunk);
        yield chunk;
      }
      frame.end();
    },
    decoder,
  );
  // The loop below throws it. If the caller stops early, it would otherwise be an unhandled rejection.
  done.catch(() => undefined);
  try {
    for await (const chunk of decoder) yield chunk as Buffer;
    await done;
  } catch (cause) {
    if (cause instanceof CathedralError) throw cause;
    throw (cause as NodeJS.ErrnoException).syscall
      ? unreadable(place, cause)
      : corrupt(place, 'zstd data', (cause as Error).message, cause);
  }
}

function unreadable(place: string, cause: unknown): CathedralError {
  const found = (cause as NodeJS.ErrnoException).code ?? String(cause);
  return new CathedralError('ledger_unreadable', {
    place,
    expected: 'a readable file',
    found,
    cause,
  });
}

const LINE_END = 0x0a;

/**
 * The lines of a snapshot's events in batches, without line ends. They are not validated one by one: callers compare the root of the
 * tree over them with a signed one, which proves more at a lower cost.
 * Throws `ledger_unreadable` or `ledger_corrupt`.
 */
export async function* readLines(file: SnapshotFile): AsyncGenerator<Buffer[]> {
  const place = `snapshots/${file.id}.ndjson.zst`;
  const rest = yield* splitLines(decompress(file.events, place), (line) => `${place}:${line}`);
  if (rest > 0) throw corrupt(place, 'a line end at the end', 'none');
}

/**
 * The complete lines of the chunks, of which `before` precede them. Returns how many bytes follow the last line end. `placeOf` names a line,
 * from 1. Throws `ledger_corrupt` for a line too long.
 */
export async function* splitLines(
  chunks: AsyncIterable<Buffer>,
  placeOf: (line: number) => string,
  before = 0,
): AsyncGenerator<Buffer[], number> {
  let count = before;
  let rest: Buffer = Buffer.alloc(0);
  const assertFits = ({ length }: Buffer) => {
    if (length > MAX_LINE_BYTES)
      throw corrupt(placeOf(count + 1), `a line of at most ${MAX_LINE_BYTES} bytes`, `${length}`);
  };
  for await (const chunk of chunks) {
    const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    const lines: Buffer[] = [];
    let start = 0;
    for (let end = bytes.indexOf(LINE_END); end >= 0; end = bytes.indexOf(LINE_END, start)) {
      const line = bytes.subarray(start, end);
      assertFits(line);
      lines.push(line);
      count += 1;
      start = end + 1;
    }
    rest = bytes.subarray(start);
    assertFits(rest);
    if (lines.length > 0) yield lines;
  }
  return rest.length;
}

function corrupt(place: string, expected: string, found: string, cause?: unknown): CathedralError {
  return new CathedralError('ledger_corrupt', { place, expected, found, cause });
}
