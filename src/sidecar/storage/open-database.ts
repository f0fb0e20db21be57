import { closeSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { CathedralError } from '../../../pipeline/errors.ts';

export interface DatabaseSchema {
  /** Identifies the kind of database in the file's header; 32 bits. */
  applicationId: number;
  /** Increases with each change of `schema`. */
  version: number;
  schema: string;
}

export interface OpenOptions {
  /**
   * When a commit is flushed to disk. `FULL`: before it returns, so that it survives a power failure. `NORMAL`: with the next
   * checkpoint; a commit survives kill -9, but a power failure may lose the last ones and still leaves an intact file.
   */
  synchronous: 'FULL' | 'NORMAL';
}

/** How long to wait for a process that opens the same file, or recovers it after a kill, ms. */
const OPEN_TIMEOUT_MS = 5_000;

/**
 * Opens a database file of a known schema in WAL mode, or creates it readable only by its owner. Does not wait for locks
 * afterwards, because waiting would block all other requests. Throws store_failed, also for a foreign database.
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
      // Overwrite deleted data, because some of it is personal.
      database.exec('PRAGMA secure_delete = ON');
      database.exec('PRAGMA busy_timeout = 0');
      // The first read opens the write-ahead log, so that OpenedFiles can identify it.
      readPragma(database, 'user_version');
      return database;
    } catch (error) {
      database.close();
      throw error;
    }
  });
}

/** Merges the write-ahead log into the database file and removes it; false if another connection has the file open. */
export function checkpointAndCloseWal(database: DatabaseSync): boolean {
  try {
    return database.prepare('PRAGMA journal_mode = DELETE').get()?.journal_mode === 'delete';
  } catch {
    return false;
  }
}

/** Checks the schema of an existing database, or creates it in an empty one. */
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

/** Throws store_failed if a database does not have the expected schema. */
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

/** Runs work on the database at `place` and converts any error of SQLite or the disk to store_failed. */
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
  return new CathedralError('store_failed', { place, expected: 'a usable database', found, cause });
}
