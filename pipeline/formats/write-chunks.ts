import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';
import { asDiskErrors } from '../disk/durable.ts';
import { CathedralError } from '../errors.ts';
import type { Blob } from '../release/format/manifest.ts';
import type { StagingFolder } from '../release/staging/staging-folder.ts';

const READ_BYTES = 1 << 20;

/** A file of the previous release. */
export interface PreviousFile {
  path: string;
  bytes: number;
  sha256: string;
}

/** Writes chunks one after another, in constant memory. Throws publish_failed for the disk. */
export async function writeChunks(
  folder: StagingFolder,
  file: string,
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
): Promise<Blob> {
  const hash = createHash('sha256');
  let bytes = 0;
  await folder.stream(file, async (target) => {
    for await (const chunk of chunks) {
      hash.update(chunk);
      bytes += chunk.length;
      await target.writeFile(chunk);
    }
  });
  return { bytes, sha256: hash.digest('hex') };
}

/** Bytes `start` to `end` of a file, or to its own. Each piece is overwritten by the next. */
export async function* readRange(
  path: string,
  start: number,
  end = Number.POSITIVE_INFINITY,
): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  const mark = performance.now();
  const source = await asDiskErrors(path, () => open(path, 'r'));
  const buffer = Buffer.allocUnsafeSlow(READ_BYTES);
  try {
    for (let at = start; at < end; ) {
      const { bytesRead } = await source.read(buffer, 0, Math.min(buffer.length, end - at), at);
      if (bytesRead === 0) break;
      yield buffer.subarray(0, bytesRead);
      at += bytesRead;
    }
  } finally {
    await source.close();
  }
  // The benchmarks subtract it from the time of a run, as they do in `concatenate`.
  performance.measure('copy-history', { start: mark });
}

/**
 * Expects a file of the previous release to match its manifest: bytes that have rotted since would be copied into the
 * new release and listed there with a matching hash. Throws release_invalid.
 */
export async function assertUnchanged(file: PreviousFile): Promise<void> {
  assertHash(file, await hashFile(file.path));
}

/** The same for a file that is read anyway; `found`: the hash of what was read. */
export function assertHash({ path, sha256 }: PreviousFile, found: string): void {
  if (found !== sha256) throw new CathedralError('release_invalid', { place: path, expected: sha256, found });
}

/** SHA-256 of a file, hex, in constant memory. */
export async function hashFile(path: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const bytes of readRange(path, 0)) hash.update(bytes);
  return hash.digest('hex');
}
