import { subtle } from 'node:crypto';
import { copyFileSync, linkSync, statSync } from 'node:fs';
import { type FileHandle, mkdir, open, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { asDiskErrors, sync } from '../../disk/durable.ts';
import { inParallel } from '../../disk/in-parallel.ts';
import { CathedralError } from '../../errors.ts';
import { type Blob, sha256 } from '../format/manifest.ts';

/** Errors of `link` on file systems without hard links, or at the limit of links to a file. */
const CANNOT_LINK: ReadonlySet<string | undefined> = new Set([
  'EPERM',
  'ENOTSUP',
  'EOPNOTSUPP',
  'ENOSYS',
  'EMLINK',
]);
const PARALLEL_SYNCS = 8;
const LONG_BYTES = 1 << 18;

/**
 * Writes the files of one staging folder and records which are new, because only those need flushing.
 */
export class StagingFolder {
  readonly dir: string;
  readonly #folders = new Map<string, Promise<unknown>>();
  readonly #fresh: string[] = [];
  readonly #inFlight = new Set<Promise<unknown>>();
  #open = true;

  constructor(dir: string) {
    this.dir = dir;
  }

  /** Writes a whole file; `file` is the path below the folder. Throws publish_failed. */
  async write(file: string, bytes: Uint8Array): Promise<Blob> {
    await this.#tracked(file, async (target) => {
      await writeFile(target, bytes, { flag: 'wx' });
      this.#fresh.push(target);
    });
    return { bytes: bytes.length, sha256: await digest(bytes) };
  }

  /** Lets `fill` write a long file through a handle. */
  async stream<T>(file: string, fill: (handle: FileHandle) => Promise<T>): Promise<T> {
    return this.#tracked(file, async (target) => {
      const handle = await open(target, 'wx');
      try {
        return await fill(handle);
      } finally {
        await handle.close();
        this.#fresh.push(target);
      }
    });
  }

  /**
   * Links files from another folder, under the path `as` or their own. Returns false and links none if one is missing or has a
   * different size. Comparing sizes detects truncation at no cost; reading every old file would make each run as long as the
   * history. Other damage is detected when a file is read (`concatenate`) and by `cathedral check`.
   */
  async link(from: string, files: readonly { file: string; bytes: number; as?: string }[]): Promise<boolean> {
    const there = files.every(({ file, bytes }) => {
      const found = statSync(join(from, file), { throwIfNoEntry: false });
      return found?.isFile() && found.size === bytes;
    });
    if (!there) return false;
    for (const { file, as = file } of files)
      await this.#tracked(as, async (target) => linkOrCopy(join(from, file), target));
    return true;
  }

  /** Flushes new files, then the names in every folder, deepest first. */
  async flush(): Promise<void> {
    await asDiskErrors(this.dir, async () => {
      await inParallel(this.#fresh, PARALLEL_SYNCS, sync);
      const folders = [...this.#folders.keys()].sort((a, b) => b.length - a.length);
      await inParallel(new Set([...folders, this.dir]), PARALLEL_SYNCS, sync);
    });
  }

  /** Waits for pending writes, refuses later ones, and removes the folder. */
  async remove(): Promise<void> {
    this.#open = false;
    await Promise.allSettled(this.#inFlight);
    await asDiskErrors(this.dir, () => rm(this.dir, { recursive: true, force: true }));
  }

  async #tracked<T>(file: string, work: (target: string) => Promise<T>): Promise<T> {
    if (!this.#open) {
      const fault = { place: file, expected: 'an open staging folder', found: 'a closed one' };
      throw new CathedralError('publish_failed', fault);
    }
    const target = join(this.dir, file);
    const job = asDiskErrors(target, async () => {
      await this.#makeFolder(dirname(target));
      return work(target);
    });
    this.#inFlight.add(job);
    return job.finally(() => this.#inFlight.delete(job));
  }

  /** Records every folder from the release's down, because their names need flushing. */
  #makeFolder(folder: string): Promise<unknown> {
    let made = this.#folders.get(folder);
    if (!made) {
      made = mkdir(folder, { recursive: true });
      this.#folders.set(folder, made);
      if (folder !== this.dir) return Promise.all([made, this.#makeFolder(dirname(folder))]);
    }
    return made;
  }
}

/**
 * Synchronous: there may be a thousand segments, and a link takes less time than a trip through the thread pool.
 */
function linkOrCopy(source: string, target: string): void {
  try {
    linkSync(source, target);
  } catch (error) {
    if (!CANNOT_LINK.has((error as NodeJS.ErrnoException).code)) throw error;
    copyFileSync(source, target);
  }
}

/** Hashes long files in the thread pool. For short ones, the trip there takes longer than the hash. */
async function digest(bytes: Uint8Array): Promise<string> {
  if (bytes.length < LONG_BYTES) return sha256(bytes);
  return Buffer.from(await subtle.digest('SHA-256', bytes as Uint8Array<ArrayBuffer>)).toString('hex');
}
