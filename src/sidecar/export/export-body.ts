import { Readable, type Writable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { CHUNK_BYTES } from './chunk-writer.ts';

/**
 * Sends chunks as fast as the reader takes them and produces none in advance. Calls `release` when the stream has ended for any
 * reason and no read is pending. Chunks share two buffers, so a long export produces no garbage: piped into a connection, a
 * chunk is sent before its buffer is reused. Other readers get copies.
 */
export class ExportBody extends Readable {
  readonly #chunks: AsyncIterator<Buffer>;
  readonly #release: () => void;
  #first: Buffer | null;
  #working: Promise<void> = Promise.resolve();
  /** Ends the wait for a chunk to be sent. */
  #giveUp: () => void = () => {};

  /** `first` precedes the chunks. Each chunk is valid until the chunk after the next is requested; empty ones are skipped. */
  constructor(first: Buffer, chunks: AsyncIterator<Buffer>, release: () => void) {
    super({ highWaterMark: CHUNK_BYTES });
    this.#first = first;
    this.#chunks = chunks;
    this.#release = release;
  }

  override pipe<T extends NodeJS.WritableStream>(target: T): T {
    this.#working = this.#send(target as unknown as Writable).catch(
      (error: Error) => void this.destroy(error),
    );
    return target;
  }

  override _read(): void {
    this.#working = this.#next().then(
      (chunk) => void this.push(chunk && Buffer.from(chunk)),
      (error: Error) => void this.destroy(error),
    );
  }

  override _destroy(error: Error | null, callback: (error?: Error | null) => void): void {
    this.#giveUp();
    void this.#working.then(() => {
      this.#release();
      callback(error);
    });
  }

  async #send(target: Writable): Promise<void> {
    let left: Promise<void> = Promise.resolve();
    for (;;) {
      const chunk = await this.#next();
      await left;
      if (this.destroyed) return;
      if (chunk === null) break;
      left = this.#write(target, chunk);
    }
    // An empty last chunk for consumers that wait for the end.
    this.push(null);
    this.resume();
  }

  /** Resolves when the chunk was handed to the operating system or the stream was destroyed. */
  #write(target: Writable, chunk: Buffer): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#giveUp = resolve;
    target.write(chunk, (error) => {
      if (error) this.destroy();
      resolve();
    });
    return promise;
  }

  async #next(): Promise<Buffer | null> {
    const first = this.#first;
    this.#first = null;
    if (first !== null && first.length > 0) return first;
    while (!this.destroyed) {
      // A fast reader would otherwise block all other requests.
      await setImmediate();
      const { value, done } = await this.#chunks.next();
      if (done) return null;
      if (value.length > 0) return value;
    }
    return null;
  }
}
