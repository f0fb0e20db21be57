import type { Form } from './formats.ts';
import type { Part } from './part.ts';
import { Row } from './row.ts';

/** What a connection over a long distance has under way. */
export const CHUNK_BYTES = 256 * 1024;
/** Rows are looked at for about this long at a time, 2 ms; then it is the turn of other requests. */
const SLICE_BYTES = 1 << 20;

export const NOTHING = Buffer.alloc(0);

/** Puts an export together in chunks, which share two pieces of memory: one is filled while the other is on its way. */
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

  /** Rows so far; those of a form that copies are not counted. */
  get count(): number {
    return this.#count;
  }

  /** Text that is shorter than a chunk. */
  text(text: string): void {
    const bytes = Buffer.from(text);
    this.#reserve(bytes.length);
    this.#length += bytes.copy(this.#chunk, this.#length);
  }

  /** Goes through rows of `part` from `at` on, until the chunk is full or it has been long enough; returns where. */
  advance(bytes: Buffer, part: Part, at: number): number {
    return part.test === null && this.#form.copies
      ? this.#copy(bytes, at, part.end)
      : this.#write(bytes, part, at);
  }

  /** The chunk if it is full, else nothing; the first is taken as it is, so that the client sees it begin. */
  takeFull(): Buffer {
    return this.#isFull || !this.#hasBegun ? this.takeRest() : NOTHING;
  }

  /** Of use until the next but one is asked for. */
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

  /** For one row that is longer than a chunk. */
  #reserve(bytes: number): void {
    if (this.#length + bytes <= this.#chunk.length) return;
    const larger = Buffer.allocUnsafeSlow(this.#length + bytes);
    this.#chunk.copy(larger, 0, 0, this.#length);
    this.#chunk = larger;
  }
}
