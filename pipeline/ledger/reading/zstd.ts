import { once } from 'node:events';
import { open, rm } from 'node:fs/promises';
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
import { renameDurably, writeFileAtomically } from '../../disk/durable.ts';
import { CathedralError } from '../../errors.ts';

/** The checksum lets readers detect damage before they compare the root. */
const PARAMS = { [constants.ZSTD_c_checksumFlag]: 1, [constants.ZSTD_c_compressionLevel]: 3 };
/** Compressed bytes written at a time. */
const CHUNK_BYTES = 128 * 1024;
/** Bytes that may wait for compression on another thread while the caller produces more. */
const QUEUED_BYTES = 2 * 1024 * 1024;
const READY = Promise.resolve();

/**
 * Writes one zstd frame to a file that gets its name when it is complete. A single `write` is compressed in one call; more is streamed,
 * so that memory stays constant. Deterministic.
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

  /** Takes ownership of the bytes: the caller must not modify them. Resolves when there is room for more. */
  async write(bytes: Buffer): Promise<void> {
    const stream = this.#stream ?? this.#open();
    // Yield to the event loop even if there is room, because that is when the compressor's thread gets its next work.
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
    await renameDurably(this.#temporary, path, this.#durable);
  }

  async discard(): Promise<void> {
    this.#stream?.destroy();
    await this.#done.catch(() => undefined);
    await rm(this.#temporary, { force: true });
  }

  async #store(chunks: AsyncIterable<Buffer>): Promise<void> {
    const handle = await open(this.#temporary, 'w');
    try {
      for await (const chunk of chunks) await handle.writeFile(chunk);
      if (this.#durable) await handle.sync();
    } finally {
      await handle.close();
    }
  }

  #open(): ZstdCompress {
    const options: ZstdOptions & TransformOptions = {
      params: PARAMS,
      chunkSize: CHUNK_BYTES,
      highWaterMark: QUEUED_BYTES,
    };
    const stream = createZstdCompress(options);
    this.#stream = stream;
    this.#done = pipeline(stream, (chunks) => this.#store(firstFrame(chunks, this.#temporary)));
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

const MAGIC = 0xfd2fb528;
/** Magic_Number and Frame_Header_Descriptor. */
const DESCRIPTOR_BYTES = 5;
const BLOCK_HEADER_BYTES = 3;
const CHECKSUM_BYTES = 4;
/** Frame_Header_Descriptor, RFC 8878 §3.1.1.1.1. */
const SINGLE_SEGMENT = 0x20;
const UNUSED_OR_RESERVED = 0x18;
const CHECKSUM = 0x04;
const DICTIONARY_ID = 0x03;
const CONTENT_SIZE_BYTES = [0, 2, 4, 8] as const;
/** A block header: the last block, raw, of no bytes. */
const EMPTY_LAST_BLOCK = 1;
const RLE = 1;
const RESERVED = 3;

type Part = 'descriptor' | 'header' | 'block' | 'checksum' | 'end';

/**
 * Walks over the compressed bytes of a file and holds it to one whole zstd frame, with nothing after it but empty frames.
 * Node's decoder alone would pass over trailing bytes and read a second frame as if it belonged to the first. Empty frames
 * are allowed because Node's compressor appends one when its output ends at a chunk boundary, and ledgers have such files.
 * A content checksum may be left out: what the content has to be, the signed root says.
 */
export class ZstdFrame {
  readonly #place: string;
  /** Bytes to skip before the next part of the frame. */
  #skip = 0;
  /** The next part, and the bytes of it so far. */
  #part: Part = 'descriptor';
  #wanted = DESCRIPTOR_BYTES;
  #value = 0;
  #got = 0;
  #checksumBytes = 0;
  /** Whether the first frame has ended. */
  #trailing = false;

  constructor(place: string) {
    this.#place = place;
  }

  /**
   * Reads the next bytes of the file and returns how many of them belong to the first frame. The rest are empty frames.
   * Throws `ledger_corrupt`.
   */
  push(bytes: Uint8Array): number {
    let first = this.#trailing ? 0 : bytes.length;
    for (let at = 0; at < bytes.length; ) {
      if (this.#part === 'end' && this.#skip === 0) {
        if (!this.#trailing) first = at;
        this.#trailing = true;
        this.#next('descriptor', DESCRIPTOR_BYTES, 0);
      }
      const passed = Math.min(this.#skip, bytes.length - at);
      at += passed;
      this.#skip -= passed;
      while (this.#skip === 0 && this.#part !== 'end' && at < bytes.length) this.#take(bytes[at++]!);
    }
    return first;
  }

  /** Ends the input. */
  end(): void {
    if (this.#part !== 'end' || this.#skip > 0)
      throw this.#corrupt('a whole zstd frame', 'a file that ends within it');
  }

  #take(byte: number): void {
    this.#value += byte * 2 ** (8 * this.#got);
    this.#got += 1;
    if (this.#got < this.#wanted) return;
    const value = this.#value;
    this.#value = 0;
    this.#got = 0;
    if (this.#part === 'descriptor') this.#descriptor(value);
    else this.#block(value);
  }

  #descriptor(value: number): void {
    const descriptor = Math.floor(value / 2 ** 32);
    if (value % 2 ** 32 !== MAGIC) {
      throw this.#trailing ? this.#moreBytes() : this.#corrupt('a zstd frame', 'other bytes');
    }
    if (descriptor & (UNUSED_OR_RESERVED | DICTIONARY_ID)) {
      throw this.#corrupt('a zstd frame without a dictionary', `frame descriptor ${descriptor}`);
    }
    this.#checksumBytes = descriptor & CHECKSUM ? CHECKSUM_BYTES : 0;
    const single = (descriptor & SINGLE_SEGMENT) !== 0;
    // A single segment has no window byte, but a size of at least one byte: one more byte either way.
    const sizeBytes = CONTENT_SIZE_BYTES[descriptor >> 6]!;
    this.#next('block', BLOCK_HEADER_BYTES, single ? Math.max(sizeBytes, 1) : sizeBytes + 1);
  }

  #block(header: number): void {
    if (this.#trailing && header !== EMPTY_LAST_BLOCK) throw this.#moreBytes();
    const last = (header & 1) === 1;
    const type = (header >> 1) & 3;
    if (type === RESERVED) throw this.#corrupt('a zstd block', 'one of the reserved type');
    const bytes = type === RLE ? 1 : header >> 3;
    if (last) this.#next('end', 0, bytes + this.#checksumBytes);
    else this.#next('block', BLOCK_HEADER_BYTES, bytes);
  }

  #next(part: Part, wanted: number, skip: number): void {
    this.#part = part;
    this.#wanted = wanted;
    this.#skip = skip;
  }

  #moreBytes(): CathedralError {
    return this.#corrupt('the end of the file after the zstd frame', 'more bytes');
  }

  #corrupt(expected: string, found: string): CathedralError {
    return new CathedralError('ledger_corrupt', { place: this.#place, expected, found });
  }
}
