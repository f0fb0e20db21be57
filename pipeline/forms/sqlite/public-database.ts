import { open } from 'node:fs/promises';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { CathedralError } from '../../errors.ts';
import type { Row } from '../row.ts';
import type { Table } from '../tables.ts';
import type { DayCursor } from './day-cursor.ts';
import { insertInto, META_ROWS, SQLITE_SCHEMA, toSqlite } from './sqlite-schema.ts';

/** `CATH`: what `file` and other programs tell databases of one kind by. */
const APPLICATION_ID = 0x43415448;
/** Where the file's header counts its changes (SQLite file format, 1.3.3 and 1.3.10). */
const CHANGE_COUNTERS = [24, 92];

/**
 * An SQLite file that rows are only added to, so that its bytes follow from the rows and their order, however they were
 * divided among runs. There is no journal: the file belongs to a run that is thrown away as a whole.
 */
export class PublicDatabase {
  readonly #path: string;
  readonly #database: DatabaseSync;
  readonly #inserts = new Map<string, StatementSync>();

  /** Opens a database; an empty file becomes one without rows. */
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
    const { name, columns } = table;
    const statement = this.#inserts.get(name) ?? this.#database.prepare(insertInto(table));
    this.#inserts.set(name, statement);
    for (const row of rows) {
      try {
        statement.run(...row.map((value, index) => toSqlite(value, columns[index]!.type)));
      } catch (cause) {
        throw new CathedralError('publish_failed', {
          place: `${this.#path}, table ${name}`,
          expected: 'a row that the table takes',
          found: `${(cause as Error).message}: ${JSON.stringify(row).slice(0, 200)}`,
          cause,
        });
      }
    }
  }

  /** The days before `end` (all, where it is null), each in one go: its rows of one table after those of another. */
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

  describe(about: Readonly<Record<string, string>>): void {
    const meta = this.#database.prepare(`INSERT INTO "_meta" VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`);
    for (const row of META_ROWS) meta.run(...row);
    const insert = this.#database.prepare('INSERT INTO "_about" VALUES (?, ?)');
    for (const entry of Object.entries(about)) insert.run(...entry);
  }

  /** The header would tell in how many runs it was made: that number becomes 1. */
  async close(): Promise<void> {
    this.#database.exec('COMMIT');
    this.#database.close();
    const handle = await open(this.#path, 'r+');
    try {
      for (const at of CHANGE_COUNTERS) await handle.write(Buffer.of(0, 0, 0, 1), 0, 4, at);
    } finally {
      await handle.close();
    }
  }
}
