import {
  chmodSync,
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  statfsSync,
  statSync,
} from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { CathedralError } from '../../../pipeline/errors.ts';
import { renameDurably } from '../../../pipeline/ledger/atomic-file.ts';
import {
  asStoreError,
  asStoreErrors,
  checkpointAndCloseWal,
  openDatabase,
  readPragma,
} from '../storage/open-database.ts';
import { OpenedFiles } from '../storage/store-file.ts';
import { type AccessRecord, COLUMNS, type Entry, FIRST_LINK, type Link, linkEntry } from './entry.ts';
import {
  archiveName,
  CURRENT,
  LOG_SCHEMA,
  listArchives,
  openForReading,
  SQLITE_BUSY,
  WRITER_LOCK,
} from './log-files.ts';
import { HEAD, type HeadRecord, openHeadRecord, readHead, readLogStart } from './records.ts';

export interface LogWriterOptions {
  /** A folder of the log's own. */
  dir: string;
  /** A file of this size is archived before the next entries. */
  maxFileBytes: number;
  /** For another writer to end. */
  waitMs: number;
  /** The last entry that this process wrote before; FIRST_LINK where it wrote none. The log has to hold it. */
  acknowledged: Link;
}

const PAGE_BYTES = 4_096;
/** Where a reader keeps the file from being archived, it is tried again after so many bytes more. */
const RETRY_BYTES = 1024 * 1024;
/** For another process that removes old entries, some hundred at a time. */
const BUSY_TIMEOUT_MS = 1_000;
/** Room for a few of the longest entries. */
const LEAST_FREE_BYTES = 64 * 1024;
const INSERT = `INSERT INTO entries (${COLUMNS.join(', ')}) VALUES (${COLUMNS.map((name) => `:${name}`).join(', ')})`;

/** An open file of the log, and how to add to it. */
interface Current {
  database: DatabaseSync;
  insert: StatementSync;
  last: Link;
  placement: OpenedFiles;
}

/**
 * The one writer of a log. It blocks while the disk works, so it lives in a thread of its own. After anything that it throws it
 * has to be closed: what is on the disk then is read again by the next one.
 * Throws locked where another process writes, access_log_broken where the log is not what its head record says or does not
 * hold what this process wrote before.
 */
export class LogWriter {
  readonly #options: LogWriterOptions;
  readonly #lock: DatabaseSync;
  readonly #head: HeadRecord;
  /** Of the files that are open for as long as the writer is. */
  readonly #placements: readonly OpenedFiles[];
  #current: Current | null = null;
  #rotateAt: number;

  constructor(options: LogWriterOptions) {
    const { dir, maxFileBytes, waitMs, acknowledged } = options;
    this.#options = options;
    this.#rotateAt = maxFileBytes;
    if (acknowledged.seq >= 0) assertLogThere(dir, acknowledged);
    this.#lock = takeWriterLock(dir, waitMs);
    try {
      this.#current = this.#open();
      assertHoldsOwnEntries(dir, this.#current.database, this.#current.last, acknowledged);
      this.#head = openHeadRecord(dir);
      this.#placements = [HEAD, WRITER_LOCK].map((name) => new OpenedFiles(join(dir, name)));
    } catch (error) {
      this.#closeCurrent();
      this.#lock.close();
      throw error;
    }
  }

  /** The last entry of the log. */
  get last(): Link {
    return this.#takeCurrent().last;
  }

  /** On the disk, in files that are at their path, when this returns: all of them, or none where it throws store_failed. */
  appendAll(records: readonly AccessRecord[]): void {
    this.#assertPlaced();
    const { database, last } = this.#takeCurrent();
    if (readPragma(database, 'page_count') * PAGE_BYTES >= this.#rotateAt && last.seq >= 0) this.#rotate();
    const current = this.#takeCurrent();
    const link = asStoreErrors(this.#currentPath, () => insertAll(current, records));
    // Files that were removed meanwhile took the entries with them.
    this.#assertPlaced();
    current.last = link;
    this.#head.write(link);
  }

  /** Throws store_failed where the next entry could not be written. */
  check(): void {
    this.#assertPlaced();
    const { database } = this.#takeCurrent();
    const { dir } = this.#options;
    asStoreErrors(this.#currentPath, () => {
      // Writes what is there already, for the sake of writing.
      database.exec(`PRAGMA user_version = ${LOG_SCHEMA.version}`);
      const { bavail, bsize } = statfsSync(dir);
      if (bavail * bsize >= LEAST_FREE_BYTES) return;
      const expected = `${LEAST_FREE_BYTES} bytes of free space`;
      throw new CathedralError('store_failed', { place: dir, expected, found: `${bavail * bsize}` });
    });
  }

  close(): void {
    this.#closeCurrent();
    this.#head.close();
    this.#lock.close();
  }

  get #currentPath(): string {
    return join(this.#options.dir, CURRENT);
  }

  /** Throws store_failed where somebody removed or replaced what is written here. */
  #assertPlaced(): void {
    asStoreErrors(this.#options.dir, () => {
      for (const placement of [...this.#placements, this.#takeCurrent().placement])
        placement.assertSnapshotsIntact();
    });
  }

  #takeCurrent(): Current {
    this.#current ??= this.#open();
    return this.#current;
  }

  #open(): Current {
    const { dir } = this.#options;
    const path = this.#currentPath;
    assertWhole(path);
    const database = openDatabase(path, LOG_SCHEMA, { synchronous: 'FULL' });
    try {
      database.exec(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`);
      syncFolder(dir);
      const last = findLastLink(dir, database);
      return { database, insert: database.prepare(INSERT), last, placement: new OpenedFiles(path) };
    } catch (error) {
      database.close();
      throw asStoreError(path, error);
    }
  }

  #closeCurrent(): void {
    const database = this.#current?.database;
    this.#current = null;
    try {
      // Closing does not do so where the file was moved; then SQLite would take its newest entries for a part of whatever is
      // at its path next.
      database?.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    } catch {
      // They stay in the write-ahead log.
    }
    database?.close();
  }

  /**
   * Gives the full file its name and begins another one. A kill between any two steps is no harm: the file is current or
   * archived by its name alone, and the chain goes on from the last entry of all files.
   */
  #rotate(): void {
    const { dir, maxFileBytes } = this.#options;
    const { database, last } = this.#takeCurrent();
    const first = Number(database.prepare('SELECT min(seq) AS seq FROM entries').get()?.seq ?? -1);
    if (first < 0 || !checkpointAndCloseWal(database)) {
      this.#rotateAt += RETRY_BYTES;
      return;
    }
    this.#closeCurrent();
    const archive = join(dir, archiveName(first, last.seq));
    asStoreErrors(archive, () => {
      renameDurably(join(dir, CURRENT), archive, true);
      chmodSync(archive, 0o400);
    });
    this.#rotateAt = maxFileBytes;
  }
}

/** A file that is new is on the disk only with its name. */
function syncFolder(dir: string): void {
  const folder = openSync(dir, 'r');
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}

/** SQLite removes a write-ahead log whose file is not there, and with it the entries that were written last. */
function assertWhole(path: string): void {
  const sizeOf = (name: string) => statSync(name, { throwIfNoEntry: false })?.size ?? 0;
  if (sizeOf(path) > 0 || sizeOf(`${path}-wal`) === 0) return;
  const expected = 'the file that its -wal file belongs to';
  throw new CathedralError('store_failed', { place: path, expected, found: 'no file, or an empty one' });
}

/** Before anything is made in a folder that is empty or was removed: a log that begins anew would hide what was lost. */
function assertLogThere(dir: string, { seq }: Link): void {
  const isThere = existsSync(dir) && (existsSync(join(dir, CURRENT)) || listArchives(dir).length > 0);
  if (isThere) return;
  const expected = `the log with entry ${seq}, which this server wrote`;
  throw new CathedralError('access_log_broken', { place: dir, expected, found: 'no log' });
}

function insertAll({ database, insert, last }: Current, records: readonly AccessRecord[]): Link {
  let link = last;
  database.exec('BEGIN IMMEDIATE');
  try {
    for (const record of records) {
      const entry = linkEntry(record, link);
      insert.run({ ...entry });
      link = entry;
    }
    database.exec('COMMIT');
  } catch (error) {
    if (database.isTransaction) database.exec('ROLLBACK');
    throw error;
  }
  return { seq: link.seq, hash: link.hash };
}

/**
 * Two writers would make two chains out of one. The lock is the operating system's, held through an empty SQLite file, so it
 * ends with its holder, however that ends. Closing what is returned gives it back. Throws locked.
 */
function takeWriterLock(dir: string, waitMs: number): DatabaseSync {
  const path = join(dir, WRITER_LOCK);
  return asStoreErrors(path, () => {
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

/**
 * The entry that the next one follows. Looks at where the files meet and at the head record only; a verification looks at
 * everything. Throws access_log_broken where the log does not hold what it says: going on would cover that up.
 */
function findLastLink(dir: string, current: DatabaseSync): Link {
  const beginning = readLogStart(dir);
  const archived = readArchivedEnd(dir, beginning);
  // What is about to be removed stands before the beginning.
  const first = end(current, 'ASC', beginning.seq);
  const last = end(current, 'DESC', beginning.seq);
  if (first && (first.seq !== archived.seq + 1 || first.prev_hash !== archived.hash))
    throw broken(join(dir, CURRENT), `to begin after ${format(archived)}`, `entry ${first.seq}`);
  const link = last ? { seq: last.seq, hash: last.hash } : archived;
  checkHead(dir, current, link);
  return link;
}

/** Throws access_log_broken where a log that ends with `last` does not hold an entry that this process wrote. */
function assertHoldsOwnEntries(dir: string, current: DatabaseSync, last: Link, acknowledged: Link): void {
  const there = acknowledged.seq === last.seq ? last : entryOf(current, acknowledged.seq);
  if (acknowledged.seq > last.seq || (there && there.hash !== acknowledged.hash))
    throw broken(
      dir,
      `to hold ${format(acknowledged)}, which this server wrote`,
      `${format(last)} as the last`,
    );
}

function readArchivedEnd(dir: string, { seq, hash }: Link): Link {
  const archive = listArchives(dir).at(-1);
  if (!archive || archive.last <= seq) return { seq, hash };
  const database = openForReading(dir, archive.name);
  try {
    const last = end(database, 'DESC', seq);
    if (last?.seq !== archive.last)
      throw broken(join(dir, archive.name), `to end with entry ${archive.last}`, `${last?.seq}`);
    return { seq: last.seq, hash: last.hash };
  } finally {
    database.close();
  }
}

/** The head is never ahead of the log, and what it names is in it. */
function checkHead(dir: string, current: DatabaseSync, last: Link): void {
  const head = readHead(dir);
  // Nothing was ever acknowledged.
  if (!head && last.seq === FIRST_LINK.seq) return;
  const place = join(dir, 'head');
  if (!head) throw broken(place, `a record of ${format(last)} or an earlier entry`, 'no file');
  const there = entryOf(current, head.seq) ?? (head.seq === last.seq ? last : null);
  if (head.seq > last.seq || (there && there.hash !== head.hash))
    throw broken(dir, `to hold ${format(head)}, which was acknowledged`, `${format(last)} as the last`);
}

function entryOf(database: DatabaseSync, seq: number): Link | undefined {
  return database.prepare('SELECT seq, hash FROM entries WHERE seq = ?').get(seq) as Link | undefined;
}

function end(database: DatabaseSync, order: 'ASC' | 'DESC', after: number): Entry | undefined {
  const sql = `SELECT seq, prev_hash, hash FROM entries WHERE seq > ? ORDER BY seq ${order} LIMIT 1`;
  return database.prepare(sql).get(after) as Entry | undefined;
}

function broken(place: string, expected: string, found: string) {
  return new CathedralError('access_log_broken', { place, expected, found });
}

function format({ seq, hash }: Link): string {
  return `entry ${seq} (${hash.slice(0, 16)}…)`;
}
