import type { FileHandle } from 'node:fs/promises';
import { open } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';

/** Bytes of a file, the last one included. */
export interface ByteRange {
  first: number;
  last: number;
}

/** A file that is too large for memory. */
export interface FileSource {
  /** Its path, for messages if it is opened otherwise. */
  file: string;
  /** Opens it, if it may have to be fetched first. */
  open?: () => Promise<FileHandle>;
  /** Bytes to be sent before the end of the file, which is then longer than what is sent of it. */
  head?: Buffer;
}

const NO_HEAD: Buffer = Buffer.alloc(0);

/** A range of an open file, to be sent or destroyed. */
export class FileBody {
  readonly #handle: FileHandle;
  readonly #place: string;
  readonly #range: ByteRange;
  readonly #head: Buffer;
  /** What to add to a position in the body to get the one in the file. */
  readonly #shift: number;

  constructor(handle: FileHandle, place: string, range: ByteRange, head: Buffer = NO_HEAD, shift = 0) {
    this.#handle = handle;
    this.#place = place;
    this.#range = range;
    this.#head = head;
    this.#shift = shift;
  }

  /**
   * Writes the range as fast as the client reads it, and closes the file. Resolves early if the client disconnects; rejects
   * if the file cannot be read to its end. One buffer fills while the other is being sent: a stream, which allocates a buffer
   * for each read, takes half as long again for a large file.
   */
  async writeTo(response: ServerResponse): Promise<void> {
    try {
      if (response.destroyed) return;
      await this.#writeChunks(response, new ChunkBuffers());
    } finally {
      await this.#handle.close();
    }
  }

  async #writeChunks(response: ServerResponse, buffers: ChunkBuffers): Promise<void> {
    try {
      let written: Promise<number | null> = Promise.resolve(0);
      for (let at = this.#range.first; at <= this.#range.last; ) {
        const chunk = await this.#read(buffers.next(), at);
        const ms = await written;
        if (ms === null) return;
        written = write(response, chunk);
        buffers.onTaken(ms);
        at += chunk.length;
      }
      if ((await written) !== null) response.end();
    } finally {
      buffers.release();
    }
  }

  /** The bytes of the range, in parts that are valid until the next one; closes the file. */
  async *parts(): AsyncGenerator<Buffer> {
    try {
      const buffer = Buffer.allocUnsafe(LARGE_BYTES);
      for (let at = this.#range.first; at <= this.#range.last; ) {
        const part = await this.#read(buffer, at);
        yield part;
        at += part.length;
      }
    } finally {
      await this.#handle.close();
    }
  }

  destroy(): void {
    // The file is only read, so an error on closing it loses nothing.
    void this.#handle.close().catch(() => undefined);
  }

  async #read(buffer: Buffer, at: number): Promise<Buffer> {
    const length = Math.min(buffer.length, this.#range.last + 1 - at);
    if (at < this.#head.length) return this.#head.subarray(at, at + length);
    const { bytesRead } = await this.#handle.read(buffer, 0, length, at + this.#shift);
    if (bytesRead === 0)
      throw new Error(`${this.#place}: expected ${length} bytes at ${at}, found the end of the file`);
    return buffer.subarray(0, bytesRead);
  }
}

/** Throws an Error if the file is missing or has another size, so that a client gets an error rather than half a file. */
export async function openFileBody(
  { file: place, open: openSource = () => open(place), head }: FileSource,
  bytes: number,
  range: ByteRange | null,
): Promise<FileBody> {
  const handle = await openSource();
  const { size } = await handle.stat();
  const least = bytes - (head?.length ?? 0);
  if (head ? size >= least : size === bytes)
    return new FileBody(handle, place, range ?? { first: 0, last: bytes - 1 }, head, size - bytes);
  await handle.close();
  throw new Error(`${place}: expected ${head ? 'at least ' : ''}${least} bytes, found ${size}`);
}

/** Resolves to the time, ms, until the bytes were handed over and their buffer is free; null if the client disconnected. */
function write(response: ServerResponse, chunk: Buffer): Promise<number | null> {
  return new Promise((resolve) => {
    const start = performance.now();
    const onClose = () => resolve(null);
    response.once('close', onClose);
    response.write(chunk, (error) => {
      response.off('close', onClose);
      resolve(error ? null : performance.now() - start);
    });
  });
}

/** For slow clients, and when there are very many. */
const SMALL_BYTES = 16 * 1024;
/** Two of them hold what a long-distance connection has in flight. */
const LARGE_BYTES = 256 * 1024;
/** Files sent with large buffers at once: 32 MB, however many clients there are and however slowly they read. */
const MAX_LARGE = 64;
/** Chunks that a client must take quickly before it gets large buffers. */
const TRIAL_CHUNKS = 8;
/** A client that takes longer for a chunk is slow, ms. */
const SLOW_MS = 1000;

let large = 0;

/**
 * The two buffers of a file that is being sent: small at first, large for a quick client while few others have large ones.
 * This bounds the memory that clients which never read can hold.
 */
class ChunkBuffers {
  #pair = allocate(SMALL_BYTES);
  #isLarge = false;
  #turn: 0 | 1 = 0;
  #quick = 0;

  /** The one not returned last. */
  next(): Buffer {
    this.#turn = this.#turn === 0 ? 1 : 0;
    return this.#pair[this.#turn];
  }

  /** To be called when the client has taken a chunk. */
  onTaken(ms: number): void {
    if (ms > SLOW_MS) {
      this.#quick = 0;
      this.release();
    } else if (!this.#isLarge) {
      this.#quick += 1;
      if (this.#quick > TRIAL_CHUNKS && large < MAX_LARGE) this.#grow();
    }
  }

  /** Returns to small buffers. To be called at the end as well, however that came. */
  release(): void {
    if (!this.#isLarge) return;
    this.#isLarge = false;
    this.#pair = allocate(SMALL_BYTES);
    large -= 1;
  }

  #grow(): void {
    this.#isLarge = true;
    this.#pair = allocate(LARGE_BYTES);
    large += 1;
  }
}

function allocate(bytes: number): readonly [Buffer, Buffer] {
  return [Buffer.allocUnsafeSlow(bytes), Buffer.allocUnsafeSlow(bytes)];
}
