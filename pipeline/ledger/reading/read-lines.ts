import { closeSync, createReadStream, fstatSync, openSync, readFileSync } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { constants, createZstdDecompress, zstdDecompressSync } from 'node:zlib';
import { CathedralError, errorOf } from '../../errors.ts';
import { MAX_LINE_BYTES } from '../events/event.ts';
import type { SnapshotFile } from './directory.ts';
import { frameLength } from './zstd-frame.ts';

const corrupt = errorOf('ledger_corrupt');

/** Compressed size up to which a file is decompressed in one call, which is cheaper than a stream. */
const SMALL_BYTES = 256 * 1024;
/** Decompressed size up to which this applies. A small file that expands further is streamed. */
const SMALL_CONTENT_BYTES = 4 * 1024 * 1024;
/** Decompressed bytes per chunk: a few thousand events, so that the stream's overhead is small. */
const CHUNK_BYTES = 256 * 1024;
/** Maximum window, and thus memory, that a file may require: RFC 8878 §3.1.1.1.2 recommends that readers support 8 MB. */
const PARAMS = { [constants.ZSTD_d_windowLogMax]: 23 };

/**
 * The content of a file that is one zstd frame, in chunks of a few hundred kB. Throws `ledger_unreadable` or `ledger_corrupt` with
 * `place`, possibly after yielding part of the content.
 */
export async function* decompress(path: string, place: string): AsyncGenerator<Buffer> {
  try {
    const content = readSmall(path, place);
    if (content === null) return yield* stream(path);
    for (let at = 0; at < content.length; at += CHUNK_BYTES) yield content.subarray(at, at + CHUNK_BYTES);
  } catch (cause) {
    if (cause instanceof CathedralError) throw cause;
    const { code, syscall, message } = cause as NodeJS.ErrnoException;
    if (!syscall) throw corrupt(place, 'zstd data', message, cause);
    const found = code ?? String(cause);
    throw new CathedralError('ledger_unreadable', { place, expected: 'a readable file', found, cause });
  }
}

/** Null for a file that has to be streamed. */
function readSmall(path: string, place: string): Buffer | null {
  const file = openSync(path, 'r');
  try {
    const { size } = fstatSync(file);
    frameLength(file, size, place);
    if (size > SMALL_BYTES) return null;
    return zstdDecompressSync(readFileSync(file), { params: PARAMS, maxOutputLength: SMALL_CONTENT_BYTES });
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') return null;
    throw cause;
  } finally {
    closeSync(file);
  }
}

async function* stream(path: string): AsyncGenerator<Buffer> {
  const decoder = createZstdDecompress({ params: PARAMS, chunkSize: CHUNK_BYTES });
  const done = pipeline(createReadStream(path, { highWaterMark: CHUNK_BYTES }), decoder);
  // The loop below throws it. If the caller stops early, it would otherwise be an unhandled rejection.
  done.catch(() => undefined);
  for await (const chunk of decoder) yield chunk as Buffer;
  await done;
}

/**
 * The lines of a snapshot's events in batches, without line ends. They are not validated one by one: callers compare the root of the
 * tree over them with a signed one, which proves more at a lower cost.
 * Throws `ledger_unreadable` or `ledger_corrupt`.
 */
export function readLines({ id, events }: SnapshotFile): AsyncGenerator<Buffer[]> {
  const place = `snapshots/${id}.ndjson.zst`;
  return splitLines(decompress(events, place), (line) => `${place}:${line}`, { isWhole: true });
}

const LINE_END = 0x0a;

/**
 * The complete lines of the chunks in batches, without line ends; `before` lines precede them. Throws `ledger_corrupt` for one that gets
 * longer than a line may be, and if `isWhole` for a last one without its end. `placeOf` names a line, from 1.
 */
export async function* splitLines(
  chunks: AsyncIterable<Buffer>,
  placeOf: (line: number) => string,
  { before = 0, isWhole = false } = {},
): AsyncGenerator<Buffer[]> {
  let count = before;
  let rest: Buffer = Buffer.alloc(0);
  for await (const chunk of chunks) {
    const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    const lines: Buffer[] = [];
    let start = 0;
    for (let end = bytes.indexOf(LINE_END); end >= 0; end = bytes.indexOf(LINE_END, start)) {
      lines.push(bytes.subarray(start, end));
      start = end + 1;
    }
    rest = bytes.subarray(start);
    count += lines.length;
    if (lines.length > 0) yield lines;
    if (rest.length > MAX_LINE_BYTES)
      throw corrupt(placeOf(count + 1), `at most ${MAX_LINE_BYTES} bytes`, 'more');
  }
  if (isWhole && rest.length > 0)
    throw corrupt(placeOf(count + 1), 'a line end', JSON.stringify(rest.toString('utf8', 0, 80)));
}
