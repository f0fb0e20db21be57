import { subtle } from 'node:crypto';
import {
  copyFileSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  rmSync,
  type Stats,
  writeFileSync,
} from 'node:fs';
import { type FileHandle, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { asDiskErrors, syncAll } from '../../disk/durable.ts';
import { hashFile } from '../../disk/hash-file.ts';
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
/** A trip through the thread pool takes longer than to write, or to hash, a shorter file. */
const LONG_BYTES = 1 << 18;

/** A file that is to be linked. */
export interface Linked {
  file: string;
  bytes: number;
  /** Null: only the length is compared, because whoever links has verified the file. */
  sha256: string | null;
  /** Its path in the staging folder, if that is another. */
  as?: string;
}

/**
 * Writes the files of one staging folder, which begins empty. What another folder has already is linked and no file is written twice,
 * because the served release may have the same one. `flush` flushes what is new; what is linked was flushed before.
 */
export class StagingFolder {
  readonly dir: string;
  /** Files that were not linked because they are missing or damaged, as paths below the folder they were to be linked from. */
  readonly damaged: string[] = [];
  readonly #isPublic: (path: string) => boolean;
  readonly #fresh = new Set<string>();
  readonly #folders = new Set<string>();
  readonly #inFlight = new Set<Promise<unknown>>();
  #open = true;

  constructor(dir: string, isPublic: (path: string) => boolean = () => true) {
    this.dir = dir;
    this.#isPublic = isPublic;
  }

  /** Writes a whole file; `file` is the path below the folder. Throws publish_failed. */
  async write(file: string, bytes: Uint8Array): Promise<Blob> {
    if (bytes.length >= LONG_BYTES) await this.stream([file], ([handle]) => handle!.writeFile(bytes));
    else
      await this.#fill(file, async (target) =>
        writeFileSync(target, bytes, { flag: 'wx', mode: this.#isPublic(file) ? 0o644 : 0o600 }),
      );
    return { bytes: bytes.length, sha256: await digest(bytes) };
  }

  /** Lets `fill` write long files through handles, all of them at once. */
  async stream<T>(
    [file, ...others]: readonly string[],
    fill: (handles: readonly FileHandle[]) => Promise<T>,
  ): Promise<T> {
    if (file === undefined) return fill([]);
    return this.#fill(file, async (target) => {
      const handle = await open(target, 'wx', this.#isPublic(file) ? 0o644 : 0o600);
      try {
        return await this.stream(others, (rest) => fill([handle, ...rest]));
      } finally {
        await handle.close();
      }
    });
  }

  /**
   * Links files from another folder, under the path `as` or their own; one that was written there before gives way. Returns false and links none
   * if one is missing or damaged.
   */
  async link(from: string, files: readonly Linked[]): Promise<boolean> {
    for (const file of files) {
      if (await isWhole(join(from, file.file), file)) continue;
      this.damaged.push(file.file);
      return false;
    }
    for (const { file, as = file } of files)
      await this.#place(as, async (target) => {
        if (this.#fresh.delete(as)) rmSync(target);
        // There may be a thousand segments, and a link takes less time than a trip through the thread pool.
        if (!linkOrCopy(join(from, file), target)) this.#fresh.add(as);
      });
    return true;
  }

  /** Flushes new files, then the names in each folder, deepest first. */
  async flush(): Promise<void> {
    const places = (paths: Iterable<string>) => Array.from(paths, (path) => join(this.dir, path));
    const folders = places(this.#folders.union(new Set([''])));
    await asDiskErrors(this.dir, () => syncAll(places(this.#fresh), folders));
  }

  /** Waits for pending writes, refuses later ones, and removes the folder. */
  async remove(): Promise<void> {
    this.#open = false;
    await Promise.allSettled(this.#inFlight);
    await asDiskErrors(this.dir, () => rm(this.dir, { recursive: true, force: true }));
  }

  async #fill<T>(file: string, write: (target: string) => Promise<T>): Promise<T> {
    return this.#place(file, async (target) => {
      const result = await write(target);
      this.#fresh.add(file);
      return result;
    });
  }

  /** Runs `work` on a path in a folder that exists. */
  async #place<T>(file: string, work: (target: string) => Promise<T>): Promise<T> {
    if (!this.#open) {
      const fault = { place: file, expected: 'an open staging folder', found: 'a closed one' };
      throw new CathedralError('publish_failed', fault);
    }
    const target = join(this.dir, file);
    const job = asDiskErrors(target, async () => {
      this.#makeFolder(parentOf(file));
      return work(target);
    });
    this.#inFlight.add(job);
    return job.finally(() => this.#inFlight.delete(job));
  }

  /** Makes a folder, and its parents, down from the topmost one. */
  #makeFolder(folder: string): void {
    if (this.#folders.has(folder)) return;
    if (folder !== '') this.#makeFolder(parentOf(folder));
    this.#folders.add(folder);
    const mode = this.#isPublic(`${folder}/`) ? 0o755 : 0o700;
    mkdirSync(join(this.dir, folder), { recursive: true, mode });
  }
}

/** Whether web servers, which are other users, read this of a release. Restricted files, state and segments are for the service alone. */
export function isPublicInRelease(path: string): boolean {
  return path === '/' || path.startsWith('public/');
}

/** `a/b/c` → `a/b`, `a` → `` */
function parentOf(path: string): string {
  return path.slice(0, Math.max(path.lastIndexOf('/'), 0));
}

async function isWhole(place: string, { bytes, sha256 }: Linked): Promise<boolean> {
  // Not through a link: what it points to may change later, and is not in the release.
  const found = lstatSync(place, { throwIfNoEntry: false });
  if (!found?.isFile() || found.size !== bytes) return false;
  return sha256 === null || (await digestOf(place, bytes).catch(() => null)) === sha256;
}

/** Returns false for a copy. */
function linkOrCopy(source: string, target: string): boolean {
  try {
    linkSync(source, target);
    return true;
  } catch (error) {
    if (!CANNOT_LINK.has((error as NodeJS.ErrnoException).code)) throw error;
    copyFileSync(source, target);
    return false;
  }
}

/** What is wrong with the first of these files that is not as its release lists it, for a file that a run cannot make again. */
export async function damageError(from: string, files: readonly Linked[]): Promise<CathedralError> {
  for (const { file, bytes, sha256 } of files) {
    const place = join(from, file);
    const there = lstatSync(place, { throwIfNoEntry: false });
    if (!there?.isFile() || there.size !== bytes)
      return damage(place, `a file of ${bytes} bytes`, !there ? 'none' : kindOf(there));
    const found = await digestOf(place, bytes).catch((error: Error) => error.message);
    if (found !== sha256) return damage(place, `SHA-256 ${sha256}`, found);
  }
  return damage(from, `${files[0]?.file} and its variants as the release lists them`, 'another');
}

function kindOf(found: Stats): string {
  if (found.isFile()) return `${found.size}`;
  return found.isSymbolicLink() ? 'a link' : 'a folder or a device';
}

function damage(place: string, expected: string, found: string): CathedralError {
  const advice = 'nothing is published: run: cathedral build --rebuild';
  return new CathedralError('release_invalid', { place, expected: `${expected} (${advice})`, found });
}

/** Hashes long files in the thread pool. */
async function digest(bytes: Uint8Array): Promise<string> {
  if (bytes.length < LONG_BYTES) return sha256(bytes);
  return Buffer.from(await subtle.digest('SHA-256', bytes as Uint8Array<ArrayBuffer>)).toString('hex');
}

async function digestOf(path: string, bytes: number): Promise<string> {
  return bytes < LONG_BYTES ? sha256(readFileSync(path)) : (await hashFile(path)).sha256;
}
