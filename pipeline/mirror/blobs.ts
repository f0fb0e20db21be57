import { createReadStream } from 'node:fs';
import { lstat, mkdir, rm, stat, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { asDiskErrors, ifThere, replaceFile } from '../disk/durable.ts';
import { inParallel } from '../disk/in-parallel.ts';
import { CathedralError } from '../errors.ts';
import { type Blob, sha256 } from '../release/format/manifest.ts';
import type { StagingFolder } from '../release/staging/staging-folder.ts';
import { measure, type Origin, type Promised } from '../verify/origin.ts';
import { type Earlier, fetchBlob } from './fetch-blob.ts';

/** A file on the disk, below `folder`. */
interface Source {
  folder: string;
  file: string;
}

/** A file of a copy, and its path there. */
export interface Wanted extends Blob {
  as: string;
}

/**
 * Bytes by their SHA-256: those on this disk, and those that are fetched. Fetched ones wait in a folder of their own, named by their hash: an
 * attempt that fails costs no second download, and nothing unverified has an address. A copy is made of hard links to them.
 */
export class Blobs {
  readonly #origin: Origin;
  readonly #staging: string;
  readonly #sources = new Map<string, Source>();
  readonly #fetching = new Map<string, Promise<void>>();
  #made: Promise<unknown> | null = null;
  /** What came from the origin. */
  readonly fetched = { files: 0, bytes: 0 };

  constructor(origin: Origin, staging: string) {
    this.#origin = origin;
    this.#staging = staging;
  }

  /** Notes that a file of this disk has these bytes. */
  know(sha256: string, source: Source): void {
    this.#sources.set(sha256, source);
  }

  /** Keeps bytes that were verified. */
  async keep(bytes: Uint8Array): Promise<void> {
    const hash = sha256(bytes);
    await replaceFile(join(this.#staging, hash), bytes);
    this.know(hash, { folder: this.#staging, file: hash });
  }

  /** Where these bytes are, which were fetched or noted. */
  placeOf(sha256: string): string {
    const { folder, file } = this.#sources.get(sha256)!;
    return join(folder, file);
  }

  /** Fetches a file unless its bytes are here, with their length. Throws as `fetchBlob`. */
  async fetch(file: Promised, earlier: Earlier | null = null): Promise<void> {
    const { sha256 } = file;
    // The same content may be on its way at another path.
    while (this.#fetching.has(sha256)) await this.#fetching.get(sha256)!.catch(() => {});
    const fetching = this.#bring(file, earlier).finally(() => this.#fetching.delete(sha256));
    this.#fetching.set(sha256, fetching);
    await fetching;
  }

  async fetchAll(files: Iterable<Promised>, parallel: number): Promise<void> {
    await inParallel(files, parallel, (file) => this.fetch(file));
  }

  async #bring(file: Promised, earlier: Earlier | null): Promise<void> {
    const { sha256, bytes } = file;
    if (this.#sources.has(sha256) && (await hasLength(this.placeOf(sha256), bytes))) return;
    const staging = this.#staging;
    this.#made ??= asDiskErrors(staging, () => mkdir(staging, { recursive: true }));
    await this.#made;
    const target = join(staging, sha256);
    // An earlier attempt may have left it, or a disk that was not flushed something else.
    if (!(await isIntact(target, file))) {
      await asDiskErrors(target, () => ifThere(unlink(target), undefined));
      this.fetched.bytes += await fetchBlob(this.#origin, file, target, earlier);
      this.fetched.files += 1;
    }
    this.know(sha256, { folder: staging, file: sha256 });
  }

  /** Gives files their places below a folder. Throws publish_failed. */
  async link(target: StagingFolder, files: Iterable<Wanted>): Promise<void> {
    for (const { as, sha256, bytes } of files) {
      const source = this.#sources.get(sha256);
      if (source && (await target.link(source.folder, [{ file: source.file, bytes, sha256: null, as }])))
        continue;
      throw new CathedralError('publish_failed', {
        place: source ? join(source.folder, source.file) : as,
        expected: `a file of ${bytes} bytes, as it was verified`,
        found: 'none, or a different length',
      });
    }
  }

  /** Makes a folder of these files and texts anew, and flushes it, so that one rename gives it its name. Throws publish_failed. */
  async assemble(
    folder: StagingFolder,
    files: Iterable<Wanted>,
    texts: Iterable<readonly [path: string, bytes: Uint8Array]>,
  ): Promise<void> {
    await asDiskErrors(folder.dir, () => rm(folder.dir, { recursive: true, force: true }));
    await this.link(folder, files);
    for (const [path, bytes] of texts) await folder.write(path, bytes);
    await folder.flush();
  }

  /** Removes what was fetched and has its place now. */
  async clear(): Promise<void> {
    await asDiskErrors(this.#staging, () => rm(this.#staging, { recursive: true, force: true }));
  }
}

/** Whether there is a file with these bytes, and no link. */
export async function isIntact(place: string, { sha256, bytes }: Blob): Promise<boolean> {
  if (!(await hasLength(place, bytes))) return false;
  return (await measure(createReadStream(place))).sha256 === sha256;
}

/** Removes a folder, or a link, where a file belongs. Throws publish_failed. */
export async function makeWay(place: string): Promise<void> {
  const found = await lstat(place).catch(() => null);
  if (found?.isFile() === false) await asDiskErrors(place, () => rm(place, { recursive: true }));
}

/** Removes what stands in place of a folder above one of these paths below `folder`. Throws publish_failed. */
export async function makeWayAbove(folder: string, paths: Iterable<string>): Promise<void> {
  const seen = new Set<string>();
  const clear = async (at: string) => {
    if (at === '.' || seen.has(at)) return;
    seen.add(at);
    await clear(dirname(at));
    const place = join(folder, at);
    // A link may lead to a folder on another disk.
    const isFolder = await stat(place)
      .then((found) => found.isDirectory())
      .catch(() => false);
    if (!isFolder) await asDiskErrors(place, () => rm(place, { force: true }));
  };
  for (const path of paths) await clear(dirname(path));
}

/** Whether there is a file of this length, and no link. */
export async function hasLength(place: string, bytes: number): Promise<boolean> {
  const found = await lstat(place).catch(() => null);
  return found?.isFile() === true && found.size === bytes;
}
