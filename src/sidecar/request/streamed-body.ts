import type { ServerResponse } from 'node:http';

/**
 * Bytes that are made while they are sent, no faster than the client takes them. The next chunk is made while one is being sent, so a
 * chunk has to stay as it is until the one after the next is asked for: two buffers are enough for any length.
 */
export class StreamedBody {
  readonly #chunks: AsyncGenerator<Buffer>;
  readonly #release: () => unknown;

  /** `release` is called at the end, however it comes, when no chunk is being made. */
  constructor(chunks: AsyncGenerator<Buffer>, release: () => unknown) {
    this.#chunks = chunks;
    this.#release = release;
  }

  /** Resolves early if the client disconnects; rejects if a chunk cannot be made. */
  async writeTo(response: ServerResponse): Promise<void> {
    let isTaken = Promise.resolve(!response.destroyed);
    try {
      for await (const chunk of this.#chunks) {
        if (!(await isTaken)) return;
        isTaken = write(response, chunk);
      }
      if (await isTaken) response.end();
    } finally {
      await this.destroy();
    }
  }

  /** For other readers than a client. */
  async *[Symbol.asyncIterator](): AsyncGenerator<Buffer, void> {
    try {
      yield* this.#chunks;
    } finally {
      await this.destroy();
    }
  }

  async destroy(): Promise<void> {
    await this.#chunks.return(undefined);
    await this.#release();
  }
}

/** False if the client has disconnected. */
function write(response: ServerResponse, chunk: Buffer): Promise<boolean> {
  if (chunk.length === 0) return Promise.resolve(!response.destroyed);
  return new Promise((resolve) => {
    const onClose = () => resolve(false);
    response.once('close', onClose);
    response.write(chunk, (error) => {
      response.off('close', onClose);
      resolve(!error);
    });
  });
}
