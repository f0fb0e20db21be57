import { closeSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { CathedralError } from '../../../pipeline/errors.ts';

export interface DatabaseSchema {
  /** Stands in the file's header, so that no database is taken for another one; 32 bits. */
  applicationId: number;
  /** Counts up with each change of `schema`. */
  version: number;
  schema: string;
}

export interface OpenOptions {
  /**
   * When a commit is flushed to the disk. `FULL`: before it returns, so that it survives a power failure. `NORMAL`: with
   * the next checkpoint; a commit survives the end of the process, kill -9 too, and a power failure may undo the last ones
   * but leaves a sound file.
   */
  synchronous: 'FULL' | 'NORMAL';
}

/** For another process that opens the same file at this moment, or recovers it after a kill, ms. */
const OPEN_TIMEOUT_MS = 5_000;

/**
 * Opens a database file of a known form in WAL mode, or makes it, readable by its owner only. Does not wait for locks
 * afterwards, since waiting would stop all other requests. Throws store_failed, also where the file is another database.
 */
export function openDatabase(path: string, form: DatabaseSchema, { synchronous }: OpenOptions): DatabaseSync {
  return asStoreErrors(path, () => {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    // SQLite gives its -wal and -shm files the mode of the database.
    closeSync(openSync(path, 'a', 0o600));
    const database = new DatabaseSync(path, { timeout: OPEN_TIMEOUT_MS });
    try {
      takeForm(path, database, form);
      database.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = ${synchronous}`);
      // What is deleted is overwritten: some of it is personal.
      database.exec('PRAGMA secure_delete = ON');
      database.exec('PRAGMA busy_timeout = 0');
      // The first look opens the write-ahead log, so that a OpenedFiles knows its file.
      readPragma(database, 'user_version');
      return database;
    } catch (error) {
      database.close();
      throw error;
    }
  });
}

/** Makes one file of a database, with no write-ahead log beside it; false where another connection has it open. */
export function checkpointAndCloseWal(database: DatabaseSync): boolean {
  try {
    return database.prepare('PRAGMA journal_mode = DELETE').get()?.journal_mode === 'delete';
  } catch {
    return false;
  }
}

/** Checks the form of a database that is there, gives it to an empty one. */
function takeForm(path: string, database: DatabaseSync, form: DatabaseSchema): void {
  database.exec('BEGIN IMMEDIATE');
  const [id, version] = [readPragma(database, 'application_id'), readPragma(database, 'user_version')];
  const isEmpty = database.prepare('SELECT 1 FROM sqlite_schema').get() === undefined;
  if (isEmpty && id === 0) {
    database.exec(form.schema);
    database.exec(`PRAGMA application_id = ${form.applicationId}; PRAGMA user_version = ${form.version}`);
  } else {
    checkForm(path, form, id, version);
  }
  database.exec('COMMIT');
}

/** Throws store_failed where a database is not of the form that is meant. */
export function checkForm(path: string, form: DatabaseSchema, id: number, version: number): void {
  if (id === form.applicationId && version === form.version) return;
  throw new CathedralError('store_failed', {
    place: path,
    expected: `a database of kind ${form.applicationId}, version ${form.version}`,
    found: `kind ${id}, version ${version}`,
  });
}

export function readPragma(
  database: DatabaseSync,
  name: 'application_id' | 'user_version' | 'page_count',
): number {
  return Number(Object.values(database.prepare(`PRAGMA ${name}`).get() ?? {})[0]);
}

/** Runs work on the database at `place`; whatever SQLite or the disk refuses becomes store_failed. */
export function asStoreErrors<T>(place: string, work: () => T): T {
  try {
    return work();
  } catch (cause) {
    throw asStoreError(place, cause);
  }
}

export function asStoreError(place: string, cause: unknown): CathedralError {
  if (cause instanceof CathedralError) return cause;
  const found = cause instanceof Error ? cause.message : String(cause);
  return new CathedralError('store_failed', { place, expected: 'a database that can be used', found, cause });
}
