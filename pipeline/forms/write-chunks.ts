import { createHash } from 'node:crypto';
import { type FileHandle, open } from 'node:fs/promises';
import { CathedralError } from '../errors.ts';
import { asDiskErrors } from '../release/disk/durable.ts';
import type { Blob } from '../release/format/manifest.ts';
import type { StagingFolder } from '../release/staging/staging-folder.ts';
import type { Chunk } from './chunk.ts';

const COPY_BYTES = 1 << 20;

/** A file that another one goes on from. */
export interface Source {
  path: string;
  bytes: number;
  /** Where it is not known, the file has just been written. */
  sha256?: string;
}

/**
 * Writes chunks one after another, in constant memory; ranges are copied from `source`, whose hash is held against the
 * manifest first: what has rotted since would be published with a hash that blesses it. Throws release_invalid for such
 * a file, publish_failed for the disk.
 */
export async function writeChunks(
  folder: StagingFolder,
  file: string,
  chunks: AsyncIterable<Chunk> | Iterable<Chunk>,
  from: Source | null,
): Promise<Blob> {
  if (from?.sha256) await assertWhole(from.path, from.sha256);
  const source = from && (await open(from.path, 'r'));
  const hash = createHash('sha256');
  let bytes = 0;
  try {
    await folder.stream(file, async (target) => {
      const append = async (chunk: Uint8Array) => {
        hash.update(chunk);
        bytes += chunk.length;
        await target.writeFile(chunk);
      };
      for await (const chunk of chunks) {
        if (chunk instanceof Uint8Array) await append(chunk);
        else await copyRange(source!, chunk, append);
      }
    });
  } finally {
    await source?.close();
  }
  return { bytes, sha256: hash.digest('hex') };
}

async function copyRange(
  source: FileHandle,
  { start, end }: { start: number; end: number },
  append: (chunk: Uint8Array) => Promise<void>,
): Promise<void> {
  const mark = performance.now();
  const buffer = Buffer.allocUnsafeSlow(COPY_BYTES);
  for (let at = start; at < end; ) {
    const { bytesRead } = await source.read(buffer, 0, Math.min(buffer.length, end - at), at);
    if (bytesRead === 0) break;
    await append(buffer.subarray(0, bytesRead));
    at += bytesRead;
  }
  // As in `concatenate`: the benchmarks tell it from the rest of a run.
  performance.measure('copy-history', { start: mark });
}

async function assertWhole(path: string, expected: string): Promise<void> {
  const found = await hashFile(path);
  if (found !== expected) throw new CathedralError('release_invalid', { place: path, expected, found });
}

/** SHA-256 of a file, hex, in constant memory. */
export async function hashFile(path: string): Promise<string> {
  const mark = performance.now();
  const handle = await asDiskErrors(path, () => open(path, 'r'));
  const hash = createHash('sha256');
  const buffer = Buffer.allocUnsafeSlow(COPY_BYTES);
  try {
    for (;;) {
      const { bytesRead } = await handle.read(buffer, 0, buffer.length, null);
      if (bytesRead === 0) break;
      hash.update(buffer.subarray(0, bytesRead));
    }
  } finally {
    await handle.close();
  }
  performance.measure('copy-history', { start: mark });
  return hash.digest('hex');
}
