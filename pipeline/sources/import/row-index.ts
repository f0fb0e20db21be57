import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import { z } from 'zod';
import { CathedralError } from '../../errors.ts';
import { LEDGER_START, type LedgerPosition } from '../../ledger/log/leaf.ts';
import { IMPORT_INDEX } from '../../ledger/reading/directory.ts';

/** Changes with `SCHEMA` and with what digests cover. A file of another version is made anew from the ledger. */
const VERSION = 3;
/** Rows of the source, whether they are in their place, came late, or are left out by the mapping. */
const KIND = { inOrder: 0, late: 1, leftOut: 2 } as const;
const SCHEMA = `
  CREATE TABLE rows (
    id TEXT NOT NULL,
    place INTEGER,
    timestamp TEXT NOT NULL,
    digest BLOB,
    kind INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX rows_id ON rows (id);
  CREATE INDEX rows_place ON rows (place, kind) WHERE digest IS NOT NULL;
  CREATE TABLE links (hash BLOB PRIMARY KEY, before BLOB, id TEXT NOT NULL) STRICT;
  CREATE INDEX links_before ON links (before) WHERE before IS NOT NULL;
  CREATE TABLE state (one INTEGER PRIMARY KEY CHECK (one = 1), json TEXT NOT NULL) STRICT;
  PRAGMA user_version = ${VERSION};
`;

const State = z.object({
  /** What its rows are. */
  noun: z.enum(['row', 'event']),
  /** End of the last snapshot. */
  sealed: z.object({
    snapshot: z.string().nullable(),
    size: z.int(),
    range: z.array(z.string()),
    timestamp: z.string().nullable(),
  }),
  /** Seq of the first event that is not indexed. */
  next: z.int(),
  /** The last row in the source's order. */
  end: z.object({ id: z.string(), timestamp: z.string(), place: z.int() }).nullable(),
  /** The place after which the next audit begins. */
  audited: z.int(),
  /** What the source asked to remember. Losing it costs time, nothing else. */
  mark: z.string().nullable(),
});
type State = z.output<typeof State>;

/** Before every place. */
const BEGINNING = Number.MIN_SAFE_INTEGER;
/** Ids that are read at a time. */
const BATCH = 4096;
/** A commit is a few writes. */
const COMMIT_MS = 5000;
/** SQLITE_CORRUPT and SQLITE_NOTADB, https://www.sqlite.org/rescode.html */
const DAMAGED = [11, 26];

/** Whether an error means that the index is unreadable. */
export function isIndexDamage(error: unknown): boolean {
  const { errcode } = error as { errcode?: number };
  // The primary result code. The higher bytes only refine it.
  return errcode !== undefined && DAMAGED.includes(errcode & 0xff);
}

/** Removes a ledger's index. The next import makes it anew. */
export function removeIndex(ledger: string): void {
  for (const file of [IMPORT_INDEX, `${IMPORT_INDEX}-journal`]) rmSync(join(ledger, file), { force: true });
}

/**
 * Whether the ledger in a folder is a copy of a remote one: an import puts events of a remote ledger into it, or has begun to. Throws
 * `ledger_unreadable` where a damaged index does not tell.
 */
export function isRemoteCopy(ledger: string): boolean {
  const path = join(ledger, IMPORT_INDEX);
  if (!existsSync(path)) return false;
  // Not read-only, because SQLite has to undo what a killed import left; and an import may be committing.
  const database = new DatabaseSync(path, { timeout: COMMIT_MS });
  try {
    return readState(database).noun === 'event';
  } catch (cause) {
    const expected = 'the index of an import; the next import rebuilds a damaged one';
    const found = (cause as Error).message;
    throw new CathedralError('ledger_unreadable', { place: path, expected, found, cause });
  } finally {
    database.close();
  }
}

/** A row as the index has it. */
export interface KnownRow {
  id: string;
  /** Its own time. */
  timestamp: string;
  /** Hex SHA-256 of what it said when the import saw it last. */
  digest: string;
  /** The row came after rows that follow it. */
  late?: boolean;
  /** Its place, if the source gives it one. */
  place?: number;
  /** In a remote ledger: its hash, and that of its predecessor. */
  link?: { hash: string; before: string };
}

/** An imported row in the order of its source. All of it follows from the ledger. */
export interface RowPlace {
  id: string;
  timestamp: string;
  /** Ascends in the source's order. Number of rows up to it, without those that came late; or what the source gives its rows. */
  place: number;
}

/** What became of an imported row. */
export interface Change {
  id: string;
  /** The digest of what it says now; null: it was deleted. */
  digest: string | null;
  /** Its place, if the source gives it one. */
  place?: number | undefined;
}

/** A row that was found in the index. */
export interface Found {
  rowid: number;
  id: string;
  /** Null: it came late or was moved, and was not seen since. */
  place: number | null;
  /** Null: it was deleted. */
  digest: string | null;
  isInOrder: boolean;
  /** The mapping leaves it out. */
  isLeftOut: boolean;
}

/**
 * An index of the imported rows beside the local ledger: each row's place in the source, and a digest of what it said last. It follows from the
 * ledger: if it is lost, damaged or stale, it is made anew. One transaction spans an import and `save` commits it, so an import that fails
 * or is killed leaves the index unchanged.
 */
export class RowIndex {
  readonly #database: DatabaseSync;
  readonly #statements = new Map<string, StatementSync>();
  readonly #state: State;

  private constructor(database: DatabaseSync, state: State) {
    this.#database = database;
    this.#state = state;
  }

  /** Opens the index in a ledger's folder; empty if it is of another kind, or `fits` says that the ledger does not have its position. */
  static open(
    ledger: string,
    noun: State['noun'],
    fits: (sealed: LedgerPosition, next: number) => boolean,
  ): RowIndex {
    const path = join(ledger, IMPORT_INDEX);
    if (existsSync(path)) {
      const database = new DatabaseSync(path, { timeout: COMMIT_MS });
      try {
        database.exec('BEGIN IMMEDIATE');
        const state = readState(database);
        if (state.noun === noun && fits(state.sealed, state.next)) return new RowIndex(database, state);
      } catch {
        // Damaged, or not an index. It can be discarded without loss.
      }
      database.close();
    }
    removeIndex(ledger);
    const database = new DatabaseSync(path, { timeout: COMMIT_MS });
    const sealed = LEDGER_START as State['sealed'];
    const state: State = { noun, sealed, next: 0, end: null, audited: BEGINNING, mark: null };
    // One commit: a file without a state is none. What the rows are is known before the first of them is in the ledger.
    database.exec(`BEGIN IMMEDIATE; ${SCHEMA}`);
    writeState(database, state);
    database.exec('COMMIT; BEGIN IMMEDIATE');
    return new RowIndex(database, state);
  }

  /** End of the last snapshot that is indexed. */
  get sealed(): LedgerPosition {
    return this.#state.sealed;
  }

  /** Seq of the first event that is not indexed. */
  get next(): number {
    return this.#state.next;
  }

  /** The last imported row in the source's order; null before the first. */
  get end(): RowPlace | null {
    return this.#state.end;
  }

  /** The place after which the next audit begins. */
  get audited(): number {
    return this.#state.audited;
  }

  set audited(place: number | null) {
    this.#state.audited = place ?? BEGINNING;
  }

  get mark(): string | null {
    return this.#state.mark;
  }

  set mark(mark: string | null) {
    this.#state.mark = mark;
  }

  /** A row that became an event. `place`: of one that came late, where it is known. */
  addRow(row: KnownRow, place: number | null = null): void {
    const { id, timestamp, digest, late = false, link } = row;
    const { end } = this.#state;
    const own = late ? place : (row.place ?? (end?.place ?? 0) + 1);
    if (late) this.#run(`DELETE FROM rows WHERE id = ? AND kind = ${KIND.leftOut}`, id);
    this.#insert(id, own, timestamp, digest, late ? KIND.late : KIND.inOrder);
    if (link) this.#link(link.hash, link.before, id);
    if (!late && own !== null && own >= (end?.place ?? BEGINNING))
      this.#state.end = { id, timestamp, place: own };
  }

  /** A row that the mapping leaves out; it counts where rows are counted. */
  leaveOut(id: string, place: number, digest: string): void {
    this.#insert(id, place, '', digest, KIND.leftOut);
  }

  change({ id, digest, place }: Change): void {
    this.#run('UPDATE rows SET digest = ? WHERE id = ?', bytesOf(digest), id);
    if (place !== undefined) this.#run('UPDATE rows SET place = ? WHERE id = ?', place, id);
    if (digest !== null && this.#state.noun === 'event') this.#link(digest, null, id);
  }

  /** A row was found elsewhere. */
  move({ rowid, isLeftOut }: Found, place: number): void {
    const kind = isLeftOut ? KIND.leftOut : KIND.late;
    this.#run('UPDATE rows SET place = ?, kind = ? WHERE rowid = ?', place, kind, rowid);
  }

  /** A row is no longer where it was, and nobody knows yet where it is. */
  unplace({ rowid }: Found): void {
    this.#run(`UPDATE rows SET place = NULL, kind = ${KIND.late} WHERE rowid = ?`, rowid);
  }

  /** An imported row is now after the last one. `timestamp`: empty for a row that is no event any more. */
  moveToEnd({ rowid, id }: Found, timestamp: string): void {
    const place = (this.#state.end?.place ?? 0) + 1;
    const row = this.#get(
      `UPDATE rows SET place = ?, timestamp = coalesce(nullif(?, ''), timestamp), kind = ${KIND.inOrder} WHERE rowid = ? RETURNING timestamp`,
      place,
      timestamp,
      rowid,
    );
    this.#state.end = { id, timestamp: row!.timestamp as string, place };
  }

  /** Forgets a row that was left out. */
  forget({ rowid }: Found): void {
    this.#run('DELETE FROM rows WHERE rowid = ?', rowid);
  }

  /** The row with this id; of several, the newest. */
  row(id: string): Found | null {
    const row = this.#get('SELECT rowid, * FROM rows WHERE id = ? ORDER BY rowid DESC LIMIT 1', id);
    return row ? foundOf(row) : null;
  }

  /** Row id → row, of those that the source should have in a stretch. */
  between(after: RowPlace | null, until: RowPlace): Map<string, Found> {
    const rows = this.#prepare(`SELECT rowid, * FROM rows WHERE ${LIVE} AND place <= ? ORDER BY place`).all(
      after?.place ?? BEGINNING,
      until.place,
    );
    return new Map(rows.map((row) => [row.id as string, foundOf(row)]));
  }

  /** Number of rows that the source should have in a stretch; without one, in all. */
  count(after: RowPlace | null = null, until?: number): number {
    const values = [after?.place ?? BEGINNING, until ?? Number.MAX_SAFE_INTEGER];
    return this.#get(`SELECT count(*) AS count FROM rows WHERE ${LIVE} AND place <= ?`, ...values)!
      .count as number;
  }

  /** The last row in its place up to a place; null where the first one comes after it. */
  lastUpTo(place: number): RowPlace | null {
    return this.#place('place <= ?', place, 'DESC');
  }

  /** The row in its place with which a window ends that begins after a place; null if fewer rows follow. */
  windowEnd(after: RowPlace | null, rows: number): RowPlace | null {
    return this.#place('place > ?', after?.place ?? BEGINNING, '', rows - 1);
  }

  /** Ids of the rows up to a place, from the newest, in parts. */
  *idsUpTo({ place }: RowPlace): Generator<string[]> {
    const sql = `SELECT id, place FROM rows WHERE place <= ? AND kind = ${KIND.inOrder} AND digest IS NOT NULL ORDER BY place DESC LIMIT ${BATCH}`;
    for (let until = place; ; ) {
      const rows = this.#prepare(sql).all(until);
      if (rows.length === 0) return;
      yield rows.map(({ id }) => id as string);
      until = (rows.at(-1)!.place as number) - 1;
    }
  }

  /** The id of the row that has or had this hash. */
  withHash(hash: string): string | null {
    return this.#idOf('hash = ?', hash);
  }

  /** The id of the first row that named this hash as its predecessor. */
  firstAfter(hash: string): string | null {
    return this.#idOf('before = ?', hash);
  }

  /** Commits what the ledger holds, for the next import. */
  save({ snapshot, size, range, timestamp }: LedgerPosition, next: number): void {
    const state = { ...this.#state, next, sealed: { snapshot, size, range, timestamp } };
    writeState(this.#database, state);
    this.#database.exec('COMMIT');
  }

  /** Discards all changes since the last `save`. */
  close(): void {
    this.#database.close();
  }

  #insert(id: string, place: number | null, timestamp: string, digest: string, kind: number): void {
    this.#run('INSERT INTO rows VALUES (?, ?, ?, ?, ?)', id, place, timestamp, bytesOf(digest), kind);
  }

  #link(hash: string, before: string | null, id: string): void {
    this.#run('INSERT OR IGNORE INTO links VALUES (?, ?, ?)', bytesOf(hash), bytesOf(before), id);
  }

  #idOf(condition: string, hash: string): string | null {
    const row = this.#get(`SELECT id FROM links WHERE ${condition} ORDER BY rowid LIMIT 1`, bytesOf(hash));
    return (row?.id as string | undefined) ?? null;
  }

  #place(condition: string, value: number, order: 'DESC' | '', offset = 0): RowPlace | null {
    const sql = `SELECT id, timestamp, place FROM rows WHERE ${condition} AND kind = ${KIND.inOrder} AND digest IS NOT NULL ORDER BY place ${order} LIMIT 1 OFFSET ?`;
    return (this.#get(sql, value, offset) as RowPlace | undefined) ?? null;
  }

  #run(sql: string, ...values: SQLInputValue[]): void {
    this.#prepare(sql).run(...values);
  }

  #get(sql: string, ...values: SQLInputValue[]) {
    return this.#prepare(sql).get(...values);
  }

  #prepare(sql: string): StatementSync {
    return this.#statements.getOrInsertComputed(sql, () => this.#database.prepare(sql));
  }
}

const LIVE = 'digest IS NOT NULL AND place > ?';

/** Throws for a file that is no index of this version. */
function readState(database: DatabaseSync): State {
  const { user_version } = database.prepare('PRAGMA user_version').get()!;
  if (user_version !== VERSION) throw new Error(`an index of version ${user_version}`);
  return State.parse(JSON.parse(`${database.prepare('SELECT json FROM state').get()?.json}`));
}

function writeState(database: DatabaseSync, state: State): void {
  database.prepare('INSERT OR REPLACE INTO state VALUES (1, ?)').run(JSON.stringify(state));
}

function foundOf({ rowid, id, place, digest, kind }: Record<string, unknown>): Found {
  return {
    rowid: rowid as number,
    id: id as string,
    place: place as number | null,
    digest: digest === null ? null : Buffer.from(digest as Uint8Array).toString('hex'),
    isInOrder: kind === KIND.inOrder,
    isLeftOut: kind === KIND.leftOut,
  };
}

function bytesOf(hex: string): Buffer;
function bytesOf(hex: string | null): Buffer | null;
function bytesOf(hex: string | null): Buffer | null {
  return hex === null ? null : Buffer.from(hex, 'hex');
}
