import { z } from 'zod';
import type { Engine } from './store.ts';

/** With `?`, a column may be null. Times are integers: ms since 1970. */
type ColumnType = 'text' | 'text?' | 'integer' | 'integer?';

/** A table of both engines. Its columns are in the order in which rows are copied. */
export interface Table<C extends Record<string, ColumnType> = Record<string, ColumnType>> {
  name: string;
  columns: C;
  /** Of columns; SQL of both engines. The primary key is the first. */
  constraints: readonly [`PRIMARY KEY (${string})`, ...string[]];
  /** Follow its creation, on both engines: indexes, a first row. */
  statements?: readonly string[];
  /** In PostgreSQL, each value of the column has a partition of its own, which is dropped with all its bytes. */
  partition?: string;
  /** What the engine itself refuses: triggers. */
  guards?: Readonly<Record<Engine, string>>;
}

type ValueOf<T extends ColumnType> = {
  text: string;
  'text?': string | null;
  integer: number;
  'integer?': number | null;
}[T];

export type RowOf<T extends Table> = { [Name in keyof T['columns']]: ValueOf<T['columns'][Name]> };

/** The schema of rows, which another program may have written. */
export function rowSchema<C extends Record<string, ColumnType>>({ columns }: Table<C>) {
  const members = Object.entries(columns).map(([name, type]) => {
    const value = type.startsWith('text') ? z.string() : z.int();
    return [name, type.endsWith('?') ? value.nullable() : value];
  });
  return z.strictObject(Object.fromEntries(members) as { [Name in keyof C]: z.ZodType<ValueOf<C[Name]>> });
}

export function defineTable<const C extends Record<string, ColumnType>>(table: Table<C>): Table<C> {
  return table;
}

/** The statements that make tables, in their order. In PostgreSQL, in the first schema of the search path. */
export function createTables(tables: readonly Table[], engine: Engine): string {
  return (
    tables.flatMap((table) => [createTable(table, engine), ...(table.statements ?? [])]).join(';\n') +
    ';\n' +
    tables.map(({ guards }) => guards?.[engine] ?? '').join('\n')
  );
}

/** `text COLLATE "C"`: texts are ordered by their bytes, as in SQLite. */
const TYPES = {
  sqlite: { text: 'TEXT', integer: 'INTEGER' },
  postgres: { text: 'text COLLATE "C"', integer: 'bigint' },
} as const;

function createTable({ name, columns, constraints, partition }: Table, engine: Engine): string {
  const lines = Object.entries(columns).map(([column, type]) => {
    const isNullable = type.endsWith('?');
    const plain = (isNullable ? type.slice(0, -1) : type) as 'text' | 'integer';
    return `${column} ${TYPES[engine][plain]}${isNullable ? '' : ' NOT NULL'}`;
  });
  const body = [...lines, ...constraints].map((line) => `  ${line}`).join(',\n');
  if (engine === 'postgres')
    return `CREATE TABLE ${name} (\n${body}\n)${partition ? ` PARTITION BY LIST (${partition})` : ''}`;
  // Rows stand in the order of their key; a number in its place is that order already.
  const isNumbered = constraints[0] === 'PRIMARY KEY (seq)';
  return `CREATE TABLE ${name} (\n${body}\n) STRICT${isNumbered ? '' : ', WITHOUT ROWID'}`;
}

/** The columns of the primary key, in whose order both engines have the rows. */
export function keyOf({ constraints }: Table): string[] {
  return constraints[0].slice('PRIMARY KEY ('.length, -1).split(', ');
}

/** `$3, $4`: the places of two values after two others. */
export function places(count: number, before = 0): string {
  return Array.from({ length: count }, (_, at) => `$${before + at + 1}`).join(', ');
}

/** The text and the values of a statement that adds rows, of which there is at least one. Some thousand values are possible. `alias`: of the table. */
export function insertion<C extends Record<string, ColumnType>>(
  { name, columns }: Table<C>,
  rows: readonly { [Name in keyof C]: ValueOf<C[Name]> }[],
  alias = name,
): [text: string, values: unknown[]] {
  const names = Object.keys(columns);
  const lists = rows.map((_, row) => `(${places(names.length, row * names.length)})`);
  const values = rows.flatMap((row) => names.map((column) => row[column]));
  return [`INSERT INTO ${name} AS ${alias} (${names.join(', ')}) VALUES ${lists.join(', ')}`, values];
}
