/** For a full segment with its last row, which goes over its size. What is not written to costs no memory. */
const COMMON_BYTES = (4 << 20) + (1 << 19);
/** Kept for the next export; more are only needed for a burst of them. */
const MOST_SPARE = 2;

/** Buffers to read segments into, used again: left to the garbage collector, they would pile up between its rounds. */
export class SegmentBuffers {
  readonly #spare: Buffer[] = [];

  /** One with room for at least so many bytes. */
  take(bytes: number): Buffer {
    if (bytes > COMMON_BYTES) return Buffer.allocUnsafeSlow(bytes);
    return this.#spare.pop() ?? Buffer.allocUnsafeSlow(COMMON_BYTES);
  }

  give(buffer: Buffer): void {
    if (buffer.length === COMMON_BYTES && this.#spare.length < MOST_SPARE) this.#spare.push(buffer);
  }
}
