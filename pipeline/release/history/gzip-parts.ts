import { crc32 } from 'node:zlib';
import type { Segment } from '../format/manifest.ts';
import type { Part } from './concatenate.ts';

/** The polynomial of CRC-32 (RFC 1952 §8), reflected: bit 31 is the coefficient of x⁰. */
const POLYNOMIAL = 0xedb88320;
const ONE = 0x80000000;

/**
 * CRC-32 of A ‖ B from the CRCs of A and B and the length of B. Appending n zero bytes multiplies a CRC by x^8n modulo the polynomial,
 * and CRCs add (xor). Squaring gives the powers x^(2^i), so the cost is log₂ of the length.
 */
export function combineCrc32(a: number, b: number, bytesOfB: number): number {
  return (multiply(a, powerOfX(bytesOfB)) ^ b) >>> 0;
}

/** x^(8n) modulo the polynomial. Lengths go up to 2^53, so bits are extracted by division. */
function powerOfX(bytes: number): number {
  let power = ONE;
  let square = 0x00800000; // x^8
  for (let rest = bytes; rest > 0; rest = Math.floor(rest / 2)) {
    if (rest % 2 === 1) power = multiply(power, square);
    square = multiply(square, square);
  }
  return power;
}

/** The product of two polynomials over GF(2), modulo the polynomial. */
function multiply(a: number, b: number): number {
  let product = 0;
  let shifted = b;
  for (let bit = ONE; bit !== 0; bit >>>= 1) {
    if ((a & bit) !== 0) product ^= shifted;
    shifted = (shifted & 1) === 1 ? (shifted >>> 1) ^ POLYNOMIAL : shifted >>> 1;
  }
  return product >>> 0;
}

/** Magic number, deflate, no flags, no time, no extra flags, system unknown (RFC 1952 §2.3). */
const HEADER = Uint8Array.of(0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255);
/** An empty last block with fixed codes (RFC 1951 §3.2.6). */
const LAST_BLOCK = Uint8Array.of(0x03, 0x00);
const LONGEST_STORED_BLOCK = 0xffff;

/**
 * The gzip encoding of bytes and segments in sequence, assembled from the segments' deflate blocks without compressing anything
 * again. It is a single member, because several clients stop after the first.
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

/** Uncompressed blocks (RFC 1951 §3.2.4). They begin and end on a byte boundary, like flushed segments. */
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
