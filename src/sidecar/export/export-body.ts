import { Readable, type Writable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { CHUNK_BYTES } from './chunk-writer.ts';

/**
 * Sends chunks as the reader takes them, and makes none when it does not. When the stream is over, however it ended,
 * and nothing is being read for it any more, `release` is called.
 *
 * Chunks share two pieces of memory, so that a long export leaves nothing to the garbage collector: piped into a
 * connection, a chunk is written when the one before has left. Who reads the stream in another way gets copies.
 */
export class ExportBody extends Readable {
  readonly #chunks: AsyncIterator<Buffer>;
  readonly #release: () => void;
  #first: Buffer | null;
  #working: Promise<void> = Promise.resolve();
  /** Ends the wait for a chunk to leave. */
  #giveUp: () => void = () => {};

  /** `first` comes before the chunks. Each is of use until the next but one is asked for; an empty one is passed over. */
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
    // For whoever waits for the end: there is nothing in it.
    this.push(null);
    this.resume();
  }

  /** Resolves when the chunk has been handed to the operating system, or the stream was given up. */
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
      // A reader that is quick enough would keep everybody else waiting.
      await setImmediate();
      const { value, done } = await this.#chunks.next();
      if (done) return null;
      if (value.length > 0) return value;
    }
    return null;
  }
}
