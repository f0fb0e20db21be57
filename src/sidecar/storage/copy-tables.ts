import { createHash } from 'node:crypto';
import { CathedralError } from '../../../pipeline/errors.ts';
import type { SqlStore } from '../../../pipeline/sql/store.ts';
import { insertion, type Table } from '../../../pipeline/sql/table.ts';
import { addDayOfCounts } from '../limits/count-store.ts';

/** A part of the stores that was copied, or was there already. */
export interface Copied {
  part: string;
  /** How many rows both sides have, by table. */
  rows: Readonly<Record<string, number>>;
  /** SHA-256 over the rows in a canonical form, which is the same on both sides. */
  digest: string;
  /** False: the destination already had all of it. */
  isNew: boolean;
}

/** Tables that are copied together. */
export interface TableSet {
  part: string;
  tables: readonly Table[];
  /** Only the rows of this day (`2025-12-01`); null: tables without a column `day`. */
  day: string | null;
}

/** Where a set of tables is. */
export interface TablePlace {
  name: string;
  /** A file that is not there has no rows, and is not made to find that out. */
  isMissing: () => boolean;
  use: <T>(work: (store: SqlStore) => Promise<T>) => Promise<T>;
}

type Row = Record<string, string | number | null>;
/** Rows of each table. */
type Contents = readonly Row[][];

/** Some thousand values of a statement. */
const ROWS = 200;

/**
 * Copies tables whole. Throws store_failed, with nothing changed, if the destination has other rows; if it has the same ones, nothing
 * is to be done.
 */
export async function copyTables(set: TableSet, from: TablePlace, to: TablePlace): Promise<Copied> {
  const [source, before] = [await read(from, set), await read(to, set)];
  const digest = digestOf(source);
  const isNew = digestOf(before) !== digest;
  if (isNew && before.some((rows) => rows.length > 0)) throw otherRows(set, to.name, source, before);
  if (isNew) await to.use((store) => write(store, set, source));
  const [sent, kept] = [digestOf(await read(from, set)), digestOf(await read(to, set))];
  if (sent !== digest)
    throw failed(from.name, `${set.part} that nobody changes`, 'others than a moment before');
  if (kept !== digest) throw failed(to.name, `${set.part} with the digest ${digest}`, kept);
  const rows = set.tables.map(({ name }, at) => [name, source[at]!.length] as const);
  return { part: set.part, rows: Object.fromEntries(rows), digest, isNew };
}

async function read(place: TablePlace, { tables, day }: TableSet): Promise<Contents> {
  if (place.isMissing()) return tables.map(() => []);
  return place.use(async ({ query }) => {
    const contents: Row[][] = [];
    for (const { name, columns } of tables) {
      const select = `SELECT ${Object.keys(columns).join(', ')} FROM ${name}`;
      const { rows } = await (day === null
        ? query<Row>(select)
        : query<Row>(`${select} WHERE day = $1`, [day]));
      contents.push(rows);
    }
    return contents;
  });
}

/** All rows or none. */
async function write(store: SqlStore, { tables, day }: TableSet, contents: Contents): Promise<void> {
  if (day !== null) await addDayOfCounts(store, day);
  await store.transaction(async (query) => {
    for (const [at, table] of tables.entries()) {
      const rows = contents[at]!;
      for (let first = 0; first < rows.length; first += ROWS)
        await query(...insertion(table, rows.slice(first, first + ROWS)));
    }
  });
  // Also where a commit is not flushed.
  await store.scrub();
}

/** Of the rows in the order of their text, which no collation of a database changes. */
function digestOf(contents: Contents): string {
  const digest = createHash('sha256');
  for (const rows of contents) {
    for (const line of rows.map((row) => JSON.stringify(Object.values(row))).sort())
      digest.update(`${line}\n`);
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
    tables.map(({ name }, at) => `${contents[at]!.length} of ${name}`).join(', ');
  const expected = `no ${part}, or exactly those of the source, ${sizes(source)} (nothing is replaced: move an old destination away)`;
  return failed(place, expected, `${sizes(found)}, with other content`);
}

function failed(place: string, expected: string, found: string): CathedralError {
  return new CathedralError('store_failed', { place, expected, found });
}
