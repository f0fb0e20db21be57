import { readSync } from 'node:fs';
import { errorOf } from '../../errors.ts';

const corrupt = errorOf('ledger_corrupt');

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

/**
 * Holds an open file of `size` bytes to one whole zstd frame, with nothing after it but empty frames, and returns the length of the first.
 * Node's decoder alone would pass over trailing bytes and read a second frame as if it belonged to the first. Empty frames are allowed
 * because Node's compressor appends one where its output ends at a chunk boundary, or where it is ended while a write is under way. A
 * content checksum may be left out: what the content has to be, the signed root says. Throws `ledger_corrupt` with `place`.
 */
export function frameLength(file: number, size: number, place: string): number {
  const length = frameEnd(file, 0, place);
  let end = length;
  while (end < size) end = frameEnd(file, end, place);
  if (end > size) throw truncated(place);
  return length;
}

/** Where the frame ends that begins at an offset; one behind others has to be empty. */
function frameEnd(file: number, start: number, place: string): number {
  let at = start;
  /** The next bytes as a little-endian number: of each block, which may be large, only the header is read. */
  const next = (bytes: number): number => {
    const read = Buffer.alloc(bytes);
    if (readSync(file, read, 0, bytes, at) < bytes) throw truncated(place);
    at += bytes;
    return read.readUIntLE(0, bytes);
  };
  const moreBytes = () => corrupt(place, 'the end of the file after the zstd frame', 'more bytes');
  if (next(4) !== MAGIC) throw start > 0 ? moreBytes() : corrupt(place, 'a zstd frame', 'other bytes');
  const descriptor = next(1);
  if (descriptor & (UNUSED_OR_RESERVED | DICTIONARY_ID))
    throw corrupt(place, 'a zstd frame without a dictionary', `frame descriptor ${descriptor}`);
  const sizeBytes = CONTENT_SIZE_BYTES[descriptor >> 6]!;
  // A single segment has no window byte, but a size of at least one byte: one more byte either way.
  at += descriptor & SINGLE_SEGMENT ? Math.max(sizeBytes, 1) : sizeBytes + 1;
  for (let isLast = false; !isLast; ) {
    const header = next(3);
    if (start > 0 && header !== EMPTY_LAST_BLOCK) throw moreBytes();
    const type = (header >> 1) & 3;
    if (type === RESERVED) throw corrupt(place, 'a zstd block', 'one of the reserved type');
    at += type === RLE ? 1 : header >> 3;
    isLast = (header & 1) === 1;
  }
  return descriptor & CHECKSUM ? at + 4 : at;
}

function truncated(place: string) {
  return corrupt(place, 'a whole zstd frame', 'a file that ends within it');
}
