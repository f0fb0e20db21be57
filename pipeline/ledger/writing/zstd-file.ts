import { once } from 'node:events';
import { type FileHandle, open, rm } from 'node:fs/promises';
import type { TransformOptions } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import {
  constants,
  createZstdCompress,
  type ZstdCompress,
  type ZstdOptions,
  zstdCompressSync,
} from 'node:zlib';
import { renameDurably } from '../../disk/durable.ts';
import { frameLength } from '../reading/zstd-frame.ts';

/** The checksum lets readers detect damage before they compare the root. */
const PARAMS = { [constants.ZSTD_c_checksumFlag]: 1, [constants.ZSTD_c_compressionLevel]: 3 };
/** Compressed bytes written at a time. */
const CHUNK_BYTES = 128 * 1024;
/** Bytes that may wait for compression on another thread while the caller produces more. */
const QUEUED_BYTES = 2 * 1024 * 1024;

/**
 * Writes one zstd frame to a file that gets its name when it is complete. What `finish` is given alone is compressed in one call; more is
 * streamed, so that memory stays constant. Deterministic.
 */
export class ZstdFile {
  readonly #temporary: string;
  readonly #durable: boolean;
  #stream: ZstdCompress | undefined;
  #file: FileHandle | undefined;
  #done: Promise<void> = Promise.resolve();

  constructor(temporary: string, durable: boolean) {
    this.#temporary = temporary;
    this.#durable = durable;
  }

  /** Takes ownership of the bytes: the caller must not modify them. Resolves when there is room for more. */
  async write(bytes: Buffer): Promise<void> {
    const stream = this.#stream ?? this.#open();
    if (!stream.write(bytes)) await Promise.race([once(stream, 'drain'), this.#done]);
  }

  async finish(rest: Buffer, path: string): Promise<void> {
    this.#stream?.end(rest);
    if (!this.#stream) this.#done = this.#store([zstdCompressSync(rest, { params: PARAMS })]);
    await this.#done;
    const file = this.#file!;
    // Readers of one frame refuse the empty second one that Node's compressor may append.
    const { size } = await file.stat();
    const length = frameLength(file.fd, size, this.#temporary);
    if (length < size) await file.truncate(length);
    if (this.#durable) await file.sync();
    await file.close();
    await renameDurably(this.#temporary, path, this.#durable);
  }

  async discard(): Promise<void> {
    this.#stream?.destroy();
    await this.#done.catch(() => undefined);
    // `finish` may have closed it before it failed.
    await this.#file?.close().catch(() => undefined);
    // If this fails as well, the next writer replaces it; what failed before says why.
    await rm(this.#temporary, { force: true }).catch(() => undefined);
  }

  async #store(chunks: Iterable<Buffer> | AsyncIterable<Buffer>): Promise<void> {
    this.#file = await open(this.#temporary, 'w+');
    for await (const chunk of chunks) await this.#file.writeFile(chunk);
  }

  #open(): ZstdCompress {
    const options: ZstdOptions & TransformOptions = {
      params: PARAMS,
      chunkSize: CHUNK_BYTES,
      highWaterMark: QUEUED_BYTES,
    };
    const stream = createZstdCompress(options);
    this.#stream = stream;
    this.#done = pipeline(stream, (chunks) => this.#store(chunks));
    // `finish` and `write` await it; until then a full disk must not end the process.
    this.#done.catch(() => undefined);
    return stream;
  }
}
