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
import { assertOwner } from '../../../pipeline/disk/owner.ts';
import { CathedralError } from '../../../pipeline/errors.ts';
import {
  asStoreError,
  asStoreErrors,
  checkpointAndCloseWal,
  openDatabase,
  readPragma,
} from '../storage/open-database.ts';
import { OpenedFiles } from '../storage/store-file.ts';
import { renameDurably } from './atomic-file.ts';
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
  /** The folder of the log. It contains nothing else. */
  dir: string;
  /** A file of this size is archived before the next entries. */
  maxFileBytes: number;
  /** How long to wait for another writer to end. */
  waitMs: number;
  /** The last entry that this process wrote, or FIRST_LINK if it wrote none. The log must contain it. */
  acknowledged: Link;
}

const PAGE_BYTES = 4_096;
/** If a reader prevents archiving, the writer retries after this many more bytes. */
const RETRY_BYTES = 1024 * 1024;
/** How long to wait for a process that removes old entries, a few hundred at a time. */
const BUSY_TIMEOUT_MS = 1_000;
/** Room for a few entries of maximum size. */
const LEAST_FREE_BYTES = 64 * 1024;
const INSERT = `INSERT INTO entries (${COLUMNS.join(', ')}) VALUES (${COLUMNS.map((name) => `:${name}`).join(', ')})`;

/** An open log file and its statements for appending. */
interface Current {
  database: DatabaseSync;
  insert: StatementSync;
  last: Link;
  placement: OpenedFiles;
}

/**
 * The only writer of a log. It blocks while the disk works, so it runs in its own thread. Close it after any error: the next
 * writer reads the disk again. Throws locked if another process writes, access_log_broken if the log contradicts its head
 * record or lacks entries that this process wrote.
 */
export class LogWriter {
  readonly #options: LogWriterOptions;
  readonly #lock: DatabaseSync;
  readonly #head: HeadRecord;
  /** Cleanup of the files that stay open as long as the writer. */
  readonly #openedFiles: readonly OpenedFiles[];
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
      this.#openedFiles = [HEAD, WRITER_LOCK].map((name) => new OpenedFiles(join(dir, name)));
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

  /**
   * Writes all accesses or none. They are on disk, in files at their paths, when this returns; otherwise it throws
   * store_failed.
   */
  appendAll(records: readonly AccessRecord[]): void {
    this.#assertPlaced();
    const { database, last } = this.#takeCurrent();
    if (readPragma(database, 'page_count') * PAGE_BYTES >= this.#rotateAt && last.seq >= 0) this.#rotate();
    const current = this.#takeCurrent();
    const link = asStoreErrors(this.#currentPath, () => insertAll(current, records));
    // If files were removed meanwhile, the entries went with them.
    this.#assertPlaced();
    current.last = link;
    this.#head.write(link);
  }

  /** Throws store_failed if the next entry could not be written. */
  check(): void {
    this.#assertPlaced();
    const { database } = this.#takeCurrent();
    const { dir } = this.#options;
    asStoreErrors(this.#currentPath, () => {
      // Rewrites the current value, only to test a write.
      database.exec(`PRAGMA application_id = ${LOG_SCHEMA.applicationId}`);
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

  /** Throws store_failed if a file of the log was removed or replaced. */
  #assertPlaced(): void {
    asStoreErrors(this.#options.dir, () => {
      for (const placement of [...this.#openedFiles, this.#takeCurrent().placement])
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
      // Closing would not do this for a moved file. SQLite would then apply its newest entries to whichever file is next at its
      // path.
      database?.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    } catch {
      // The entries stay in the write-ahead log.
    }
    database?.close();
  }

  /**
   * Renames the full file and starts a new one. A kill between two steps does no harm: only its name makes a file current or
   * archived, and the chain continues from the last entry of all files.
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

/** A new file is on disk only together with its name. */
function syncFolder(dir: string): void {
  const folder = openSync(dir, 'r');
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}

/** SQLite deletes a write-ahead log without its file, and the newest entries with it. */
function assertWhole(path: string): void {
  const sizeOf = (name: string) => statSync(name, { throwIfNoEntry: false })?.size ?? 0;
  if (sizeOf(path) > 0 || sizeOf(`${path}-wal`) === 0) return;
  const expected = 'the database file of its -wal file';
  throw new CathedralError('store_failed', { place: path, expected, found: 'no file, or an empty one' });
}

/** Runs before anything is created in a folder that is empty or was removed: restarting the log there would hide the loss. */
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
 * Two writers would fork the chain. The operating system holds the lock through an empty SQLite file, so it ends with its
 * holder's process. Closing the returned handle releases it. Throws locked.
 */
function takeWriterLock(dir: string, waitMs: number): DatabaseSync {
  const path = join(dir, WRITER_LOCK);
  return asStoreErrors(path, () => {
    assertOwner(dir);
    mkdirSync(dir, { recursive: true, mode: 0o700 });
    const lock = new DatabaseSync(path, { timeout: waitMs });
    try {
      lock.exec('BEGIN EXCLUSIVE');
      return lock;
    } catch (cause) {
      lock.close();
      if ((cause as { errcode?: number }).errcode !== SQLITE_BUSY) throw cause;
      const found = 'a running writer';
      throw new CathedralError('locked', { place: dir, expected: 'no other writer', found, cause });
    }
  });
}

/**
 * The entry that the next one follows. Checks only file boundaries and the head record; a verification checks everything.
 * Throws access_log_broken if the log is inconsistent: appending would hide that.
 */
function findLastLink(dir: string, current: DatabaseSync): Link {
  const beginning = readLogStart(dir);
  const archived = readArchivedEnd(dir, beginning);
  // Entries that are about to be removed come before the start.
  const first = end(current, 'ASC', beginning.seq);
  const last = end(current, 'DESC', beginning.seq);
  if (first && (first.seq !== archived.seq + 1 || first.prev_hash !== archived.hash))
    throw broken(join(dir, CURRENT), `a start after ${format(archived)}`, `entry ${first.seq}`);
  const link = last ? { seq: last.seq, hash: last.hash } : archived;
  checkHead(dir, current, link);
  return link;
}

/** Throws access_log_broken if a log that ends with `last` lacks an entry that this process wrote. */
function assertHoldsOwnEntries(dir: string, current: DatabaseSync, last: Link, acknowledged: Link): void {
  const there = acknowledged.seq === last.seq ? last : entryOf(current, acknowledged.seq);
  if (acknowledged.seq > last.seq || (there && there.hash !== acknowledged.hash))
    throw broken(
      dir,
      `${format(acknowledged)}, which this server wrote`,
      `${format(last)} as the last entry`,
    );
}

function readArchivedEnd(dir: string, { seq, hash }: Link): Link {
  const archive = listArchives(dir).at(-1);
  if (!archive || archive.last <= seq) return { seq, hash };
  const database = openForReading(dir, archive.name);
  try {
    const last = end(database, 'DESC', seq);
    if (last?.seq !== archive.last)
      throw broken(join(dir, archive.name), `${archive.last} as the last entry`, `${last?.seq}`);
    return { seq: last.seq, hash: last.hash };
  } finally {
    database.close();
  }
}

/** The head is never ahead of the log, and the log contains the entry it names. */
function checkHead(dir: string, current: DatabaseSync, last: Link): void {
  const head = readHead(dir);
  // No entry was acknowledged yet.
  if (!head && last.seq === FIRST_LINK.seq) return;
  const place = join(dir, 'head');
  if (!head) throw broken(place, `a head record of ${format(last)} or an earlier entry`, 'no file');
  const there = entryOf(current, head.seq) ?? (head.seq === last.seq ? last : null);
  if (head.seq > last.seq || (there && there.hash !== head.hash))
    throw broken(dir, `${format(head)}, which was acknowledged`, `${format(last)} as the last`);
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
