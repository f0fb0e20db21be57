import { type FileHandle, open, stat } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { inParallel } from '../../../pipeline/disk/in-parallel.ts';
import type { Segment } from '../../../pipeline/release/format/manifest.ts';
import type { ServedRelease } from '../files/releases.ts';

/** Where a segment is read from. */
type Release = Pick<ServedRelease, 'dir' | 'manifest'>;

/** The history whose segments an export consists of. */
export const EXPORT_PATH = 'government/ledger/export';

/**
 * The segments of a release for the duration of an export, which may outlast the release on disk. Full segments are linked from
 * release to release, so a missing one is in the current release.
 */
export class SegmentSource {
  readonly #release: Release;
  readonly #current: () => Release | null | Promise<Release | null>;

  constructor(release: Release, current: () => Release | null | Promise<Release | null>) {
    this.#release = release;
    this.#current = current;
  }

  /** Throws an Error if a segment is missing or has another size. */
  async check(segments: readonly Segment[]): Promise<void> {
    await inParallel(segments, availableParallelism(), async ({ file, bytes }) => {
      const place = join(this.#release.dir, file);
      assertSize(place, bytes, (await stat(place)).size);
    });
  }

  /** Reads a whole segment into `buffer`, which must be large enough. Throws an Error if the bytes differ from the manifest's. */
  async read(segment: Segment, buffer: Buffer): Promise<Buffer> {
    return this.#find(segment, async (dir) => {
      const place = join(dir, segment.file);
      const handle = await open(place);
      try {
        assertSize(place, segment.bytes, (await handle.stat()).size);
        const bytes = await readInto(handle, buffer.subarray(0, segment.bytes));
        // Detects damage before any byte is sent.
        const found = crc32(bytes);
        if (found === segment.crc32) return bytes;
        throw new Error(`${place}: expected CRC-32 ${segment.crc32}, found ${found}`);
      } finally {
        await handle.close();
      }
    });
  }

  async #find<T>(segment: Segment, read: (dir: string) => Promise<T>): Promise<T> {
    try {
      return await read(this.#release.dir);
    } catch (error) {
      const dir = isMissing(error) ? await this.#elsewhere(segment) : null;
      if (dir === null) throw error;
      return read(dir);
    }
  }

  async #elsewhere({ file, sha256 }: Segment): Promise<string | null> {
    const current = await this.#current();
    const same = current?.manifest.segments[EXPORT_PATH]?.some(
      (segment) => segment.file === file && segment.sha256 === sha256,
    );
    return current && same ? current.dir : null;
  }
}

async function readInto(handle: FileHandle, buffer: Buffer): Promise<Buffer> {
  let length = 0;
  while (length < buffer.length) {
    const { bytesRead } = await handle.read(buffer, length, buffer.length - length, length);
    if (bytesRead === 0) break;
    length += bytesRead;
  }
  return buffer.subarray(0, length);
}

function assertSize(place: string, expected: number, found: number): void {
  if (expected !== found) throw new Error(`${place}: expected ${expected} bytes, found ${found}`);
}

/** Also finds the cause inside an error of this project. */
function isMissing(error: unknown): boolean {
  const { code, cause } = error as NodeJS.ErrnoException;
  return code === 'ENOENT' || (cause as NodeJS.ErrnoException | undefined)?.code === 'ENOENT';
}
