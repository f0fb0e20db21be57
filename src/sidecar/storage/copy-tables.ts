import { createHash } from 'node:crypto';
import { CathedralError } from '../../../pipeline/errors.ts';
import type { Query, SqlStore } from '../../../pipeline/sql/store.ts';
import { insertion, keyOf, places, type Table } from '../../../pipeline/sql/table.ts';

/** A part of the stores that was copied, or was there already. */
export interface Copied {
  part: string;
  /** How many rows both sides have, by what they are. */
  rows: Readonly<Record<string, number>>;
  /** SHA-256 over the rows, which is the same on both sides. */
  digest: string;
  /** False: the destination already had all of it. */
  isNew: boolean;
}

interface CopiedTable {
  /** What its rows are. */
  name: string;
  table: Table;
  /** SQL: which rows are copied. Default: all. */
  where?: string;
  /** SQL that follows its rows. */
  after?: string;
}

/** Tables that are copied together. */
export interface TableSet {
  part: string;
  /** In the order in which they are written. */
  tables: readonly CopiedTable[];
  /** Before any row is written. */
  prepare?: (store: SqlStore) => Promise<void>;
  /** Of the transaction that writes all of it. */
  lock?: string;
  /** Throws for tables that may not be copied. */
  verify?: (store: SqlStore) => Promise<void>;
}

/** Where a set of tables is. */
export interface TablePlace {
  name: string;
  /** A file that is not there has no rows, and is not made to find that out. */
  isMissing: () => boolean;
  use: <T>(work: (store: SqlStore) => Promise<T>) => Promise<T>;
}

type Row = Record<string, string | number | null>;

/** Some thousand values of a statement. */
const ROWS = 200;

/**
 * Copies tables whole. Throws store_failed, with nothing changed, if the destination has other rows; if it has the same ones, nothing is to be
 * done. Throws what `verify` throws.
 */
export async function copyTables(set: TableSet, from: TablePlace, to: TablePlace): Promise<Copied> {
  const { part } = set;
  const [source, before] = [await summarise(set, from), await summarise(set, to)];
  const isNew = before.digest !== source.digest;
  if (isNew && Object.values(before.rows).some((count) => count > 0))
    throw failed(
      to.name,
      `no ${part}, or exactly those of the source, ${describe(source)} (nothing is replaced: move an old destination away)`,
      `${describe(before)}, with other content`,
    );
  if (isNew) await from.use(({ query }) => to.use((store) => addRows(set, query, store)));
  const [sent, kept] = [await summarise(set, from), await summarise(set, to)];
  if (sent.digest !== source.digest)
    throw failed(from.name, `${part} that nobody changes`, 'others than a moment before');
  if (kept.digest !== source.digest)
    throw failed(to.name, `${part} with the digest ${source.digest}`, kept.digest);
  return { part, ...kept, isNew };
}

type Summary = Pick<Copied, 'rows' | 'digest'>;

async function summarise({ tables, verify }: TableSet, place: TablePlace): Promise<Summary> {
  const digest = createHash('sha256');
  const rows: Record<string, number> = Object.fromEntries(tables.map(({ name }) => [name, 0]));
  if (!place.isMissing())
    await place.use(async (store) => {
      await verify?.(store);
      for (const one of tables)
        for await (const page of pagesOf(store.query, one)) {
          rows[one.name]! += page.length;
          for (const row of page) digest.update(`${one.name} ${JSON.stringify(row)}\n`);
        }
    });
  return { rows, digest: digest.digest('hex') };
}

/** All rows or none. */
async function addRows({ tables, prepare, lock }: TableSet, source: Query, store: SqlStore): Promise<void> {
  await prepare?.(store);
  await store.transaction(async (query) => {
    for (const one of tables) {
      for await (const rows of pagesOf(source, one)) await query(...insertion(one.table, rows));
      if (one.after) await query(one.after);
    }
  }, lock);
  // Also where a commit is not flushed.
  await store.scrub();
}

/** In the order of their key, which both engines have in common. */
async function* pagesOf(query: Query, { table, where = '1 = 1' }: CopiedTable): AsyncGenerator<Row[]> {
  const key = keyOf(table);
  const [columns, names] = [Object.keys(table.columns).join(', '), key.join(', ')];
  let after: unknown[] = [];
  for (let rows: Row[] = [{}]; rows.length > 0; ) {
    const isLater = after.length > 0 ? `AND (${names}) > (${places(key.length)})` : '';
    const text = `SELECT ${columns} FROM ${table.name} WHERE ${where} ${isLater} ORDER BY ${names} LIMIT ${ROWS}`;
    ({ rows } = await query<Row>(text, after));
    after = key.map((name) => rows.at(-1)?.[name]);
    if (rows.length > 0) yield rows;
  }
}

/** `2 holders, 3 keys` */
function describe({ rows }: Summary): string {
  const counts = Object.entries(rows).map(([table, count]) => `${count} ${table}`);
  return counts.join(', ');
}

/** `API keys: copied, 2 holders, 3 keys; SHA-256 9f86…` */
export function formatCopied(copied: Copied): string {
  const { part, digest, isNew } = copied;
  return `${part}: ${isNew ? 'copied' : 'the same already'}, ${describe(copied)}; SHA-256 ${digest}`;
}

function failed(place: string, expected: string, found: string): CathedralError {
  return new CathedralError('store_failed', { place, expected, found });
}
