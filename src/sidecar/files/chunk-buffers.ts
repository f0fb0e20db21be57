/** For a client that is slow, or one of very many. */
const SMALL_BYTES = 16 * 1024;
/** Two of them hold what a connection over a long distance has under way. */
const LARGE_BYTES = 256 * 1024;
/** Files that are sent with large buffers at once: 32 MB, however many clients there are and however little they take. */
const MAX_LARGE = 64;
/** Chunks that a client takes before it is thought to be quick. */
const TRIAL_CHUNKS = 8;
/** ms for a chunk, above which a client is slow. */
const SLOW_MS = 1000;

let large = 0;

/**
 * Two buffers in turn for a file that is sent: small ones at first, large ones for a client that is quick while not too many
 * others are. What clients that never read can hold is so bounded.
 */
export class ChunkBuffers {
  #pair = allocate(SMALL_BYTES);
  #isLarge = false;
  #turn: 0 | 1 = 0;
  #quick = 0;

  /** The one that was not given last. */
  next(): Buffer {
    this.#turn = this.#turn === 0 ? 1 : 0;
    return this.#pair[this.#turn];
  }

  /** A chunk was taken within `ms`. */
  taken(ms: number): void {
    if (ms > SLOW_MS) {
      this.#quick = 0;
      this.release();
    } else if (!this.#isLarge) {
      this.#quick += 1;
      if (this.#quick > TRIAL_CHUNKS && large < MAX_LARGE) this.#grow();
    }
  }

  /** Back to small ones: when the file is sent, too, however that ended. */
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
