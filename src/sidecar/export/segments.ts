import { type FileHandle, open, stat } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { inParallel } from '../../../pipeline/disk/in-parallel.ts';
import type { Segment } from '../../../pipeline/release/format/manifest.ts';
import type { ServedRelease } from '../files/releases.ts';

type Release = Pick<ServedRelease, 'dir' | 'manifest'>;
export type CurrentRelease = () => Release | null | Promise<Release | null>;

/** The history whose segments an export consists of. */
export const EXPORT_PATH = 'government/ledger/export';

/** Throws an Error if a segment is missing or has another size. */
export async function assertThere(segments: readonly Segment[], dir: string): Promise<void> {
  await inParallel(segments, availableParallelism(), async ({ file, bytes }) => {
    const place = join(dir, file);
    assertSize(place, bytes, (await stat(place)).size);
  });
}

/**
 * Reads segments of a release into a buffer that is large enough. An export may outlast its release on disk: full segments are linked from
 * release to release, so a missing one is in the current release. Throws an Error if the bytes differ from the manifest's.
 */
export function segmentReader({ dir }: Release, current: CurrentRelease) {
  return async (segment: Segment, into: Buffer): Promise<Buffer> => {
    try {
      return await readSegment(dir, segment, into);
    } catch (error) {
      const elsewhere = (error as NodeJS.ErrnoException).code === 'ENOENT' ? await current() : null;
      if (!elsewhere || !hasSegment(elsewhere, segment)) throw error;
      return readSegment(elsewhere.dir, segment, into);
    }
  };
}

function hasSegment({ manifest }: Release, { file, sha256 }: Segment): boolean {
  const all = manifest.segments[EXPORT_PATH] ?? [];
  return all.some((segment) => segment.file === file && segment.sha256 === sha256);
}

async function readSegment(dir: string, segment: Segment, into: Buffer): Promise<Buffer> {
  const place = join(dir, segment.file);
  await using handle = await open(place);
  assertSize(place, segment.bytes, (await handle.stat()).size);
  const bytes = await readWhole(handle, into.subarray(0, segment.bytes));
  // Detects damage before any byte is sent.
  const found = crc32(bytes);
  if (found === segment.crc32) return bytes;
  throw new Error(`${place}: expected CRC-32 ${segment.crc32}, found ${found}`);
}

async function readWhole(handle: FileHandle, into: Buffer): Promise<Buffer> {
  let length = 0;
  for (let read = -1; read !== 0 && length < into.length; length += read)
    ({ bytesRead: read } = await handle.read(into, length, into.length - length, length));
  return into.subarray(0, length);
}

function assertSize(place: string, expected: number, found: number): void {
  if (expected !== found) throw new Error(`${place}: expected ${expected} bytes, found ${found}`);
}
