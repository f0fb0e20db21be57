import { createHash } from 'node:crypto';
import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { CathedralError } from '../../errors.ts';
import type { Blob, Segment } from '../format/manifest.ts';

const COPY_BYTES = 1 << 20;

/** Bytes, or a segment in the staging folder. */
export type Piece = Uint8Array | Segment;

/**
 * Writes the pieces through `target` in order, in constant memory. Throws release_invalid for a segment that is not as it is listed:
 * otherwise it would be published with a hash that matches the damage.
 */
export async function concatenate(dir: string, pieces: readonly Piece[], target: FileHandle): Promise<Blob> {
  const start = performance.now();
  const whole = createHash('sha256');
  let bytes = 0;
  const append = async (chunk: Uint8Array) => {
    whole.update(chunk);
    bytes += chunk.length;
    await target.writeFile(chunk);
  };
  const buffer = Buffer.allocUnsafeSlow(COPY_BYTES);
  for (const piece of pieces) {
    if (piece instanceof Uint8Array) await append(piece);
    else await copySegment(join(dir, piece.file), piece, buffer, append);
  }
  // The only part of a run whose cost grows with the history. Benchmarks measure it separately by this mark.
  performance.measure('copy-history', { start });
  return { bytes, sha256: whole.digest('hex') };
}

async function copySegment(
  place: string,
  { crc32: expected }: Segment,
  buffer: Buffer,
  append: (chunk: Uint8Array) => Promise<void>,
): Promise<void> {
  let found = 0;
  const source = await open(place, 'r');
  try {
    for (;;) {
      const { bytesRead } = await source.read(buffer, 0, buffer.length, null);
      if (bytesRead === 0) break;
      const chunk = buffer.subarray(0, bytesRead);
      found = crc32(chunk, found);
      await append(chunk);
    }
  } finally {
    await source.close();
  }
  if (found !== expected)
    throw new CathedralError('release_invalid', { place, expected: `CRC-32 ${expected}`, found: `${found}` });
}
