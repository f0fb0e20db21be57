import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { CathedralError } from '../../../pipeline/errors.ts';
import { guardedStore } from '../storage/store-error.ts';
import { SQLITE_BUSY, WRITER_LOCK } from './log-files.ts';

/**
 * Two writers would make two chains out of one. The lock is the operating system's, held through an empty SQLite file, so it
 * ends with its holder, however that ends. Closing what is returned gives it back. Throws locked.
 */
export function takeWriterLock(dir: string, waitMs: number): DatabaseSync {
  const path = join(dir, WRITER_LOCK);
  return guardedStore(path, () => {
    mkdirSync(dir, { recursive: true, mode: 0o700 });
    const lock = new DatabaseSync(path, { timeout: waitMs });
    try {
      lock.exec('BEGIN EXCLUSIVE');
      return lock;
    } catch (cause) {
      lock.close();
      if ((cause as { errcode?: number }).errcode !== SQLITE_BUSY) throw cause;
      const found = 'one that is running';
      throw new CathedralError('locked', { place: dir, expected: 'no other writer', found, cause });
    }
  });
}
