import { copyFileSync, existsSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { CathedralError } from '../../../pipeline/errors.ts';
import {
  asStoreErrors,
  checkpointAndCloseWal,
  type DatabaseSchema,
  readPragma,
  readVersion,
} from '../storage/open-database.ts';
import type { Entry } from './entry.ts';
import { formatLogTime, type LogReader, type Period } from './log-reader.ts';
import { HEAD, readHead, readLogStart } from './records.ts';

/** The file to which entries are appended. */
export const CURRENT = 'current.db';

/** An empty database that the writer keeps locked. */
export const WRITER_LOCK = 'writer.lock';

/** Full files keep the version that they were written in. */
export const LOG_SCHEMA: DatabaseSchema = {
  name: 'a file of an access log',
  applicationId: 0x4344_5341,
  steps: [
    `
    CREATE TABLE entries (
      seq INTEGER PRIMARY KEY, time TEXT NOT NULL, request_id TEXT NOT NULL, key_id TEXT, holder TEXT,
      area TEXT NOT NULL, method TEXT NOT NULL, path TEXT NOT NULL, query TEXT NOT NULL, status INTEGER NOT NULL,
      client TEXT NOT NULL, prev_hash TEXT NOT NULL, hash TEXT NOT NULL
    ) STRICT;
    `,
  ],
};

/** `access-000000000000-000000012345.db`: a full file, named by its first and last seq. */
export interface Archive {
  name: string;
  first: number;
  last: number;
}

const ARCHIVE_NAME = /^access-(\d{12,15})-(\d{12,15})\.db$/;
const SEQ_DIGITS = 12;
/** SQLite's result code for a lock held by another connection. */
export const SQLITE_BUSY = 5;
/** How long to wait for a writer that recovers the file after a kill, ms. */
const READ_TIMEOUT_MS = 5_000;
const BATCH_ROWS = 500;

export function archiveName(first: number, last: number): string {
  return `access-${String(first).padStart(SEQ_DIGITS, '0')}-${String(last).padStart(SEQ_DIGITS, '0')}.db`;
}

/** Oldest first. */
export function listArchives(dir: string): Archive[] {
  const names = asStoreErrors(dir, () => readdirSync(dir));
  const archives = names.flatMap((name) => {
    const [, first, last] = ARCHIVE_NAME.exec(name) ?? [];
    return first && last ? [{ name, first: Number(first), last: Number(last) }] : [];
  });
  return archives.sort((a, b) => a.first - b.first);
}

/** Throws store_failed if a folder contains no log, so that a mistyped path does not pass as an empty log. */
export function assertLog(dir: string): void {
  const names = asStoreErrors(dir, () => readdirSync(dir));
  if (names.some((name) => name === CURRENT || name === HEAD || ARCHIVE_NAME.test(name))) return;
  throw new CathedralError('store_failed', {
    place: dir,
    expected: 'an access log',
    found: 'no file of an access log',
  });
}

export interface LogFile {
  name: string;
  database: DatabaseSync;
}

/**
 * Opens each log file in turn, oldest first, and closes it again. Yields the error of a file that cannot be opened. A server
 * may write and remove old entries meanwhile; it does not rotate the current file while that is open here.
 */
export function* openLogFiles(dir: string): Generator<LogFile | { name: string; error: unknown }> {
  let done = readLogStart(dir).seq;
  const next = () => listArchives(dir).find(({ last }) => last > done);
  for (;;) {
    for (let archive = next(); archive; archive = next()) {
      done = archive.last;
      yield* withFile(dir, archive.name, () => readLogStart(dir).seq >= done);
    }
    // The file was created but is not a database yet.
    if (!statSync(join(dir, CURRENT), { throwIfNoEntry: false })?.size) return;
    const files = withFile(dir, CURRENT, () => next() !== undefined);
    const { value } = files.next();
    // The file was rotated between listing and opening, so the open file comes after the next one.
    const isNext = !next();
    try {
      if (isNext && value && !isBlank(value)) yield value;
    } finally {
      files.return();
    }
    if (isNext) return;
  }
}

/** `isGone`: called if the file cannot be opened. True if it was legitimately removed or renamed meanwhile. */
function* withFile(
  dir: string,
  name: string,
  isGone: () => boolean,
): Generator<LogFile | { name: string; error: unknown }, void> {
  let database: DatabaseSync;
  try {
    database = openForReading(dir, name);
  } catch (error) {
    if (!isGone()) yield { name, error };
    return;
  }
  try {
    yield { name, database };
  } finally {
    database.close();
  }
}

/** The writer was killed before it initialised a new file. */
function isBlank(file: LogFile | { name: string; error: unknown }): boolean {
  return 'database' in file && readPragma(file.database, 'application_id') === 0;
}

/** Files that a database keeps if its writer did not close it. */
const REMAINS = ['', '-wal', '-journal'] as const;

/**
 * Opens a log file for reading without changing or creating anything in the folder. This works even after a writer was killed
 * within a transaction, when SQLite would have to write to recover it: recovery happens in a temporary copy, already unlinked
 * when this returns. Throws store_failed.
 */
export function openForReading(dir: string, name: string): DatabaseSync {
  const path = join(dir, name);
  return asStoreErrors(path, () => {
    // Opening the file after its writer ended would create a write-ahead log beside it.
    if (name !== CURRENT || isWritten(dir)) {
      try {
        return checked(path, new DatabaseSync(path, { readOnly: true, timeout: READ_TIMEOUT_MS }));
      } catch (error) {
        if (isWritten(dir) || !existsSync(path)) throw error;
      }
    }
    for (;;) {
      const before = stateOf(path);
      const copy = openCopy(path);
      if (stateOf(path) === before) return copy;
      copy.close();
      // A writer started meanwhile, so the copy may contain half a transaction.
      if (isWritten(dir)) return openForReading(dir, name);
    }
  });
}

function openCopy(path: string): DatabaseSync {
  const folder = mkdtempSync(join(tmpdir(), 'cathedral-access-log-'));
  try {
    const copy = join(folder, 'copy.db');
    for (const suffix of REMAINS) if (existsSync(path + suffix)) copyFileSync(path + suffix, copy + suffix);
    const database = new DatabaseSync(copy);
    checkpointAndCloseWal(database);
    return checked(path, database);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function checked(path: string, database: DatabaseSync): DatabaseSync {
  try {
    readVersion(path, database, LOG_SCHEMA);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

/** Whether a server has the log open for writing. Creates no lock file. */
export function isWritten(dir: string): boolean {
  const path = join(dir, WRITER_LOCK);
  if (!existsSync(path)) return false;
  const lock = new DatabaseSync(path, { readOnly: true, timeout: 0 });
  try {
    lock.prepare('SELECT 1 FROM sqlite_schema').get();
    return false;
  } catch (error) {
    if ((error as { errcode?: number }).errcode === SQLITE_BUSY) return true;
    throw error;
  } finally {
    lock.close();
  }
}

/** A text that changes with every change of the file or its companions. */
function stateOf(path: string): string {
  return REMAINS.map((suffix) => {
    const stats = statSync(path + suffix, { bigint: true, throwIfNoEntry: false });
    return stats ? `${stats.ino} ${stats.size} ${stats.mtimeNs}` : '';
  }).join();
}

/** The entries after `first`, ordered by seq, read in batches of a few hundred without holding a transaction open in between. */
function* readEntries({ database }: LogFile, first: number, period?: Period): Generator<Entry[]> {
  const within = period ? 'AND time >= ? AND time < ?' : '';
  const bounds = period ? [formatLogTime(period.from), formatLogTime(period.to)] : [];
  const sql = `SELECT * FROM entries WHERE seq > ? ${within} ORDER BY seq LIMIT ${BATCH_ROWS}`;
  const statement = database.prepare(sql);
  for (let after = first; ; ) {
    const entries = statement.all(after, ...bounds) as unknown as Entry[];
    if (entries.length === 0) return;
    yield entries;
    after = entries.at(-1)!.seq;
  }
}

/** Reads a folder's log. */
export function readLogFolder(dir: string): LogReader {
  return {
    name: dir,
    assertThere: async () => assertLog(dir),
    readStart: async () => readLogStart(dir),
    readHead: async () => readHead(dir),
    async *parts() {
      for (const file of openLogFiles(dir))
        yield 'error' in file
          ? file
          : { name: file.name, entriesAfter: (seq, period) => readEntries(file, seq, period) };
    },
  };
}
