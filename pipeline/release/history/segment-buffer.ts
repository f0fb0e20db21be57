/**
 * The rows of one segment as bytes, newest first. They come oldest first, so the buffer is filled from its
 * end: no row is copied twice and none is kept as a string.
 */
export class SegmentBuffer {
  readonly #separator: Buffer;
  #buffer: Buffer;
  #start: number;
  #rows = 0;

  constructor(capacity: number, separator: string) {
    this.#separator = Buffer.from(separator);
    this.#buffer = Buffer.allocUnsafeSlow(capacity);
    this.#start = capacity;
  }

  get rows(): number {
    return this.#rows;
  }

  get size(): number {
    return this.#buffer.length - this.#start;
  }

  /** A view: it is as long as the buffer is not prepended to. */
  get bytes(): Buffer {
    return this.#buffer.subarray(this.#start);
  }

  prepend(row: string): void {
    const bytes = Buffer.byteLength(row);
    const gap = this.#rows === 0 ? 0 : this.#separator.length;
    this.#reserve(bytes + gap);
    if (gap > 0) this.#separator.copy(this.#buffer, this.#start - gap);
    this.#start -= bytes + gap;
    // As many bytes as characters is ASCII, which is written as Latin-1 at twice the speed.
    this.#buffer.write(row, this.#start, bytes, bytes === row.length ? 'latin1' : 'utf8');
    this.#rows += 1;
  }

  clear(): this {
    this.#start = this.#buffer.length;
    this.#rows = 0;
    return this;
  }

  /** Rows that stand together already, as an earlier run wrote them; only into an empty buffer. */
  load(bytes: Uint8Array, rows: number): void {
    this.#reserve(bytes.length);
    this.#start -= bytes.length;
    this.#buffer.set(bytes, this.#start);
    this.#rows = rows;
  }

  #reserve(bytes: number): void {
    if (bytes <= this.#start) return;
    const larger = Buffer.allocUnsafeSlow(2 * (this.size + bytes));
    const start = larger.length - this.size;
    larger.set(this.bytes, start);
    this.#buffer = larger;
    this.#start = start;
  }
}
