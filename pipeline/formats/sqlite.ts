import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { CathedralError } from '../errors.ts';
import type { Row } from './columns.ts';
import { insertInto, META_ROWS, SQLITE_SCHEMA, toSqlite } from './sqlite-schema.ts';
import type { Table } from './tables.ts';

/** `CATH`, by which `file` and other programs recognise databases of this kind. */
const APPLICATION_ID = 0x43415448;
/** The file needs no journal, since a run that fails discards it. */
const SETTINGS = [
  'journal_mode = OFF',
  'synchronous = OFF',
  'cache_size = -32768',
  `application_id = ${APPLICATION_ID}`,
];

/** All public tables in one SQLite file: the same rows in the same order give the same bytes. */
export class PublicDatabase {
  readonly #path: string;
  readonly #database: DatabaseSync;
  readonly #inserts = new Map<string, StatementSync>();

  /** A database without rows, in a file that is empty or not there. */
  constructor(path: string) {
    this.#path = path;
    this.#database = new DatabaseSync(path, { enableForeignKeyConstraints: false });
    for (const setting of SETTINGS) this.#database.exec(`PRAGMA ${setting}`);
    this.#database.exec('BEGIN EXCLUSIVE');
    for (const statement of SQLITE_SCHEMA) this.#database.exec(statement);
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

  /** Fills the tables that describe the database from within. */
  describe(about: Readonly<Record<string, string>>): void {
    const meta = this.#database.prepare(`INSERT INTO "_meta" VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`);
    for (const row of META_ROWS) meta.run(...row);
    const insert = this.#database.prepare('INSERT INTO "_about" VALUES (?, ?)');
    for (const entry of Object.entries(about)) insert.run(...entry);
  }

  close(): void {
    this.#database.exec('COMMIT');
    this.#database.close();
  }

  [Symbol.dispose](): void {
    if (this.#database.isOpen) this.#database.close();
  }
}

/** Columns of texts, each in the order of the rows. */
export function readColumns<const Columns extends readonly (readonly [table: string, column: string])[]>(
  path: string,
  columns: Columns,
): { [Index in keyof Columns]: string[] } {
  using database = new DatabaseSync(path, { readOnly: true });
  return columns.map(([table, column]) => {
    const rows = database.prepare(`SELECT "${column}" AS text FROM "${table}" ORDER BY rowid`).all();
    return rows.map(({ text }) => text as string);
  }) as { [Index in keyof Columns]: string[] };
}
