import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { checkForm, type DatabaseForm, readPragma } from '../storage/open-database.ts';
import { guardedStore } from '../storage/store-error.ts';
import type { Entry } from './entry.ts';
import { readBeginning } from './records.ts';

/** The file that is appended to. */
export const CURRENT = 'current.db';

/** An empty database that whoever writes holds locked. */
export const WRITER_LOCK = 'writer.lock';

export const LOG_FORM: DatabaseForm = {
  applicationId: 0x4344_5341,
  version: 1,
  schema: `
    CREATE TABLE entries (
      seq INTEGER PRIMARY KEY, time TEXT NOT NULL, request_id TEXT NOT NULL, key_id TEXT, holder TEXT,
      area TEXT NOT NULL, method TEXT NOT NULL, path TEXT NOT NULL, query TEXT NOT NULL, status INTEGER NOT NULL,
      client TEXT NOT NULL, prev_hash TEXT NOT NULL, hash TEXT NOT NULL
    ) STRICT;`,
};

/** `access-000000000000-000000012345.db`: a file that is full, by the first and last seq in it. */
export interface Archive {
  name: string;
  first: number;
  last: number;
}

const ARCHIVE_NAME = /^access-(\d{12,15})-(\d{12,15})\.db$/;
const SEQ_DIGITS = 12;
/** For a writer that recovers the file after a kill, ms. */
const READ_TIMEOUT_MS = 5_000;
const BATCH_ROWS = 500;

export function archiveName(first: number, last: number): string {
  return `access-${String(first).padStart(SEQ_DIGITS, '0')}-${String(last).padStart(SEQ_DIGITS, '0')}.db`;
}

/** Oldest first. */
export function listArchives(dir: string): Archive[] {
  const names = guardedStore(dir, () => readdirSync(dir));
  const archives = names.flatMap((name) => {
    const [, first, last] = ARCHIVE_NAME.exec(name) ?? [];
    return first && last ? [{ name, first: Number(first), last: Number(last) }] : [];
  });
  return archives.sort((a, b) => a.first - b.first);
}

export interface LogFile {
  name: string;
  database: DatabaseSync;
}

/**
 * Opens each file of the log, oldest first, and closes it again; a file that cannot be opened comes as its error. The log
 * may be written meanwhile: while the current file is open here, the writer does not rotate it.
 */
export function* openLogFiles(dir: string): Generator<LogFile | { name: string; error: unknown }> {
  // An archive from before it is about to be removed.
  let done = readBeginning(dir).seq;
  const next = () => listArchives(dir).find(({ first }) => first > done);
  for (;;) {
    for (let archive = next(); archive; archive = next()) {
      done = archive.first;
      yield* withFile(dir, archive.name);
    }
    // Made, but not a database yet.
    if (!statSync(join(dir, CURRENT), { throwIfNoEntry: false })?.size) return;
    const files = withFile(dir, CURRENT);
    const { value } = files.next();
    // Where it was rotated between the listing and the opening, what is open is the file after the next one.
    const isNext = !next();
    try {
      if (isNext && value) yield value;
    } finally {
      files.return();
    }
    if (isNext) return;
  }
}

function* withFile(dir: string, name: string): Generator<LogFile | { name: string; error: unknown }, void> {
  let database: DatabaseSync;
  try {
    database = openForReading(join(dir, name));
  } catch (error) {
    yield { name, error };
    return;
  }
  try {
    yield { name, database };
  } finally {
    database.close();
  }
}

/** Throws store_failed. */
export function openForReading(path: string): DatabaseSync {
  return guardedStore(path, () => {
    const database = new DatabaseSync(path, { readOnly: true, timeout: READ_TIMEOUT_MS });
    try {
      checkForm(path, LOG_FORM, readPragma(database, 'application_id'), readPragma(database, 'user_version'));
      return database;
    } catch (error) {
      database.close();
      throw error;
    }
  });
}

export interface Period {
  /** ms since 1970, included */
  from: number;
  /** ms since 1970, not included */
  to: number;
}

/** In the order of seq, some hundred at a time, without holding a transaction open between them. */
export function* readEntries({ database }: LogFile, period?: Period): Generator<Entry[]> {
  const within = period ? 'AND time >= ? AND time < ?' : '';
  const bounds = period ? [formatLogTime(period.from), formatLogTime(period.to)] : [];
  const sql = `SELECT * FROM entries WHERE seq > ? ${within} ORDER BY seq LIMIT ${BATCH_ROWS}`;
  const statement = database.prepare(sql);
  for (let after = -1; ; ) {
    const entries = statement.all(after, ...bounds) as unknown as Entry[];
    if (entries.length === 0) return;
    yield entries;
    after = entries.at(-1)!.seq;
  }
}

/** Comparable as text with the column `time`; a time before or after all years that it can hold is the first or last of them. */
export function formatLogTime(time: number): string {
  const [least, most] = [Date.UTC(0, 0, 1), Date.UTC(9999, 11, 31, 23, 59, 59, 999)];
  return new Date(Math.min(Math.max(time, least), most)).toISOString();
}
