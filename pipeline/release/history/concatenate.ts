import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { CathedralError } from '../../errors.ts';
import type { Segment } from '../format/manifest.ts';
import type { HashedFile } from '../staging/hashed-file.ts';

const COPY_BYTES = 1 << 20;

/** Bytes, or a segment in the staging folder. */
export type Piece = Uint8Array | Segment;

/**
 * Writes the pieces through `target` in order, in constant memory. Throws release_invalid for a segment that is not as it is listed:
 * otherwise it would be published with a hash that matches the damage.
 */
export async function concatenate(dir: string, pieces: readonly Piece[], target: HashedFile): Promise<void> {
  const buffer = Buffer.allocUnsafeSlow(COPY_BYTES);
  for (const piece of pieces) {
    if (piece instanceof Uint8Array) await target.write(piece);
    else await copySegment(join(dir, piece.file), piece, buffer, target);
  }
}

async function copySegment(
  place: string,
  { crc32: expected }: Segment,
  buffer: Buffer,
  target: HashedFile,
): Promise<void> {
  let found = 0;
  await using source = await open(place, 'r');
  for (;;) {
    const { bytesRead } = await source.read(buffer, 0, buffer.length, null);
    if (bytesRead === 0) break;
    const chunk = buffer.subarray(0, bytesRead);
    found = crc32(chunk, found);
    await target.write(chunk);
  }
  if (found !== expected)
    throw new CathedralError('release_invalid', { place, expected: `CRC-32 ${expected}`, found: `${found}` });
}
