import { hash } from 'node:crypto';
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { z } from 'zod';
import type { LedgerEvent } from '../../ledger/events/event.ts';
import { LEDGER_START, type LedgerPosition } from '../../ledger/log/leaf.ts';
import { IMPORT_INDEXES } from '../../ledger/reading/directory.ts';
import { type ImportedRow, importedRow } from './imported-row.ts';
import type { RowPlace, Stretch } from './source.ts';

/** Changes with `SCHEMA`. A file of another version is rebuilt from the ledger. */
const VERSION = 1;
const SCHEMA = `
  CREATE TABLE block (
    n INTEGER PRIMARY KEY,
    first_seq INTEGER NOT NULL,
    last_seq INTEGER NOT NULL,
    until_id TEXT NOT NULL,
    until_timestamp TEXT NOT NULL,
    until_count INTEGER NOT NULL,
    rows INTEGER NOT NULL,
    digest TEXT NOT NULL
  ) STRICT;
  CREATE TABLE tail (seq INTEGER PRIMARY KEY, id TEXT NOT NULL, timestamp TEXT NOT NULL, text TEXT NOT NULL) STRICT;
  CREATE TABLE exception (id TEXT PRIMARY KEY, sha256 TEXT, block INTEGER, late INTEGER NOT NULL) STRICT;
  CREATE INDEX exception_block ON exception (block);
  CREATE TABLE state (one INTEGER PRIMARY KEY CHECK (one = 1), json TEXT NOT NULL) STRICT;
  PRAGMA user_version = ${VERSION};
`;

const Position = z.object({
  snapshot: z.string().nullable(),
  size: z.int(),
  range: z.array(z.string()),
  timestamp: z.string().nullable(),
});
const State = z.object({
  /** End of the last snapshot. */
  sealed: Position,
  /** Seq of the first event that is not indexed. */
  next: z.int(),
  /** Number of the block with which the next audit begins. */
  audited: z.int(),
  /** What the source asked to remember. Losing it costs time, nothing else. */
  mark: z.string().nullable(),
});
type State = z.output<typeof State>;

const FILE = IMPORT_INDEXES.rows;
/** The names of the index in the ledger's folder. */
const ROW_INDEX_FILES = [FILE, `${FILE}-journal`] as const;
/** Rows in a block: an audit of one reads some hundred kB. */
const BLOCK_ROWS = 4096;
/** Characters of a block, so that one of long rows fits in memory. */
const BLOCK_LENGTH = 4 * 1024 * 1024;
/** SQLITE_CORRUPT and SQLITE_NOTADB, https://www.sqlite.org/rescode.html */
const DAMAGED = [11, 26];

/** Whether an error means that the index is unreadable. */
export function isIndexDamage(error: unknown): boolean {
  const { errcode } = error as { errcode?: number };
  // The primary result code. The higher bytes only refine it.
  return errcode !== undefined && DAMAGED.includes(errcode & 0xff);
}

/** Removes a ledger's index. The next import rebuilds it. */
export function removeIndex(ledger: string): void {
  for (const name of ROW_INDEX_FILES) rmSync(join(ledger, name), { force: true });
}

/** Consecutive rows in the source's order, without those that came late. */
export interface Block extends Stretch {
  /** Its number; `TAIL` for the rows after the last whole block. */
  n: number;
  /** Number of rows that the source has between its ends: when the two were compared last, or of which it was made. */
  rows: number;
  /** SHA-256 of their texts; null for the tail, of which the index has every row. */
  digest: string | null;
  firstSeq: number;
  lastSeq: number;
}

export const TAIL = -1;

/** A row that is not as a block has it: it came late, or was changed or deleted later. */
export interface Exception {
  id: string;
  /** SHA-256 of its text when the import saw it last; null: it was deleted. */
  sha256: string | null;
  /** The block between whose rows it is; null: not known yet. */
  block: number | null;
  late: boolean;
}

/** A change of imported rows, as an alert in the ledger lists it. */
export const Change = z.object({
  row: z.string(),
  change: z.enum(['modified', 'deleted']),
  /** SHA-256 of the row's text after the change. */
  sha256: z.string().optional(),
});
export type Change = z.output<typeof Change>;
const Changes = z.array(Change);

export function textDigest(text: string): string {
  return hash('sha256', text, 'hex');
}

/** Digest of a block's rows. */
export function blockDigest(texts: readonly string[]): string {
  return textDigest(texts.join('\n'));
}

/**
 * An index of the imported rows beside the local ledger: for some thousand rows each, where they begin and end, their number and a digest;
 * for the newest rows and for exceptions, each row. It follows from the ledger: if it is lost, damaged or stale, it is rebuilt. One
 * transaction spans an import and `save` commits it, so an import that fails or is killed leaves the index unchanged.
 */
export class RowIndex {
  readonly #database: DatabaseSync;
  readonly #statements = new Map<string, StatementSync>();
  #state: State;
  #blocks: number;
  /** The end of the last whole block. */
  #until: RowPlace | null;
  /** The rows after the last whole block. */
  #tail: (ImportedRow & { seq: number })[];
  #tailLength: number;
  /** Rows of `#tail` that the file has. */
  #stored: number;
  #exceptions: number;

  private constructor(database: DatabaseSync, state: State) {
    this.#database = database;
    this.#state = state;
    this.#blocks = this.#get('SELECT count(*) AS count FROM block').count as number;
    this.#until = this.#blocks === 0 ? null : this.block(this.#blocks - 1).until;
    const tail = this.#prepare('SELECT seq, id, timestamp, text FROM tail ORDER BY seq').all();
    this.#tail = (tail as unknown as (ImportedRow & { seq: number })[]).map((row) => ({
      ...row,
      late: false,
    }));
    this.#tailLength = this.#tail.reduce((length, { text }) => length + text.length, 0);
    this.#stored = this.#tail.length;
    this.#exceptions = this.#get('SELECT count(*) AS count FROM exception').count as number;
  }

  /** Opens the index in a ledger's folder; empty if `fits` says that the ledger does not have its position. */
  static open(ledger: string, fits: (sealed: LedgerPosition, next: number) => boolean): RowIndex {
    return RowIndex.#resume(join(ledger, FILE), fits) ?? RowIndex.#begin(ledger);
  }

  static #resume(
    path: string,
    fits: (sealed: LedgerPosition, next: number) => boolean,
  ): RowIndex | undefined {
    if (!existsSync(path)) return undefined;
    const database = new DatabaseSync(path);
    try {
      database.exec('BEGIN IMMEDIATE');
      const { user_version } = database.prepare('PRAGMA user_version').get()!;
      const state = State.parse(JSON.parse(`${database.prepare('SELECT json FROM state').get()?.json}`));
      if (user_version === VERSION && fits(state.sealed, state.next)) return new RowIndex(database, state);
    } catch {
      // Damaged, or not an index. It can be discarded without loss.
    }
    database.close();
    return undefined;
  }

  static #begin(ledger: string): RowIndex {
    removeIndex(ledger);
    const database = new DatabaseSync(join(ledger, FILE));
    database.exec(SCHEMA);
    database.exec('BEGIN IMMEDIATE');
    return new RowIndex(database, { sealed: LEDGER_START, next: 0, audited: 0, mark: null });
  }

  get sealed(): LedgerPosition {
    return this.#state.sealed;
  }

  get next(): number {
    return this.#state.next;
  }

  /** Number of whole blocks. */
  get blocks(): number {
    return this.#blocks;
  }

  /** Number of the block with which the audit resumes. */
  get audited(): number {
    return this.#state.audited < this.#blocks ? this.#state.audited : 0;
  }

  set audited(n: number) {
    this.#state.audited = n;
  }

  get mark(): string | null {
    return this.#state.mark;
  }

  set mark(mark: string | null) {
    this.#state.mark = mark;
  }

  /** The last imported row in the source's order; null before the first. */
  get end(): RowPlace | null {
    const last = this.#tail.at(-1);
    if (!last) return this.#until;
    return { id: last.id, timestamp: last.timestamp, count: (this.#until?.count ?? 0) + this.#tail.length };
  }

  get hasExceptions(): boolean {
    return this.#exceptions > 0;
  }

  /** The next event of the ledger. Ignores those that no import wrote. */
  add(event: LedgerEvent): void {
    this.#state.next = event.seq + 1;
    const row = importedRow(event);
    if (row) this.addRow(event.seq, row);
    const changes = event.type === 'alert_raised' ? Changes.safeParse(event.data.changes) : null;
    if (changes?.success) for (const change of changes.data) this.addChange(change);
  }

  /** The row that the next event was made of. */
  addRow(seq: number, row: ImportedRow, block: number | null = null): void {
    this.#state.next = seq + 1;
    if (row.late) {
      this.#except({ id: row.id, sha256: textDigest(row.text), block, late: true });
      return;
    }
    this.#tail.push({ ...row, seq });
    this.#tailLength += row.text.length;
    if (this.#tail.length >= BLOCK_ROWS || this.#tailLength >= BLOCK_LENGTH) this.#closeBlock();
  }

  addChange({ row, sha256 }: Change, block: number | null = null): void {
    const before = this.exception(row);
    const late = before?.late ?? false;
    this.#except({ id: row, sha256: sha256 ?? null, block: block ?? before?.block ?? null, late });
  }

  /** Notes between which rows an exception is. */
  place(id: string, block: number): void {
    this.#prepare('UPDATE exception SET block = ? WHERE id = ?').run(block, id);
  }

  /** Sets the number of rows of a block that was compared. */
  expect(n: number, rows: number): void {
    this.#prepare('UPDATE block SET rows = ? WHERE n = ?').run(rows, n);
  }

  exception(id: string): Exception | undefined {
    if (this.#exceptions === 0) return undefined;
    const row = this.#prepare('SELECT * FROM exception WHERE id = ?').get(id);
    return row && exceptionOf(row);
  }

  exceptionsOf(block: number): Exception[] {
    if (this.#exceptions === 0) return [];
    return this.#prepare('SELECT * FROM exception WHERE block = ?').all(block).map(exceptionOf);
  }

  block(n: number): Block {
    const row = this.#get('SELECT * FROM block WHERE n = ?', n);
    const before = n === 0 ? null : this.#get('SELECT * FROM block WHERE n = ?', n - 1);
    return {
      n,
      rows: row.rows as number,
      digest: row.digest as string,
      firstSeq: row.first_seq as number,
      lastSeq: row.last_seq as number,
      after: before && placeOf(before),
      until: placeOf(row),
    };
  }

  /** The rows after the last whole block; null if there are none. */
  get tail(): Block | null {
    const [first] = this.#tail;
    if (!first) return null;
    return {
      n: TAIL,
      rows: this.#tail.length,
      digest: null,
      firstSeq: first.seq,
      lastSeq: this.#tail.at(-1)!.seq,
      after: this.#until,
      until: this.end!,
    };
  }

  /** Row id → text. */
  get tailRows(): Map<string, string> {
    return new Map(this.#tail.map(({ id, text }) => [id, text]));
  }

  /** Commits what the ledger holds, for the next import. */
  save(sealed: LedgerPosition): void {
    const { snapshot, size, range, timestamp } = sealed;
    this.#state.sealed = { snapshot, size, range, timestamp };
    const insert = this.#prepare('INSERT INTO tail VALUES (?, ?, ?, ?)');
    for (const { seq, id, timestamp: own, text } of this.#tail.slice(this.#stored))
      insert.run(seq, id, own, text);
    this.#prepare('INSERT OR REPLACE INTO state VALUES (1, ?)').run(JSON.stringify(this.#state));
    this.#database.exec('COMMIT');
  }

  /** Discards all changes since the last `save`. */
  close(): void {
    this.#database.close();
  }

  #except({ id, sha256, block, late }: Exception): void {
    this.#prepare('INSERT OR REPLACE INTO exception VALUES (?, ?, ?, ?)').run(
      id,
      sha256,
      block,
      late ? 1 : 0,
    );
    this.#exceptions += 1;
  }

  #closeBlock(): void {
    const { firstSeq, lastSeq, until, rows } = this.tail!;
    const digest = blockDigest(this.#tail.map(({ text }) => text));
    this.#prepare('INSERT INTO block VALUES (?, ?, ?, ?, ?, ?, ?, ?)').run(
      this.#blocks,
      firstSeq,
      lastSeq,
      until.id,
      until.timestamp,
      until.count,
      rows,
      digest,
    );
    // What was found among the rows of the tail is in this block now.
    this.#prepare('UPDATE exception SET block = ? WHERE block = ?').run(this.#blocks, TAIL);
    if (this.#stored > 0) this.#database.exec('DELETE FROM tail');
    this.#blocks += 1;
    this.#until = until;
    this.#tail = [];
    this.#tailLength = 0;
    this.#stored = 0;
  }

  #get(sql: string, ...values: number[]) {
    return this.#prepare(sql).get(...values)!;
  }

  #prepare(sql: string): StatementSync {
    return this.#statements.getOrInsertComputed(sql, () => this.#database.prepare(sql));
  }
}

function placeOf(row: Record<string, unknown>): RowPlace {
  const { until_id: id, until_timestamp: timestamp, until_count: count } = row;
  return { id, timestamp, count } as RowPlace;
}

function exceptionOf(row: Record<string, unknown>): Exception {
  return { ...(row as unknown as Exception), late: row.late === 1 };
}
