import { createHash } from 'node:crypto';
import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { CathedralError } from '../../errors.ts';
import type { Blob } from '../format/manifest.ts';
import type { StagingFolder } from '../staging/staging-folder.ts';

const COPY_BYTES = 1 << 20;

/** Bytes, or a file in the staging folder with known length and CRC-32. */
export type Part = Uint8Array | { file: string; bytes: number; crc32: number };

/**
 * Writes the parts to `target` in order, in constant memory. Compares each file with its CRC: otherwise a segment that was damaged on
 * disk would be published with a hash that matches the damage. Throws release_invalid for such a file, publish_failed on disk
 * errors.
 */
export async function concatenate(
  folder: StagingFolder,
  target: string,
  parts: Iterable<Part>,
): Promise<Blob> {
  const start = performance.now();
  const hash = createHash('sha256');
  let bytes = 0;
  await folder.stream(target, async (handle) => {
    const append = async (chunk: Uint8Array) => {
      hash.update(chunk);
      bytes += chunk.length;
      await handle.writeFile(chunk);
    };
    const buffer = Buffer.allocUnsafeSlow(COPY_BYTES);
    for (const part of parts) {
      if (part instanceof Uint8Array) await append(part);
      else await copyFile(join(folder.dir, part.file), part, buffer, append);
    }
  });
  // The only part of a run whose cost grows with the history. Benchmarks measure it separately by this mark.
  performance.measure('copy-history', { start });
  return { bytes, sha256: hash.digest('hex') };
}

async function copyFile(
  path: string,
  expected: { bytes: number; crc32: number },
  buffer: Buffer,
  append: (chunk: Uint8Array) => Promise<void>,
) {
  const handle = await open(path, 'r');
  try {
    const found = await copyHandle(handle, buffer, append);
    for (const member of ['bytes', 'crc32'] as const) {
      if (found[member] === expected[member]) continue;
      const fault = {
        place: `${path} ${member}`,
        expected: `${expected[member]}`,
        found: `${found[member]}`,
      };
      throw new CathedralError('release_invalid', fault);
    }
  } finally {
    await handle.close();
  }
}

async function copyHandle(handle: FileHandle, buffer: Buffer, append: (chunk: Uint8Array) => Promise<void>) {
  let bytes = 0;
  let crc = 0;
  for (;;) {
    const { bytesRead } = await handle.read(buffer, 0, buffer.length, null);
    if (bytesRead === 0) return { bytes, crc32: crc };
    const chunk = buffer.subarray(0, bytesRead);
    crc = crc32(chunk, crc);
    bytes += bytesRead;
    await append(chunk);
  }
}
