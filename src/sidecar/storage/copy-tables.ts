import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import { CathedralError } from '../../../pipeline/errors.ts';
import type { Database } from '../../../pipeline/postgres/database.ts';
import type { Copied } from './copied.ts';
import { asStoreErrors } from './open-database.ts';

/** Types as PostgreSQL names them. */
type ColumnType = 'text' | 'bigint' | 'date' | 'bytea';

/** A table that has the same columns in a file and in a database. */
export interface CopiedTable {
  file: string;
  database: string;
  columns: Readonly<Record<string, ColumnType>>;
  /** Columns of the database alone, with what a copied row gets there. */
  more?: Readonly<Record<string, number>>;
}

/** Tables that are copied together. */
export interface TableSet {
  part: string;
  tables: readonly CopiedTable[];
  /** Only the rows of this day (`2025-12-01`); null: tables without a column `day`. */
  day: string | null;
}

type Value = string | number | null;
/** Rows of each table, with bytes as hex digits, each as a JSON array. */
type Contents = readonly (readonly Value[])[][];

/** Where a set of tables is. */
export interface TablePlace {
  name: string;
  read: (set: TableSet) => Promise<Contents>;
  /** Writes all rows or none. */
  write: (set: TableSet, contents: Contents) => Promise<void>;
}

/**
 * Copies tables whole. Throws store_failed, with nothing changed, if the destination has other rows; if it has the same ones, nothing
 * is to be done.
 */
export async function copyTables(set: TableSet, from: TablePlace, to: TablePlace): Promise<Copied> {
  const [source, before] = [await from.read(set), await to.read(set)];
  const digest = digestOf(source);
  const isNew = digestOf(before) !== digest;
  if (isNew && before.some((rows) => rows.length > 0)) throw otherRows(set, to.name, source, before);
  if (isNew) await to.write(set, source);
  const [sent, kept] = [digestOf(await from.read(set)), digestOf(await to.read(set))];
  if (sent !== digest)
    throw failed(from.name, `${set.part} that nobody changes`, 'others than a moment before');
  if (kept !== digest) throw failed(to.name, `${set.part} with the digest ${digest}`, kept);
  const rows = set.tables.map(({ file }, at) => [file, source[at]!.length] as const);
  return { part: set.part, rows: Object.fromEntries(rows), digest, isNew };
}

/** Of the rows in the order of their text, which no collation of a database changes. */
function digestOf(contents: Contents): string {
  const digest = createHash('sha256');
  for (const rows of contents) {
    for (const line of rows.map((row) => JSON.stringify(row)).sort()) digest.update(`${line}\n`);
    digest.update('\n');
  }
  return digest.digest('hex');
}

function otherRows(
  { part, tables }: TableSet,
  place: string,
  source: Contents,
  found: Contents,
): CathedralError {
  const sizes = (contents: Contents) =>
    tables.map(({ file }, at) => `${contents[at]!.length} of ${file}`).join(', ');
  const expected = `no ${part}, or exactly those of the source, ${sizes(source)} (nothing is replaced: move an old destination away)`;
  return failed(place, expected, `${sizes(found)}, with other content`);
}

function failed(place: string, expected: string, found: string): CathedralError {
  return new CathedralError('store_failed', { place, expected, found });
}

/** Tables of a SQLite file. `create` makes the file and its tables. */
export function fileTables(path: string, create: () => Promise<void>): TablePlace {
  const use = <T>(work: (database: DatabaseSync) => T): T =>
    asStoreErrors(path, () => {
      const database = new DatabaseSync(path, { timeout: FILE_TIMEOUT_MS });
      try {
        return work(database);
      } finally {
        database.close();
      }
    });
  return {
    name: path,
    async read({ tables, day }) {
      if (!existsSync(path)) return tables.map(() => []);
      // A file of an older version is brought to the newest form, and another file is refused.
      await create();
      return use((database) =>
        tables.map(({ file, columns }) => {
          const sql = `SELECT ${Object.keys(columns).join(', ')} FROM ${file}${day === null ? '' : ' WHERE day = ?'}`;
          const rows = database.prepare(sql).all(...(day === null ? [] : [day]));
          return rows.map((row) => Object.keys(columns).map((name) => canonical(row[name])));
        }),
      );
    },
    async write({ tables }, contents) {
      await create();
      use((database) => {
        database.exec('PRAGMA synchronous = EXTRA; BEGIN IMMEDIATE; PRAGMA defer_foreign_keys = ON');
        for (const [at, { file, columns }] of tables.entries()) {
          const names = Object.keys(columns);
          const insert = database.prepare(
            `INSERT INTO ${file} (${names.join(', ')}) VALUES (${names.map(() => '?').join(', ')})`,
          );
          for (const row of contents[at]!)
            insert.run(...row.map((value, at) => toFile(value, columns[names[at]!]!)));
        }
        database.exec('COMMIT');
      });
    },
  };
}

const FILE_TIMEOUT_MS = 5_000;

function canonical(value: unknown): Value {
  return value instanceof Uint8Array ? Buffer.from(value).toString('hex') : (value as Value);
}

function toFile(value: Value, type: ColumnType): SQLInputValue {
  return type === 'bytea' && value !== null ? Buffer.from(`${value}`, 'hex') : value;
}

/** Tables of a database. `prepare` runs before rows of a day are written. */
export function databaseTables(
  database: Database,
  prepare: (day: string) => Promise<void> = async () => undefined,
): TablePlace {
  return {
    name: database.name,
    read: ({ tables, day }) =>
      database.transaction(async (query) => {
        // All tables as they are at one moment.
        await query('SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY');
        const contents: Value[][][] = [];
        for (const { database: table, columns } of tables) {
          const names = Object.entries(columns).map(([name, type]) => `${asText(name, type)} AS ${name}`);
          const sql = `SELECT ${names.join(', ')} FROM cathedral.${table}`;
          const { rows } = await (day === null ? query(sql) : query(`${sql} WHERE day = $1::date`, [day]));
          contents.push(rows.map((row) => Object.keys(columns).map((name) => row[name] as Value)));
        }
        return contents;
      }),
    async write({ tables, day }, contents) {
      if (day !== null) await prepare(day);
      await database.transaction(async (query) => {
        for (const [at, { database: table, columns, more = {} }] of tables.entries()) {
          const names = Object.keys(columns);
          // One statement, because rows of a table may refer to each other.
          const values = Object.entries(columns).map(([name, type]) => fromText(name, type));
          await query(
            `INSERT INTO cathedral.${table} (${[...names, ...Object.keys(more)].join(', ')})
            SELECT ${[...values, ...Object.values(more)].join(', ')}
            FROM unnest(${names.map((name, at) => `$${at + 1}::${arrayOf(columns[name]!)}[]`).join(', ')}) AS given (${names.join(', ')})`,
            names.map((_, column) => contents[at]!.map((row) => row[column])),
          );
        }
      });
    },
  };
}

function asText(name: string, type: ColumnType): string {
  if (type === 'date') return `to_char(${name}, 'YYYY-MM-DD')`;
  return type === 'bytea' ? `encode(${name}, 'hex')` : name;
}

function fromText(name: string, type: ColumnType): string {
  if (type === 'date') return `given.${name}::date`;
  return type === 'bytea' ? `decode(given.${name}, 'hex')` : `given.${name}`;
}

function arrayOf(type: ColumnType): string {
  return type === 'bigint' ? 'bigint' : 'text';
}
