import { rmSync, statSync } from 'node:fs';
import { CathedralError } from '../../../pipeline/errors.ts';

/** The second file holds the latest commits, and the third is its index. */
const SUFFIXES = ['', '-wal', '-shm'] as const;

/**
 * Identifies the files of an open database as they were at its path when it was opened. A process keeps using files that were
 * removed or replaced since, where nobody else would ever see its writes.
 */
export class OpenedFiles {
  readonly #path: string;
  readonly #files: readonly (string | null)[];

  /** Create it right after the first read of the database, which opens all of its files. */
  constructor(path: string) {
    this.#path = path;
    this.#files = SUFFIXES.map((suffix) => identify(path + suffix));
  }

  /** Identifies a file; null if there is none. */
  get main(): string | null {
    return this.#files[0] ?? null;
  }

  /** Whether the opened files are still those at the path. */
  isKept(): boolean {
    return SUFFIXES.every((suffix, index) => {
      const file = this.#files[index];
      return file === null ? index > 0 : identify(this.#path + suffix) === file;
    });
  }

  /** Throws store_failed if they are not. */
  assertSnapshotsIntact(): void {
    if (this.isKept()) return;
    const found = identify(this.#path) === null ? 'no file' : 'another file';
    throw new CathedralError('store_failed', {
      place: this.#path,
      expected: 'the opened file',
      found,
    });
  }

  /**
   * Removes the -wal and -shm files if only the main file was removed or replaced: SQLite would otherwise apply them to the new
   * file. Call it before closing the database, while its inode numbers cannot be reused.
   */
  removeRemains(): void {
    if (identify(this.#path) === this.#files[0]) return;
    for (const [index, suffix] of SUFFIXES.entries()) {
      const file = this.#files[index];
      if (index > 0 && file && identify(this.#path + suffix) === file) rmSync(this.#path + suffix);
    }
  }
}

/** The operating system does not reuse the inode number of an open file. Null if there is no file. */
function identify(path: string): string | null {
  const stats = statSync(path, { bigint: true, throwIfNoEntry: false });
  return stats ? `${stats.dev}:${stats.ino}` : null;
}
