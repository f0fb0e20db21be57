import { chmodSync, closeSync, fsyncSync, openSync } from 'node:fs';
import { join } from 'node:path';
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { renameDurably } from '../../../pipeline/ledger/atomic-file.ts';
import { openDatabase, readPragma } from '../storage/open-database.ts';
import { asStoreError, guardedStore } from '../storage/store-error.ts';
import { type AccessRecord, COLUMNS, type Link, linkEntry } from './entry.ts';
import { findLastLink } from './find-last-link.ts';
import { archiveName, CURRENT, LOG_FORM } from './log-files.ts';
import { type HeadRecord, openHeadRecord } from './records.ts';
import { takeWriterLock } from './writer-lock.ts';

export interface LogWriterOptions {
  /** A folder of the log's own. */
  dir: string;
  /** A file of this size is archived before the next entries. */
  maxFileBytes: number;
  /** For another writer to end. */
  waitMs: number;
}

const PAGE_BYTES = 4_096;
/** Where a reader keeps the file from being archived, it is tried again after so many bytes more. */
const RETRY_BYTES = 1024 * 1024;
const INSERT = `INSERT INTO entries (${COLUMNS.join(', ')}) VALUES (${COLUMNS.map((name) => `:${name}`).join(', ')})`;

/** An open file of the log, and how to add to it. */
interface Current {
  database: DatabaseSync;
  insert: StatementSync;
  last: Link;
}

/**
 * The one writer of a log. It blocks while the disk works, so it lives in a thread of its own.
 * Throws locked where another process writes, access_log_broken where the log is not what its head record says.
 */
export class LogWriter {
  readonly #options: LogWriterOptions;
  readonly #lock: DatabaseSync;
  readonly #head: HeadRecord;
  #current: Current | null = null;
  #rotateAt: number;

  constructor(options: LogWriterOptions) {
    this.#options = options;
    this.#rotateAt = options.maxFileBytes;
    this.#lock = takeWriterLock(options.dir, options.waitMs);
    try {
      this.#current = this.#open();
      this.#head = openHeadRecord(options.dir);
    } catch (error) {
      this.#current?.database.close();
      this.#lock.close();
      throw error;
    }
  }

  /** On the disk when this returns: all of them, or none where it throws store_failed. */
  appendAll(records: readonly AccessRecord[]): void {
    const { database, last } = this.#takeCurrent();
    if (readPragma(database, 'page_count') * PAGE_BYTES >= this.#rotateAt && last.seq >= 0) this.#rotate();
    const current = this.#takeCurrent();
    try {
      current.last = insertAll(current, records);
    } catch (cause) {
      // Whether a commit that failed took place is not known here: what is there is read again.
      this.#closeCurrent();
      throw asStoreError(join(this.#options.dir, CURRENT), cause);
    }
    this.#head.write(current.last);
  }

  close(): void {
    this.#closeCurrent();
    this.#head.close();
    this.#lock.close();
  }

  #takeCurrent(): Current {
    this.#current ??= this.#open();
    return this.#current;
  }

  #open(): Current {
    const { dir } = this.#options;
    const path = join(dir, CURRENT);
    const database = openDatabase(path, LOG_FORM, { synchronous: 'FULL' });
    try {
      syncFolder(dir);
      return { database, insert: database.prepare(INSERT), last: findLastLink(dir, database) };
    } catch (error) {
      database.close();
      throw asStoreError(path, error);
    }
  }

  #closeCurrent(): void {
    this.#current?.database.close();
    this.#current = null;
  }

  /**
   * Gives the full file its name and begins another one. A kill between any two steps is no harm: the file is current or
   * archived by its name alone, and the chain goes on from the last entry of all files.
   */
  #rotate(): void {
    const { dir, maxFileBytes } = this.#options;
    const { database, last } = this.#takeCurrent();
    const first = Number(database.prepare('SELECT min(seq) AS seq FROM entries').get()?.seq ?? -1);
    if (first < 0 || !leaveWal(database)) {
      this.#rotateAt += RETRY_BYTES;
      return;
    }
    this.#closeCurrent();
    const archive = join(dir, archiveName(first, last.seq));
    guardedStore(archive, () => {
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

/** One file without a write-ahead log beside it; false where a reader has it open. */
function leaveWal(database: DatabaseSync): boolean {
  try {
    return database.prepare('PRAGMA journal_mode = DELETE').get()?.journal_mode === 'delete';
  } catch {
    return false;
  }
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
