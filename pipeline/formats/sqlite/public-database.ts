import { open } from 'node:fs/promises';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { asDiskErrors } from '../../disk/durable.ts';
import { CathedralError } from '../../errors.ts';
import type { Row } from '../columns.ts';
import { type Table, timeColumn } from '../tables.ts';
import { insertInto, META_ROWS, SQLITE_SCHEMA, toSqlite } from './sqlite-schema.ts';

/** `CATH`, by which `file` and other programs recognise databases of this kind. */
const APPLICATION_ID = 0x43415448;
/** Offsets of the change counters in the file's header (SQLite file format, 1.3.3 and 1.3.10). */
const CHANGE_COUNTERS = [24, 92];

/**
 * An SQLite file whose rows are only ever appended: the same rows in the same order give the same bytes, whether one run
 * wrote them or several. It needs no journal, since a run that fails discards the whole file.
 */
export class PublicDatabase {
  readonly #path: string;
  readonly #database: DatabaseSync;
  readonly #inserts = new Map<string, StatementSync>();

  /** Opens a database, or makes one without rows from an empty file. */
  constructor(path: string) {
    this.#path = path;
    this.#database = new DatabaseSync(path, { enableForeignKeyConstraints: false });
    for (const setting of [
      'journal_mode = OFF',
      'synchronous = OFF',
      'secure_delete = ON',
      'cache_size = -32768',
    ])
      this.#database.exec(`PRAGMA ${setting}`);
    const isNew = this.#database.prepare('PRAGMA application_id').get()!.application_id !== APPLICATION_ID;
    this.#database.exec('BEGIN EXCLUSIVE');
    if (!isNew) return;
    this.#database.exec(`PRAGMA application_id = ${APPLICATION_ID}`);
    for (const statement of SQLITE_SCHEMA) this.#database.exec(statement);
  }

  /** Rows so far; none is ever removed. */
  count({ name }: Table): number {
    return Number(this.#database.prepare(`SELECT max(rowid) AS rows FROM "${name}"`).get()!.rows ?? 0);
  }

  insert(table: Table, rows: readonly Row[]): void {
    const { name, allColumns: columns } = table;
    const statement = this.#inserts.get(name) ?? this.#database.prepare(insertInto(table));
    this.#inserts.set(name, statement);
    for (const row of rows) {
      try {
        statement.run(...row.map((value, index) => toSqlite(value, columns[index]!.type)));
      } catch (cause) {
        throw new CathedralError('publish_failed', {
          place: `${this.#path}, table ${name}`,
          expected: 'a row that fits the table',
          found: `${(cause as Error).message}: ${JSON.stringify(row).slice(0, 200)}`,
          cause,
        });
      }
    }
  }

  /** Inserts the days before `end` (all if it is null) in order: each day's rows, table by table. */
  async insertDays(cursors: readonly DayCursor[], end: string | null): Promise<void> {
    for (;;) {
      const days = await Promise.all(cursors.map((cursor) => cursor.day()));
      const day = days.filter((one) => one !== null).sort()[0];
      if (day === undefined || (end !== null && day >= end)) return;
      for (const cursor of cursors) {
        while ((await cursor.day()) === day) this.insert(cursor.table, cursor.take(day));
      }
    }
  }

  /** Fills the tables that describe the database from within. */
  describe(about: Readonly<Record<string, string>>): void {
    const meta = this.#database.prepare(`INSERT INTO "_meta" VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`);
    for (const row of META_ROWS) meta.run(...row);
    const insert = this.#database.prepare('INSERT INTO "_about" VALUES (?, ?)');
    for (const entry of Object.entries(about)) insert.run(...entry);
  }

  /** Sets the change counters to 1, since they would reveal how many runs wrote the file. */
  async close(): Promise<void> {
    this.#database.exec('COMMIT');
    this.#database.close();
    await asDiskErrors(this.#path, async () => {
      const handle = await open(this.#path, 'r+');
      try {
        for (const at of CHANGE_COUNTERS) await handle.write(Buffer.of(0, 0, 0, 1), 0, 4, at);
      } finally {
        await handle.close();
      }
    });
  }
}

/** Columns of texts, each in the order of the rows. */
export function readColumns<const Columns extends readonly (readonly [table: string, column: string])[]>(
  path: string,
  columns: Columns,
): { [Index in keyof Columns]: string[] } {
  const database = new DatabaseSync(path, { readOnly: true });
  try {
    return columns.map(([table, column]) => {
      const rows = database.prepare(`SELECT "${column}" AS text FROM "${table}" ORDER BY rowid`).all();
      return rows.map(({ text }) => text as string);
    }) as { [Index in keyof Columns]: string[] };
  } finally {
    database.close();
  }
}

/** Whether any of the tables has a next row of an earlier day. */
export async function hasDayBefore(cursors: readonly DayCursor[], end: string): Promise<boolean> {
  const days = await Promise.all(cursors.map((cursor) => cursor.day()));
  return days.some((day) => day !== null && day < end);
}

/** Reads the rows of a growing table one day at a time. */
export class DayCursor {
  readonly table: Table;
  readonly #batches: AsyncIterator<Row[]>;
  readonly #column: number;
  #batch: readonly Row[] = [];
  #at = 0;

  constructor(table: Table, batches: AsyncIterator<Row[]>) {
    this.table = table;
    this.#batches = batches;
    this.#column = timeColumn(table);
  }

  /** The day of the next row; null at the end. */
  async day(): Promise<string | null> {
    while (this.#at === this.#batch.length) {
      const { value, done } = await this.#batches.next();
      if (done) return null;
      this.#batch = value;
      this.#at = 0;
    }
    return this.#dayAt(this.#at);
  }

  /** The rows of that day in the current batch; the next batch may have more. */
  take(day: string): readonly Row[] {
    const begin = this.#at;
    while (this.#at < this.#batch.length && this.#dayAt(this.#at) === day) this.#at += 1;
    return this.#batch.slice(begin, this.#at);
  }

  #dayAt(index: number): string {
    return (this.#batch[index]![this.#column] as string).slice(0, 10);
  }
}
