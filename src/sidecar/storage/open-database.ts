import { closeSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { assertOwner } from '../../../pipeline/disk/owner.ts';
import { CathedralError, type ErrorCode } from '../../../pipeline/errors.ts';

export interface DatabaseSchema {
  /** For messages: `a key store`. */
  name: string;
  /** Of the errors about a file of another kind or of a later version. Default: store_failed. */
  code?: ErrorCode;
  /** Identifies the kind of database in the file's header; 32 bits. */
  applicationId: number;
  /** `steps[n]` leads from version n to n + 1. A step never changes after it was published, and only adds. */
  steps: readonly string[];
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
    assertOwner(path);
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    // SQLite gives its -wal and -shm files the mode of the database.
    closeSync(openSync(path, 'a', 0o600));
    const database = new DatabaseSync(path, { timeout: OPEN_TIMEOUT_MS });
    try {
      migrate(path, database, form);
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

/** Brings a database to the newest version of its schema, all steps or none. Throws what `readVersion` throws. */
function migrate(path: string, database: DatabaseSync, schema: DatabaseSchema): void {
  const { applicationId, steps } = schema;
  // Take the write lock first, so that the second of two processes finds the work done.
  database.exec('BEGIN IMMEDIATE');
  try {
    const version = readVersion(path, database, schema);
    for (const sql of steps.slice(version)) database.exec(sql);
    if (version < steps.length)
      database.exec(`PRAGMA user_version = ${steps.length}; PRAGMA application_id = ${applicationId}`);
    database.exec('COMMIT');
  } catch (error) {
    if (database.isTransaction) database.exec('ROLLBACK');
    throw error;
  }
}

/** The number of steps that a database has; 0 if it is empty. Throws for one of another kind, and for one of a later version. */
export function readVersion(
  path: string,
  database: DatabaseSync,
  { name, code = 'store_failed', applicationId, steps }: DatabaseSchema,
): number {
  const [id, version] = [readPragma(database, 'application_id'), readPragma(database, 'user_version')];
  const isEmpty = database.prepare('SELECT 1 FROM sqlite_schema').get() === undefined;
  if (id !== applicationId && !(id === 0 && version === 0 && isEmpty))
    throw new CathedralError(code, { place: path, expected: name, found: 'another database' });
  if (version > steps.length) {
    const expected = `${name} of version ${steps.length} or lower`;
    const found = `version ${version}, of a later version of this program`;
    throw new CathedralError(code, { place: path, expected, found });
  }
  return version;
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
