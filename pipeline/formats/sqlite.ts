import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { CathedralError } from '../errors.ts';
import type { Column, ColumnType, Row, Value } from './columns.ts';
import { TABLES, type Table, timeColumn } from './tables.ts';

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

/** Decimals are REAL, the most exact type that SQLite can compute with; every other format has all digits. */
const AFFINITY: Record<ColumnType, string> = {
  text: 'TEXT',
  integer: 'INTEGER',
  number: 'REAL',
  decimal: 'REAL',
  boolean: 'INTEGER',
  datetime: 'TEXT',
  date: 'TEXT',
  list: 'TEXT',
  integers: 'TEXT',
};

/** Describes the tables from within the database: one row per table, with a null column, and one per column. */
const META = `CREATE TABLE "_meta" ("table" TEXT NOT NULL, "column" TEXT, "type" TEXT, "title" TEXT, "description" TEXT, \
"unit" TEXT, "range" TEXT, "formula" TEXT, "path" TEXT)`;
const ABOUT = 'CREATE TABLE "_about" ("name" TEXT PRIMARY KEY NOT NULL, "value" TEXT NOT NULL)';

/** Statements that create the empty database. */
const SQLITE_SCHEMA: readonly string[] = [...TABLES.flatMap(createTable), META, ABOUT];

function createTable(table: Table): string[] {
  const { name, key, allColumns } = table;
  const parts = allColumns.map((column) => define(table, column));
  if (key.length > 0) parts.push(`PRIMARY KEY (${key.map(quote).join(', ')})`);
  return [
    `CREATE TABLE ${quote(name)} (${parts.join(', ')})`,
    ...indexed(table).map(
      (column) => `CREATE INDEX ${quote(`${name}_${column}`)} ON ${quote(name)} (${quote(column)})`,
    ),
  ];
}

/** References are documentation and are not enforced: a ledger that breaks one is reported as a finding. */
function define({ key, references }: Table, { name, type, nullable }: Column): string {
  const required = !nullable || key.includes(name) ? ' NOT NULL' : '';
  const target = references[name];
  const reference = target ? ` REFERENCES ${quote(target)} (${quote(keyOf(target))})` : '';
  return `${quote(name)} ${AFFINITY[type]}${required}${reference}`;
}

/** Columns by which readers look up rows of a growing table: its time, and its references. */
function indexed(table: Table): string[] {
  if (!table.grows) return [];
  const { columns, references, key } = table;
  return [columns[timeColumn(table)]!.name, ...Object.keys(references)].filter((name) => name !== key[0]);
}

function keyOf(name: string): string {
  return TABLES.find((table) => table.name === name)!.key[0]!;
}

function insertInto({ name, allColumns }: Table): string {
  return `INSERT INTO ${quote(name)} VALUES (${allColumns.map(() => '?').join(', ')})`;
}

function quote(name: string): string {
  return `"${name}"`;
}

/** A cell as SQLite stores it. */
function toSqlite(value: Value, type: ColumnType): string | number | null {
  if (value === null) return null;
  if (type === 'decimal') return Number(value);
  if (type === 'boolean') return value ? 1 : 0;
  return Array.isArray(value) ? JSON.stringify(value) : (value as string | number);
}

/** The rows of `_meta`. */
const META_ROWS: readonly (string | null)[][] = TABLES.flatMap(
  ({ name, title, description, allColumns, artifact }) => [
    [name, null, null, title, description, null, null, null, `/${artifact.path}`],
    ...allColumns.map((column) => [
      name,
      column.name,
      column.type,
      null,
      column.description,
      column.unit || null,
      column.range || null,
      column.formula || null,
      null,
    ]),
  ],
);
