import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync, type SQLTagStore } from 'node:sqlite';
import { z } from 'zod';
import { CathedralError } from '../../errors.ts';
import type { EventWarning } from '../../ledger/events/draft.ts';
import type { LedgerEvent } from '../../ledger/events/event.ts';
import { LookAlikes } from '../../ledger/events/look-alikes.ts';
import { compareTimestamps } from '../../ledger/events/timestamp.ts';
import { LEDGER_START, type LedgerPosition } from '../../ledger/log/leaf.ts';
import type { Verifier } from '../../ledger/notes/note.ts';
import { IMPORT_INDEX, openDirectory, snapshotFile } from '../../ledger/reading/directory.ts';
import { readHeadLines } from '../../ledger/reading/head.ts';
import { isSealedAt } from '../../ledger/reading/read-checkpoint.ts';
import { readSnapshots } from '../../ledger/reading/read-snapshot.ts';
import { Position } from '../../ledger/writing/sealed-position.ts';

/** Changes with `SCHEMA` and with what digests cover. A file of another version is made anew from the ledger. */
const VERSION = 7;
/**
 * A row without a digest was deleted: `last` is the one that it had. `links` are those of the events of a remote ledger; `names` has the names of
 * the ledger, by what they look like.
 */
const SCHEMA = `
  CREATE TABLE rows (id TEXT PRIMARY KEY, seq INTEGER NOT NULL, digest BLOB, last BLOB) STRICT, WITHOUT ROWID;
  CREATE TABLE links (hash BLOB PRIMARY KEY, before BLOB, id TEXT NOT NULL) STRICT;
  CREATE INDEX links_before ON links (before) WHERE before IS NOT NULL;
  CREATE TABLE names (key TEXT PRIMARY KEY, name TEXT NOT NULL, place TEXT NOT NULL) STRICT, WITHOUT ROWID;
  CREATE TABLE state (one INTEGER PRIMARY KEY CHECK (one = 1), json TEXT NOT NULL) STRICT;
  PRAGMA user_version = ${VERSION};
`;

const State = z.object({
  /** What its rows are. */
  noun: z.enum(['row', 'event']),
  /** End of the last snapshot. */
  sealed: Position,
  /** Seq of the first event that is not indexed. */
  next: z.int(),
  /** The last row in the source's order. */
  end: z.object({ id: z.string(), timestamp: z.string() }).nullable(),
  /** What the source asked to remember. Losing it costs time, nothing else. */
  mark: z.unknown().optional(),
  /** Kind → warnings that were told. */
  told: z.record(z.string(), z.array(z.string())),
});
type State = z.output<typeof State>;

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
  using database = new DatabaseSync(path, { timeout: COMMIT_MS });
  try {
    return readState(database).noun === 'event';
  } catch (cause) {
    const expected = 'the index of an import; the next import rebuilds a damaged one';
    const found = (cause as Error).message;
    throw new CathedralError('ledger_unreadable', { place: path, expected, found, cause });
  }
}

/** Warnings of each kind that are told: the first of a million rows say what is wrong. */
const MOST_TOLD = 20;

/** What is known of a row, also by the event that it became. */
export interface KnownRow {
  id: string;
  /** Its own time, in the ledger's form in UTC. */
  timestamp: string;
  /** Hex SHA-256 of all that it says. */
  digest: string;
  /** In a remote ledger: its hash, and that of its predecessor. */
  link?: { hash: string; before: string };
}

/** What became of an imported row. */
export interface Change {
  id: string;
  /** The digest of what it says now; null: it was deleted. */
  digest: string | null;
}

/** A row that was found in the index. */
export interface Found extends Change {
  /** Of a deleted row, the digest of what it said last. */
  last: string | null;
  /** Of its event. */
  seq: number;
}

/**
 * An index of the imported rows beside the local ledger, with a digest of what each said last. It follows from the ledger: if it is lost,
 * damaged or stale, it is made anew. One transaction spans an import and `save` commits it, so an import that fails or is killed leaves
 * the index unchanged.
 */
export class RowIndex implements Disposable {
  readonly #database: DatabaseSync;
  /** Prepares each statement once. */
  readonly #sql: SQLTagStore;
  readonly #state: State;
  #names: LookAlikes | undefined;

  private constructor(database: DatabaseSync, state: State) {
    this.#database = database;
    this.#sql = database.createTagStore();
    this.#state = state;
    database.exec('CREATE TEMP TABLE seen (id TEXT PRIMARY KEY) STRICT, WITHOUT ROWID');
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
    const state: State = { noun, sealed: LEDGER_START, next: 0, end: null, mark: null, told: {} };
    // One commit: a file without a state is none. What the rows are is known before the first of them is in the ledger.
    database.exec(`BEGIN IMMEDIATE; ${SCHEMA}`);
    writeState(database, state);
    database.exec('COMMIT; BEGIN IMMEDIATE');
    return new RowIndex(database, state);
  }

  /** `mark` may be set; `end` is by `reach`, the others by `save`. */
  get state(): Pick<State, 'mark'> & Readonly<State> {
    return this.#state;
  }

  /** The names of the ledger. */
  get names(): LookAlikes {
    this.#names ??= new LookAlikes(
      this.#sql.all`SELECT * FROM names`.map((row) => [
        `${row.key}`,
        { name: `${row.name}`, place: `${row.place}` },
      ]),
      (key, { name, place }) => this.#sql.run`INSERT INTO names VALUES (${key}, ${name}, ${place})`,
    );
    return this.#names;
  }

  /** Notes that a warning is told. False: it was before, or enough others of its kind were. */
  tell({ kind, expected }: EventWarning): boolean {
    this.#state.told[kind] ??= [];
    const told = this.#state.told[kind];
    if (told.length >= MOST_TOLD || told.includes(expected)) return false;
    told.push(expected);
    return true;
  }

  /** Adds a row that became the event `seq`; `late`: after rows that follow it. False: a row with its id is known and was not deleted. */
  add({ id, timestamp, digest, link }: KnownRow, seq: number, late: boolean): boolean {
    const { changes } = this.#sql.run`INSERT INTO rows VALUES (${id}, ${seq}, unhex(${digest}), NULL)
      ON CONFLICT DO UPDATE SET seq = excluded.seq, digest = excluded.digest, last = NULL WHERE digest IS NULL`;
    if (changes === 0) return false;
    if (link) this.#link(link.hash, link.before, id);
    if (!late) this.reach(id, timestamp);
    return true;
  }

  /** A row is the last one in the source's order. Remote events have the order of their times. */
  reach(id: string, timestamp: string): void {
    const { end, noun } = this.#state;
    if (noun === 'row' || end === null || compareTimestamps(timestamp, end.timestamp) >= 0)
      this.#state.end = { id, timestamp };
  }

  change({ id, digest }: Change): void {
    if (digest === null)
      this.#sql.run`UPDATE rows SET digest = NULL, last = digest WHERE id = ${id} AND digest IS NOT NULL`;
    else this.#sql.run`UPDATE rows SET digest = unhex(${digest}), last = NULL WHERE id = ${id}`;
    if (digest !== null && this.#state.noun === 'event') this.#link(digest, null, id);
  }

  row(id: string): Found | null {
    return foundOf(this.#sql.get`SELECT * FROM rows WHERE id = ${id}`);
  }

  /** Number of imported rows that the source should have. */
  count(): number {
    return this.#sql.get`SELECT count(*) AS count FROM rows WHERE digest IS NOT NULL`!.count as number;
  }

  /** Notes that the source has a row. False: that was noted before. */
  see(id: string): boolean {
    return this.#sql.run`INSERT OR IGNORE INTO seen VALUES (${id})`.changes > 0;
  }

  /** The rows that the source should have and `see` was not told of, at most so many, newest first. */
  unseen(most: number): Found[] {
    const rows = this.#sql.all`SELECT * FROM rows
      WHERE digest IS NOT NULL AND id NOT IN (SELECT id FROM seen) ORDER BY seq DESC LIMIT ${most}`;
    return rows.map((row) => foundOf(row)!);
  }

  /** The id of the row that has or had this hash. */
  withHash(hash: string): string | null {
    return idOf(this.#sql.get`SELECT id FROM links WHERE hash = unhex(${hash})`);
  }

  /** The id of the first row that named this hash as its predecessor. */
  firstAfter(hash: string): string | null {
    return idOf(this.#sql.get`SELECT id FROM links WHERE before = unhex(${hash}) ORDER BY rowid LIMIT 1`);
  }

  /** Commits what the ledger holds, for the next import. */
  save(sealed: LedgerPosition, next: number): void {
    writeState(this.#database, { ...this.#state, next, sealed });
    this.#database.exec('COMMIT');
  }

  /** Discards all changes since the last `save`. */
  [Symbol.dispose](): void {
    this.#database.close();
  }

  #link(hash: string, before: string | null, id: string): void {
    this.#sql.run`INSERT OR IGNORE INTO links VALUES (unhex(${hash}), unhex(${before}), ${id})`;
  }
}

function idOf(row: Record<string, unknown> | undefined): string | null {
  return (row?.id as string | undefined) ?? null;
}

/** Throws for a file that is no index of this version. */
function readState(database: DatabaseSync): State {
  const { user_version } = database.prepare('PRAGMA user_version').get()!;
  if (user_version !== VERSION) throw new Error(`an index of version ${user_version}`);
  return State.parse(JSON.parse(`${database.prepare('SELECT json FROM state').get()?.json}`));
}

function writeState(database: DatabaseSync, state: State): void {
  database.prepare('INSERT OR REPLACE INTO state VALUES (1, ?)').run(JSON.stringify(state));
}

function foundOf(row: Record<string, unknown> | undefined): Found | null {
  if (!row) return null;
  const { id, seq, digest, last } = row as Record<'digest' | 'last', Uint8Array | null> &
    Pick<Found, 'id' | 'seq'>;
  return { id, seq, digest: digest?.toHex() ?? null, last: last?.toHex() ?? null };
}

/** How the events of a ledger tell which rows were imported. */
export interface IndexedForm {
  /** What messages call a row. */
  noun: 'row' | 'event';
  /** What alerts call the id of a row, and the digest of what it says after a change. */
  names: { id: string; digest: string };
  /**
   * The row that an event was made of, and whether it came after rows that follow it; null for any other event. Throws `import_failed` for an
   * event of another ledger.
   */
  rowOf(event: LedgerEvent): (KnownRow & { late?: boolean }) | null;
}

/** A change as an alert lists it. `row`: as it is now; null: it was deleted. */
export function listedChange(
  { id, digest, row }: Change & { row: KnownRow | null },
  names: IndexedForm['names'],
): Record<string, unknown> {
  if (row === null) return { [names.id]: id, change: 'deleted' };
  const { link, timestamp } = row;
  const remote = link && { previous_hash: link.before, timestamp };
  return { [names.id]: id, change: 'modified', [names.digest]: digest, ...remote };
}

const Listed = z.array(z.record(z.string(), z.string()));

/** The changes that an alert lists. */
function changesIn({ type, data }: LedgerEvent, names: IndexedForm['names']): Change[] {
  const changes = type === 'alert_raised' ? Listed.safeParse(data.changes).data : undefined;
  return (changes ?? []).map((one) => ({ id: one[names.id] ?? '', digest: one[names.digest] ?? null }));
}

/**
 * The index of the imported rows of a ledger of `size` events; reads the events that it lacks. Throws the errors of reading a ledger, and what
 * `rowOf` throws.
 */
export async function openIndex(
  directory: string,
  size: number,
  verifiers: readonly Verifier[],
  form: IndexedForm,
): Promise<RowIndex> {
  const ledger = openDirectory(directory);
  const index = RowIndex.open(
    directory,
    form.noun,
    (sealed, next) =>
      next <= size &&
      (sealed.snapshot === null
        ? sealed.size === 0
        : isSealedAt(snapshotFile(directory, sealed.snapshot), sealed, verifiers)),
  );
  const add = (event: LedgerEvent) => {
    index.names.of(event, `event ${event.seq}`);
    const row = form.rowOf(event);
    if (row) index.add(row, event.seq, row.late ?? false);
    else for (const change of changesIn(event, form.names)) index.change(change);
  };
  try {
    let { next } = index.state;
    const files = await ledger.snapshots(index.state.sealed.snapshot);
    for await (const { leaves, end } of readSnapshots(files, index.state.sealed, verifiers)) {
      for (const { event } of leaves ?? []) if (event.seq >= next) add(event);
      next = Math.max(next, end?.position.size ?? 0);
    }
    for await (const lines of readHeadLines(ledger, next)) for (const { event } of lines) add(event);
    return index;
  } catch (error) {
    index[Symbol.dispose]();
    throw error;
  }
}
