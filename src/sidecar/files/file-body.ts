import type { FileHandle } from 'node:fs/promises';
import { open } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import type { ByteRange } from './byte-range.ts';
import { ChunkBuffers } from './chunk-buffers.ts';

/** A part of a file that is open, to be sent or destroyed. */
export class FileBody {
  readonly #handle: FileHandle;
  readonly #place: string;
  readonly #range: ByteRange;

  constructor(handle: FileHandle, place: string, range: ByteRange) {
    this.#handle = handle;
    this.#place = place;
    this.#range = range;
  }

  /**
   * Writes all of it, as fast as the client takes it, and closes the file. Resolves early where the client has gone; rejects
   * where the file cannot be read to its end. While one buffer is on its way the other is filled: as a stream, with a new
   * buffer for each read, a large file takes half as long again.
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
        buffers.taken(ms);
        at += chunk.length;
      }
      if ((await written) !== null) response.end();
    } finally {
      buffers.release();
    }
  }

  destroy(): void {
    // Of a file that is only read, nothing is lost with it.
    void this.#handle.close().catch(() => undefined);
  }

  async #read(buffer: Buffer, at: number): Promise<Buffer> {
    const length = Math.min(buffer.length, this.#range.last + 1 - at);
    const { bytesRead } = await this.#handle.read(buffer, 0, length, at);
    if (bytesRead === 0) throw new Error(`${this.#place}: expected ${length} bytes at ${at}, found its end`);
    return buffer.subarray(0, bytesRead);
  }
}

/** Throws an Error where the file is not there or has another size: that is an error then, not half an answer. */
export async function openFileBody(place: string, bytes: number, range: ByteRange | null): Promise<FileBody> {
  const handle = await open(place);
  const { size } = await handle.stat();
  if (size === bytes) return new FileBody(handle, place, range ?? { first: 0, last: bytes - 1 });
  await handle.close();
  throw new Error(`${place}: expected ${bytes} bytes, found ${size}`);
}

/** How long it took, ms, until the bytes were handed over and their buffer is free; null where the client has gone before. */
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
