import { readSync } from 'node:fs';
import { CathedralError } from '../../errors.ts';

const MAGIC = 0xfd2fb528;
/** Frame_Header_Descriptor, RFC 8878 §3.1.1.1.1. */
const SINGLE_SEGMENT = 0x20;
const UNUSED_OR_RESERVED = 0x18;
const CHECKSUM = 0x04;
const DICTIONARY_ID = 0x03;
const CONTENT_SIZE_BYTES = [0, 2, 4, 8] as const;
/** A block header: the last block, raw, of no bytes. */
const EMPTY_LAST_BLOCK = 1;
const RLE = 1;
const RESERVED = 3;
/** Bytes read at a time. Most blocks are larger, and of each only the header is looked at. */
const WINDOW_BYTES = 4096;

/**
 * Holds an open file of `size` bytes to one whole zstd frame, with nothing after it but empty frames, and returns the length of the first.
 * Node's decoder alone would pass over trailing bytes and read a second frame as if it belonged to the first. Empty frames are allowed
 * because Node's compressor appends one where its output ends at a chunk boundary, or where it is ended while a write is under way. A
 * content checksum may be left out: what the content has to be, the signed root says. Throws `ledger_corrupt` with `place`.
 */
export function frameLength(file: number, size: number, place: string): number {
  const reader = new FrameReader(file, place);
  const length = reader.frame(false);
  while (reader.at < size) reader.frame(true);
  if (reader.at > size) throw reader.truncated();
  return length;
}

class FrameReader {
  /** Offset of the next part of the frame. */
  at = 0;
  readonly #file: number;
  readonly #place: string;
  readonly #buffer = Buffer.allocUnsafe(WINDOW_BYTES);
  /** The bytes of the file from `#start` on. */
  #window = Buffer.alloc(0);
  #start = 0;

  constructor(file: number, place: string) {
    this.#file = file;
    this.#place = place;
  }

  /** Passes over one frame, which has to be empty if others are before it. Returns where it ends. */
  frame(isTrailing: boolean): number {
    const isMagic = this.#next(4) === MAGIC;
    if (!isMagic) throw isTrailing ? this.#moreBytes() : this.#corrupt('a zstd frame', 'other bytes');
    const descriptor = this.#next(1);
    if (descriptor & (UNUSED_OR_RESERVED | DICTIONARY_ID))
      throw this.#corrupt('a zstd frame without a dictionary', `frame descriptor ${descriptor}`);
    const sizeBytes = CONTENT_SIZE_BYTES[descriptor >> 6]!;
    // A single segment has no window byte, but a size of at least one byte: one more byte either way.
    this.at += descriptor & SINGLE_SEGMENT ? Math.max(sizeBytes, 1) : sizeBytes + 1;
    for (let isLast = false; !isLast; ) {
      const header = this.#next(3);
      if (isTrailing && header !== EMPTY_LAST_BLOCK) throw this.#moreBytes();
      const type = (header >> 1) & 3;
      if (type === RESERVED) throw this.#corrupt('a zstd block', 'one of the reserved type');
      this.at += type === RLE ? 1 : header >> 3;
      isLast = (header & 1) === 1;
    }
    if (descriptor & CHECKSUM) this.at += 4;
    return this.at;
  }

  /** The next bytes as a little-endian number. */
  #next(bytes: number): number {
    let from = this.at - this.#start;
    if (from + bytes > this.#window.length) {
      this.#window = this.#buffer.subarray(0, readSync(this.#file, this.#buffer, 0, WINDOW_BYTES, this.at));
      this.#start = this.at;
      from = 0;
    }
    if (from + bytes > this.#window.length) throw this.truncated();
    this.at += bytes;
    return this.#window.readUIntLE(from, bytes);
  }

  truncated(): CathedralError {
    return this.#corrupt('a whole zstd frame', 'a file that ends within it');
  }

  #moreBytes(): CathedralError {
    return this.#corrupt('the end of the file after the zstd frame', 'more bytes');
  }

  #corrupt(expected: string, found: string): CathedralError {
    return new CathedralError('ledger_corrupt', { place: this.#place, expected, found });
  }
}
