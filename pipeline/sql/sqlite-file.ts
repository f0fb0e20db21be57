import { closeSync, existsSync, fsyncSync, mkdirSync, openSync, rmSync, statfsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import { reasonOf } from '../disk/durable.ts';
import { assertOwner } from '../disk/owner.ts';
import { errorOf } from '../errors.ts';
import type { Answer } from './store.ts';

const failed = errorOf('store_failed');

/** A kind of file. */
export interface SqliteForm {
  /** For messages: `a key store`. */
  name: string;
  /** In the file's header, so that no other database is taken for it; 32 bits. */
  applicationId: number;
  /** `steps[n]` leads from version n to n + 1. A step never changes after it was published, and only adds. */
  steps: readonly string[];
  journal: 'DELETE' | 'WAL';
  /**
   * When a commit is flushed. `FULL`: before it returns, so that it survives a power failure; `EXTRA`: with the folder. `NORMAL`: later; a commit
   * survives kill -9, but a power failure may lose the last ones and still leaves an intact file.
   */
  synchronous: 'EXTRA' | 'FULL' | 'NORMAL';
  /**
   * Whether a thread of its own has it open, because a server waits for its flushes and serves other things meanwhile. Where a server only reads, or
   * nothing is flushed for a request, a thread would cost more than the work.
   */
  isWaitedFor: boolean;
  /** Whether a file that was removed while it was in use is made anew. */
  isRenewed: boolean;
}

/** Room for the next few rows. */
const LEAST_FREE_BYTES = 64 * 1024;
/** The second file holds the latest commits, and the third is its index. */
const SUFFIXES = ['', '-wal', '-shm'] as const;
/** Statements whose text depends on the number of rows are many. */
const MAX_STATEMENTS = 200;

/** A text, and the place among the values of each of its `?`. */
interface Statement {
  prepared: StatementSync;
  order: readonly number[];
  returnsRows: boolean;
}

interface Opened {
  database: DatabaseSync;
  statements: Map<string, Statement>;
  /** The files at the path when they were opened; null where there was none. */
  files: readonly (string | null)[];
}

/**
 * A SQLite file that a process keeps open, and opens again when other files are at its path: a process goes on using files that were removed or
 * replaced, where nobody else would ever see its writes. It blocks while the disk works, so who waits for the disk runs it in a thread. Its methods throw
 * CathedralErrors and SQLite's own errors; `isBusy` are those to try again.
 */
export class SqliteFile {
  readonly #path: string;
  readonly #form: SqliteForm;
  #opened: Opened | null = null;
  #isFirst = true;
  /** Whether the files that were opened last are no longer at the path. */
  #isGone = false;
  /** Whether other files were found at the path since this was asked last. */
  #wasReplaced = false;

  /** `mustExist`: no file is made. */
  constructor(path: string, form: SqliteForm, { mustExist }: { mustExist: boolean }) {
    this.#path = path;
    this.#form = form;
    this.#isFirst = !mustExist;
    this.#take();
    this.#isFirst = false;
  }

  /** Carries out a statement, in the transaction that is open or in one of its own. */
  run(text: string, values: readonly unknown[]): Answer<unknown> {
    const opened = this.#take();
    return this.#guarded(opened, () => {
      const { prepared, order, returnsRows } = statementOf(opened, text);
      const given = order.map((at) => values[at] as SQLInputValue);
      if (returnsRows) {
        const rows = prepared.all(...given);
        return { rows, count: rows.length };
      }
      const count = Number(prepared.run(...given).changes);
      if (!isInTransaction(opened)) this.#assertKept();
      return { rows: [], count };
    });
  }

  /** Takes the write lock at once, so that nothing has to be tried again later. */
  begin(): void {
    this.run('BEGIN IMMEDIATE', []);
  }

  commit(): void {
    const opened = this.#opened!;
    this.#guarded(opened, () => {
      opened.database.exec('COMMIT');
      this.#assertKept();
    });
  }

  rollback(): void {
    if (isInTransaction(this.#opened)) this.#opened!.database.exec('ROLLBACK');
  }

  check(): void {
    // Writes the value that is there. Every version of this program has the same one.
    this.run(`PRAGMA application_id = ${this.#form.applicationId}`, []);
    const { bavail, bsize } = statfsSync(dirname(this.#path));
    if (bavail * bsize >= LEAST_FREE_BYTES) return;
    const expected = `${LEAST_FREE_BYTES} bytes of free space`;
    throw failed(this.#path, expected, `${bavail * bsize}`);
  }

  /** The write-ahead log still has what was deleted. If somebody reads it meanwhile, a later call does it. */
  scrub(): void {
    this.run('PRAGMA wal_checkpoint(TRUNCATE)', []);
  }

  /** Whether other files were found at the path since this was asked last. */
  takeReplaced(): boolean {
    const was = this.#wasReplaced;
    this.#wasReplaced = false;
    return was;
  }

  close(): void {
    const database = this.#opened?.database;
    if (!database?.isOpen) return;
    if (!this.#isKept()) {
      // SQLite would apply the newest rows to whichever file is next at the path.
      try {
        database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
      } catch {
        // They stay where they are.
      }
      this.#removeRemains();
    }
    database.close();
  }

  #guarded<T>(opened: Opened, work: () => T): T {
    try {
      return work();
    } catch (error) {
      // The file may have been overwritten in place by something else, which SQLite would not notice.
      if (!isBusy(error) && !isInTransaction(opened)) this.close();
      throw error;
    }
  }

  /** If the files were removed meanwhile, what was written went with them. */
  #assertKept(): void {
    if (this.#isKept()) return;
    const found = identify(this.#path) === null ? 'no file' : 'another file';
    throw failed(this.#path, 'the opened file', found);
  }

  /** Closing the last connection removes the files beside the database. */
  #isKept(): boolean {
    const { database, files } = this.#opened!;
    return SUFFIXES.slice(0, database.isOpen ? undefined : 1).every((suffix, index) => {
      const file = files[index];
      return file == null ? index > 0 : identify(this.#path + suffix) === file;
    });
  }

  /** The files that are at the path now. */
  #take(): Opened {
    const opened = this.#opened;
    if (opened) {
      if (isInTransaction(opened)) return opened;
      const isKept = this.#isKept();
      if (isKept && opened.database.isOpen) return opened;
      this.#isGone ||= !isKept;
      this.close();
    }
    const before = identify(this.#path);
    this.#opened = this.#open();
    this.#wasReplaced ||= this.#isGone;
    this.#isGone = false;
    // Replaced while it was opened, so it is unknown which of the two is open.
    if (before !== null && before !== this.#opened.files[0]) return this.#take();
    return this.#opened;
  }

  #open(): Opened {
    const [path, form] = [this.#path, this.#form];
    if (this.#isFirst || form.isRenewed) makePrivate(path);
    else assertThere(path, form);
    // Who is refused a lock tries again later, and other files of the thread are used meanwhile.
    const database = new DatabaseSync(path, { timeout: 0 });
    try {
      migrate(path, database, form);
      setJournal(database, form.journal);
      // Deleted data is overwritten, because some of it is personal.
      database.exec(`PRAGMA synchronous = ${form.synchronous}; PRAGMA secure_delete = ON`);
      // The first read opens the write-ahead log.
      readPragma(database, 'user_version');
      return { database, statements: new Map(), files: SUFFIXES.map((suffix) => identify(path + suffix)) };
    } catch (error) {
      database.close();
      throw error;
    }
  }

  /** Where only the main file was removed or replaced. Called while the database is open, as long as its inode numbers are not used again. */
  #removeRemains(): void {
    const { files } = this.#opened!;
    if (identify(this.#path) === files[0]) return;
    for (const [index, suffix] of SUFFIXES.entries()) {
      const file = files[index];
      if (index > 0 && file && identify(this.#path + suffix) === file) rmSync(this.#path + suffix);
    }
  }
}

function isInTransaction(opened: Opened | null): boolean {
  return opened?.database.isOpen === true && opened.database.isTransaction;
}

/** Another connection has a lock, or opened the file in the mode that this one wants to change. */
export function isBusy(error: unknown): boolean {
  const SQLITE_BUSY = 5;
  // Its low byte; the others say why.
  return ((error as { errcode?: number }).errcode ?? 0) % 256 === SQLITE_BUSY;
}

function statementOf({ database, statements }: Opened, text: string): Statement {
  const known = statements.get(text);
  if (known) return known;
  const order: number[] = [];
  const own = text.replaceAll(/\$(\d+)/g, (_, place) => {
    order.push(Number(place) - 1);
    return '?';
  });
  const prepared = database.prepare(own);
  const statement = { prepared, order, returnsRows: prepared.columns().length > 0 };
  if (statements.size >= MAX_STATEMENTS) statements.clear();
  statements.set(text, statement);
  return statement;
}

/** Made before SQLite does, which would use the umask; it gives the files beside it the same mode and owner. */
function makePrivate(path: string): void {
  const sizeOf = (name: string) => statSync(name, { throwIfNoEntry: false })?.size ?? 0;
  if (sizeOf(path) > 0) return;
  // SQLite deletes a write-ahead log without its file, and the newest rows with it.
  if (sizeOf(`${path}-wal`) > 0)
    throw failed(path, 'the database file of its -wal file', 'no file, or an empty one');
  if (!existsSync(path)) assertOwner(path);
  // The folder above is no secret: others may have something there, such as a key that is published.
  try {
    mkdirSync(dirname(dirname(path)), { recursive: true });
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  } catch (error) {
    throw reasonOf(error, dirname(path));
  }
  closeSync(openSync(path, 'a', 0o600));
  // A new file is on the disk only with its name.
  const folder = openSync(dirname(path), 'r');
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}

/** An empty store, made by accident, would look as if nothing had ever been stored. */
function assertThere(path: string, { name }: SqliteForm): void {
  const size = statSync(path, { throwIfNoEntry: false })?.size;
  if (!size) throw failed(path, name, size === 0 ? 'an empty file' : 'no file');
}

/** A file that others have open with a write-ahead log keeps it until they have closed it. */
function setJournal(database: DatabaseSync, journal: SqliteForm['journal']): void {
  try {
    database.exec(`PRAGMA journal_mode = ${journal}`);
  } catch (error) {
    if (!isBusy(error) || journal === 'WAL') throw error;
  }
}

/** Whether a process has a file with a write-ahead log open. */
export function isInUse(path: string): boolean {
  if (!existsSync(path)) return false;
  using database = new DatabaseSync(path, { timeout: 0 });
  try {
    // Only the last connection may end the log.
    return database.prepare('PRAGMA journal_mode = DELETE').get()?.journal_mode !== 'delete';
  } catch (error) {
    // Whoever opens it says what else is wrong with it.
    return isBusy(error);
  }
}

/** Brings a file to the newest version of its form, all steps or none. Throws what `readVersion` throws. */
function migrate(path: string, database: DatabaseSync, form: SqliteForm): void {
  const { applicationId, steps } = form;
  if (readVersion(path, database, form) === steps.length) return;
  // The write lock first, so that the second of two processes finds the work done.
  database.exec('BEGIN IMMEDIATE');
  try {
    const version = readVersion(path, database, form);
    for (const sql of steps.slice(version)) database.exec(sql);
    if (version < steps.length)
      database.exec(`PRAGMA user_version = ${steps.length}; PRAGMA application_id = ${applicationId}`);
    database.exec('COMMIT');
  } catch (error) {
    if (database.isTransaction) database.exec('ROLLBACK');
    throw error;
  }
}

/** The number of steps that a file has; 0 if it is empty. Throws for one of another kind, and for one of a later version. */
function readVersion(
  path: string,
  database: DatabaseSync,
  { name, applicationId, steps }: SqliteForm,
): number {
  const [id, version] = [readPragma(database, 'application_id'), readPragma(database, 'user_version')];
  const isEmpty = database.prepare('SELECT 1 FROM sqlite_schema').get() === undefined;
  if (id !== applicationId && !(id === 0 && version === 0 && isEmpty))
    throw failed(path, name, 'another database');
  if (version > steps.length)
    throw failed(
      path,
      `${name} of version ${steps.length} or lower`,
      `version ${version}, of a later version of this program`,
    );
  return version;
}

function readPragma(database: DatabaseSync, name: 'application_id' | 'user_version'): number {
  return Number(Object.values(database.prepare(`PRAGMA ${name}`).get() ?? {})[0]);
}

/** The operating system does not reuse the inode number of an open file. Null if there is no file. */
function identify(path: string): string | null {
  const stats = statSync(path, { bigint: true, throwIfNoEntry: false });
  return stats ? `${stats.dev}:${stats.ino}` : null;
}
