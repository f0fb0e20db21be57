import { once } from 'node:events';
import { createWriteStream, rmSync } from 'node:fs';
import type { TransformOptions } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setImmediate } from 'node:timers/promises';
import {
  constants,
  createZstdCompress,
  type ZstdCompress,
  type ZstdOptions,
  zstdCompressSync,
} from 'node:zlib';
import { renameDurably, writeFileAtomically } from './atomic-file.ts';
import { ZstdFrame } from './zstd-frame.ts';

/** The checksum lets a reader tell damage at once, even before the root is compared. */
const PARAMS = { [constants.ZSTD_c_checksumFlag]: 1, [constants.ZSTD_c_compressionLevel]: 3 };
/** Compressed bytes handed to the disk at a time. */
const CHUNK_BYTES = 128 * 1024;
/** Bytes that may wait to be compressed on another thread while the caller makes more. */
const QUEUED_BYTES = 2 * 1024 * 1024;
const READY = Promise.resolve();

/**
 * One zstd frame into a file that appears under its name when it is complete. What fits one `write` is compressed at
 * once; more is streamed, so that memory stays flat. The same writes give the same bytes.
 */
export class ZstdFile {
  readonly #temporary: string;
  readonly #durable: boolean;
  #stream: ZstdCompress | undefined;
  #done: Promise<void> = READY;

  constructor(temporary: string, durable: boolean) {
    this.#temporary = temporary;
    this.#durable = durable;
  }

  /** Takes the bytes over: the caller must not write to them again. Resolves when there is room for more. */
  async write(bytes: Buffer): Promise<void> {
    const stream = this.#stream ?? this.#open();
    // A turn of the event loop even where there is room: the compressor's thread is given its next work there.
    const room = stream.write(bytes) ? setImmediate() : once(stream, 'drain');
    await Promise.race([room, this.#done]);
  }

  async finish(rest: Buffer, path: string): Promise<void> {
    const stream = this.#stream;
    if (!stream) {
      const compressed = zstdCompressSync(rest, { params: PARAMS });
      const frame = compressed.subarray(0, new ZstdFrame(path).push(compressed));
      return writeFileAtomically(path, frame, this.#durable);
    }
    stream.end(rest);
    await this.#done;
    renameDurably(this.#temporary, path, this.#durable);
  }

  async discard(): Promise<void> {
    this.#stream?.destroy();
    await this.#done.catch(() => undefined);
    rmSync(this.#temporary, { force: true });
  }

  #open(): ZstdCompress {
    const options: ZstdOptions & TransformOptions = {
      params: PARAMS,
      chunkSize: CHUNK_BYTES,
      highWaterMark: QUEUED_BYTES,
    };
    const stream = createZstdCompress(options);
    this.#stream = stream;
    const file = createWriteStream(this.#temporary, { flush: this.#durable });
    this.#done = pipeline(stream, (chunks) => firstFrame(chunks, this.#temporary), file);
    // `finish` and `write` await it; until then a full disk must not end the process.
    this.#done.catch(() => undefined);
    return stream;
  }
}

/**
 * Node's compressor appends an empty second frame where its output ends at a chunk boundary, or where it is ended while a
 * write is under way. Readers of one frame refuse such a file, so the writer leaves the second frame out.
 */
async function* firstFrame(chunks: AsyncIterable<Buffer>, place: string): AsyncGenerator<Buffer> {
  const frame = new ZstdFrame(place);
  for await (const chunk of chunks) yield chunk.subarray(0, frame.push(chunk));
  frame.end();
}
