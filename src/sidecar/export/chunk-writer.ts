import type { Form } from './formats.ts';
import type { Part } from './part.ts';
import { Row } from './row.ts';

/** About what a long-distance connection keeps in flight. */
export const CHUNK_BYTES = 256 * 1024;
/** Rows are scanned for about this long at a time, 2 ms, before other requests get their turn. */
const SLICE_BYTES = 1 << 20;

export const NOTHING = Buffer.alloc(0);

/** Assembles an export in chunks, which share two buffers: one is filled while the other is being sent. */
export class ChunkWriter {
  readonly #form: Form;
  readonly #row = new Row();
  #chunk = Buffer.allocUnsafeSlow(CHUNK_BYTES);
  #other = Buffer.allocUnsafeSlow(CHUNK_BYTES);
  #length = 0;
  #isFull = false;
  #hasBegun = false;
  #count = 0;

  constructor(form: Form) {
    this.#form = form;
  }

  /** Rows so far, not counting those of a format that copies. */
  get count(): number {
    return this.#count;
  }

  /** Appends text that is shorter than a chunk. */
  text(text: string): void {
    const bytes = Buffer.from(text);
    this.#reserve(bytes.length);
    this.#length += bytes.copy(this.#chunk, this.#length);
  }

  /** Processes rows of `part` from `at` until the chunk is full or the time is up. Returns the new position. */
  advance(bytes: Buffer, part: Part, at: number): number {
    return part.test === null && this.#form.copies
      ? this.#copy(bytes, at, part.end)
      : this.#write(bytes, part, at);
  }

  /**
   * The chunk if it is full, otherwise nothing. The first chunk is returned even if not full, so that the client sees the
   * export start.
   */
  takeFull(): Buffer {
    return this.#isFull || !this.#hasBegun ? this.takeRest() : NOTHING;
  }

  /** Valid until the chunk after the next is requested. */
  takeRest(): Buffer {
    const chunk = this.#chunk.subarray(0, this.#length);
    [this.#chunk, this.#other] = [this.#other, this.#chunk];
    this.#length = 0;
    this.#isFull = false;
    this.#hasBegun = true;
    return chunk;
  }

  #copy(bytes: Buffer, at: number, end: number): number {
    const to = Math.min(end, at + this.#chunk.length - this.#length);
    this.#length += bytes.copy(this.#chunk, this.#length, at, to);
    this.#isFull = this.#length === this.#chunk.length;
    return to;
  }

  #write(bytes: Buffer, { end, test }: Part, begin: number): number {
    const form = this.#form;
    const row = this.#row;
    const stop = Math.min(end, begin + SLICE_BYTES);
    let at = begin;
    for (; at < stop; at = row.end) {
      row.read(bytes, at);
      if (test !== null && !test(bytes, row)) continue;
      const room = form.room(row);
      if (this.#length > 0 && this.#length + room > this.#chunk.length) {
        this.#isFull = true;
        break;
      }
      this.#reserve(room);
      this.#length = form.writeRow(bytes, row, this.#chunk, this.#length, this.#count);
      this.#count += 1;
    }
    return at;
  }

  /** Grows the buffer for a row longer than a chunk. */
  #reserve(bytes: number): void {
    if (this.#length + bytes <= this.#chunk.length) return;
    const larger = Buffer.allocUnsafeSlow(this.#length + bytes);
    this.#chunk.copy(larger, 0, 0, this.#length);
    this.#chunk = larger;
  }
}
