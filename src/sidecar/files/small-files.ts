import { hash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { Blob } from '../../../pipeline/release/format/manifest.ts';

/** Larger files are streamed from the disk. */
export const MAX_SMALL_BYTES = 256 * 1024;
/** Of one release, in memory; what does not fit any more is read each time. */
const MAX_TOTAL_BYTES = 64 * 1024 * 1024;

/** The bytes of files of one release, read once. What does not have the hash of the manifest is never served. */
export class SmallFiles {
  readonly #files = new Map<string, Buffer | Promise<Buffer>>();
  #total = 0;

  /** At once where they were read before. Rejects with an Error where the file is not the one of the manifest. */
  read(place: string, blob: Blob): Buffer | Promise<Buffer> {
    return this.#files.get(place) ?? this.#load(place, blob);
  }

  #load(place: string, blob: Blob): Promise<Buffer> {
    const loading = readWhole(place, blob);
    if (this.#total + blob.bytes > MAX_TOTAL_BYTES) return loading;
    this.#total += blob.bytes;
    this.#files.set(place, loading);
    loading.then(
      (bytes) => this.#files.set(place, bytes),
      () => {
        // Asked for again by the next request: it may have been mended.
        this.#files.delete(place);
        this.#total -= blob.bytes;
      },
    );
    return loading;
  }
}

async function readWhole(place: string, { bytes, sha256 }: Blob): Promise<Buffer> {
  const found = await readFile(place);
  const digest = hash('sha256', found);
  if (digest === sha256) return found;
  throw new Error(
    `${place}: expected ${bytes} bytes with sha256 ${sha256}, found ${found.length} with ${digest}`,
  );
}
