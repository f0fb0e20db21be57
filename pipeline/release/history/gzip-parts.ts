import { crc32 } from 'node:zlib';
import type { Segment } from '../format/manifest.ts';
import type { Part } from './concatenate.ts';
import { combineCrc32 } from './crc32-combine.ts';

/** Magic number, deflate, no flags, no time, no extra flags, system unknown (RFC 1952 §2.3). */
const HEADER = Uint8Array.of(0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255);
/** A last block of fixed codes that holds nothing but its end (RFC 1951 §3.2.6). */
const LAST_BLOCK = Uint8Array.of(0x03, 0x00);
const LONGEST_STORED_BLOCK = 0xffff;

/**
 * The gzip form of bytes and segments one after another, put together from the segments' deflate blocks
 * without compressing anything again: one single member, since several clients stop after the first.
 */
export function gzipParts(pieces: readonly (Uint8Array | Segment)[]): Part[] {
  const parts: Part[] = [HEADER];
  let crc = 0;
  let bytes = 0;
  for (const piece of pieces) {
    if (piece instanceof Uint8Array) {
      parts.push(...storedBlocks(piece));
      crc = crc32(piece, crc);
      bytes += piece.length;
    } else {
      parts.push({ file: `${piece.file}.deflate`, ...piece.deflate! });
      crc = combineCrc32(crc, piece.crc32, piece.bytes);
      bytes += piece.bytes;
    }
  }
  return [...parts, LAST_BLOCK, trailer(crc, bytes)];
}

/** Blocks without compression (RFC 1951 §3.2.4): they begin and end on a byte, as a flushed segment does. */
function* storedBlocks(bytes: Uint8Array): Generator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += LONGEST_STORED_BLOCK) {
    const chunk = bytes.subarray(at, at + LONGEST_STORED_BLOCK);
    const block = Buffer.alloc(5 + chunk.length);
    block.writeUInt16LE(chunk.length, 1);
    block.writeUInt16LE(chunk.length ^ 0xffff, 3);
    block.set(chunk, 5);
    yield block;
  }
}

function trailer(crc: number, bytes: number): Uint8Array {
  const buffer = Buffer.alloc(8);
  buffer.writeUInt32LE(crc, 0);
  buffer.writeUInt32LE(bytes % 2 ** 32, 4);
  return buffer;
}
