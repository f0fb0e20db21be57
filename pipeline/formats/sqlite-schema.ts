import type { Column, ColumnType, Value } from './columns.ts';
import { TABLES, type Table, timeColumn } from './tables.ts';

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
export const SQLITE_SCHEMA: readonly string[] = [...TABLES.flatMap(createTable), META, ABOUT];

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

export function insertInto({ name, allColumns }: Table): string {
  return `INSERT INTO ${quote(name)} VALUES (${allColumns.map(() => '?').join(', ')})`;
}

function quote(name: string): string {
  return `"${name}"`;
}

/** A cell as SQLite stores it. */
export function toSqlite(value: Value, type: ColumnType): string | number | null {
  if (value === null) return null;
  if (type === 'decimal') return Number(value);
  if (type === 'boolean') return value ? 1 : 0;
  return Array.isArray(value) ? JSON.stringify(value) : (value as string | number);
}

/** The rows of `_meta`. */
export const META_ROWS: readonly (string | null)[][] = TABLES.flatMap(
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
