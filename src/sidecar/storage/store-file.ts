import { rmSync, statSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { CathedralError } from '../../../pipeline/errors.ts';

/** The second file holds what was committed last, and the third is its index. */
const SUFFIXES = ['', '-wal', '-shm'] as const;

/**
 * The files of an open database as they stood at its path when it was opened. A process goes on reading and writing files
 * that were removed or replaced since; nobody else would ever see what it writes there.
 */
export class OpenedFiles {
  readonly #path: string;
  readonly #files: readonly (string | null)[];

  /** To be made right after the database was read for the first time, which opens all of its files. */
  constructor(path: string) {
    this.#path = path;
    this.#files = SUFFIXES.map((suffix) => identify(path + suffix));
  }

  /** Which file it is; null for none. */
  get main(): string | null {
    return this.#files[0] ?? null;
  }

  /** Whether the files that were opened are still the ones at the path. */
  isKept(): boolean {
    return SUFFIXES.every((suffix, index) => {
      const file = this.#files[index];
      return file === null ? index > 0 : identify(this.#path + suffix) === file;
    });
  }

  /** Throws store_failed where they are not. */
  assertSnapshotsIntact(): void {
    if (this.isKept()) return;
    const found = identify(this.#path) === null ? 'no file' : 'another file';
    throw new CathedralError('store_failed', {
      place: this.#path,
      expected: 'the file that was opened',
      found,
    });
  }

  /**
   * Removes the -wal and -shm files where only the main file was removed or replaced: SQLite would take them for parts of the
   * file that is there now. To be called before the database is closed, while the numbers of its files are still its own.
   */
  removeRemains(): void {
    if (identify(this.#path) === this.#files[0]) return;
    for (const [index, suffix] of SUFFIXES.entries()) {
      const file = this.#files[index];
      if (index > 0 && file && identify(this.#path + suffix) === file) rmSync(this.#path + suffix);
    }
  }
}

/** A database that is open, with what was prepared on it. */
export interface Opened {
  database: DatabaseSync;
}

/** A database that a process keeps open, and opens again where its files were removed or replaced at their path. */
export class StoreFile<T extends Opened> {
  readonly #path: string;
  readonly #open: (isFirst: boolean) => T;
  #opened: { use: T; placement: OpenedFiles } | null = null;
  #wasOpen = false;
  #isClosed = false;

  /** `open`: `isFirst` is false where the file was open before. `take` throws what it throws. */
  constructor(path: string, open: (isFirst: boolean) => T) {
    this.#path = path;
    this.#open = open;
    this.take();
  }

  /** What is at the path now. */
  take(): T {
    if (this.#isClosed) throw new Error('the store was closed');
    if (this.#opened?.placement.isKept()) return this.#opened.use;
    this.#opened?.placement.removeRemains();
    this.drop();
    const before = identify(this.#path);
    const use = this.#open(!this.#wasOpen);
    const placement = new OpenedFiles(this.#path);
    this.#opened = { use, placement };
    // Replaced while it was being opened: which of the two is open is not known.
    if (before !== null && before !== placement.main) return this.take();
    this.#wasOpen = true;
    return use;
  }

  close(): void {
    this.#isClosed = true;
    this.drop();
  }

  /** The next use opens the file anew. */
  drop(): void {
    const opened = this.#opened;
    this.#opened = null;
    if (opened?.use.database.isOpen) opened.use.database.close();
  }
}

/** The number of a file is not given to another one while the file is open; null for no file. */
function identify(path: string): string | null {
  const stats = statSync(path, { bigint: true, throwIfNoEntry: false });
  return stats ? `${stats.dev}:${stats.ino}` : null;
}
