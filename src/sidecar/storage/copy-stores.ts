import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import { PUBLISHER_LEASE } from '../../../pipeline/build/cluster.ts';
import type { Config } from '../../../pipeline/config/settings.ts';
import type { storeFiles } from '../../../pipeline/config/store-place.ts';
import { CathedralError, errorOf } from '../../../pipeline/errors.ts';
import { type Database, openDatabase } from '../../../pipeline/postgres/database.ts';
import { type Lease, withLease } from '../../../pipeline/postgres/lease.ts';
import { fileRecords } from '../../../pipeline/release/signing/file-records.ts';
import { postgresRecords } from '../../../pipeline/release/signing/postgres-records.ts';
import {
  formatSigningRecord,
  NOTHING_SIGNED,
  type SigningRecord,
  type SigningRecords,
} from '../../../pipeline/release/signing/signing-record.ts';
import { openSqlite } from '../../../pipeline/sql/sqlite.ts';
import { isInUse, type SqliteForm } from '../../../pipeline/sql/sqlite-file.ts';
import type { Query, SqlStore } from '../../../pipeline/sql/store.ts';
import { insertion, keyOf, places, type Table } from '../../../pipeline/sql/table.ts';
import {
  COUNT_FILE,
  COUNT_TABLES,
  ENTRIES,
  KEY_FILE,
  KEY_TABLES,
  LOG_FILE,
  REMOVALS,
} from '../../../pipeline/sql/tables.ts';
import { utcDay } from '../../api/quotas.ts';
import { readLog } from '../access-log/log-reader.ts';
import { LOG_LOCK } from '../access-log/log-table.ts';
import { verifyAccessLog } from '../access-log/verify-access-log.ts';
import { addDayOfCounts } from '../limits/count-store.ts';

const failed = errorOf('store_failed');

/** A log is written in one transaction. */
const TIMEOUT_MS = 600_000;
/** The lease is kept meanwhile. */
const CONNECTIONS = 2;
/** Of a statement: some thousand values. */
const ROWS = 200;

/** A part of the stores that was copied, or was there already. */
interface Copied {
  part: string;
  /** How many rows both sides have, by what they are. */
  rows: Readonly<Record<string, number>>;
  /** SHA-256 over the rows, which is the same on both sides. */
  digest: string;
  /** False: the destination already had all of it. */
  isNew: boolean;
}

/** The files of a single machine. */
type StoreFiles = ReturnType<typeof storeFiles> & Pick<Config, 'publisherKey'>;

interface Copying {
  /** Of the database. */
  address: string;
  isFromFiles: boolean;
  now: () => number;
}

/**
 * Copies keys, counts, access log and signing record between the files of this machine and a database, each completely or not at all. Throws
 * locked while a server or publisher uses either, and store_failed for a destination with other content.
 */
export async function copyStores(
  files: StoreFiles,
  { address, isFromFiles, now }: Copying,
  report: { note: (line: string) => void; copied: (part: Copied) => void },
): Promise<Copied[]> {
  const application = 'cathedral store copy';
  const options = { application, connections: CONNECTIONS, timeoutMs: TIMEOUT_MS };
  const database = await openDatabase(address, options);
  try {
    await assertStopped(database, [files.accessLog, files.counts]);
    const holder = `store copy, process ${process.pid}`;
    const all: Copied[] = [];
    // While the lease is held, no publisher signs.
    await withLease(database, { name: PUBLISHER_LEASE, holder, waitMs: 0 }, async (lease) => {
      const sides = [filesOf(files), tablesOf(database, lease)] as const;
      const [from, to] = isFromFiles ? sides : [sides[1], sides[0]];
      report.note(`Copying from ${from.name} to ${to.name}. Start nothing that uses them before it is done.`);
      const copies = partsOf(utcDay(now() + database.clock())).map((part) => () => copyPart(part, from, to));
      for (const copy of [...copies, () => copyRecord(from.records, to.records)]) {
        all.push(await copy());
        report.copied(all.at(-1)!);
      }
      // A mistyped path must not pass as stores that are empty.
      if (all.every(isEmpty))
        throw failed(from.name, 'keys, counts, entries or a signing record to copy', 'none');
    });
    return all;
  } finally {
    await database.close();
  }
}

/** Servers show up as sessions of the database, or by the files that they have open; a publisher by its lease. */
async function assertStopped(database: Database, files: readonly string[]): Promise<void> {
  const { rows } = await database.query<{ name: string }>(
    `SELECT application_name AS name FROM pg_stat_activity
     WHERE datname = current_database() AND application_name LIKE 'cathedral %' AND application_name <> $1`,
    ['cathedral store copy'],
  );
  const running = (place: string, found: string) =>
    new CathedralError('locked', { place, expected: 'no server or publisher that is running', found });
  if (rows[0]) throw running(database.name, rows[0].name);
  const used = files.find((path) => isInUse(path));
  if (used !== undefined) throw running(used, 'a server that has it open');
}

/** Tables that are copied together. */
interface Part {
  part: string;
  /** Where a single machine has them. */
  file: 'keys' | 'counts' | 'accessLog';
  form: SqliteForm;
  /** In the order in which they are written. `where`: which rows; `after`: what follows them. Both in SQL. */
  tables: readonly { name: string; table: Table; where?: string; after?: string }[];
  /** Before any row is written. */
  prepare?: (store: SqlStore) => Promise<void>;
  /** Of the transaction that writes all of it. */
  lock?: string;
  /** Throws for tables that may not be copied. */
  verify?: (store: SqlStore) => Promise<void>;
}

const named = (table: Table) => ({ name: table.name, table });
const BEGINNING = `SELECT max(last) FROM ${REMOVALS.name}`;

function partsOf(day: string): readonly Part[] {
  return [
    { part: 'API keys', file: 'keys', form: KEY_FILE, tables: KEY_TABLES.map(named) },
    {
      part: 'counts of today',
      file: 'counts',
      form: COUNT_FILE,
      tables: COUNT_TABLES.map((table) => ({ ...named(table), where: `day = '${day}'` })),
      prepare: (store) => addDayOfCounts(store, day),
    },
    {
      // Entries and hashes as they are. What a removal covers may still be there after a kill.
      part: 'access log',
      file: 'accessLog',
      form: LOG_FILE,
      tables: [
        {
          name: 'removals',
          table: REMOVALS,
          // The first entry follows the last one that was removed.
          after: `
            UPDATE access_log_head SET seq = (${BEGINNING}), hash = (SELECT hash FROM ${REMOVALS.name} ORDER BY last DESC LIMIT 1)
            WHERE seq < (${BEGINNING})`,
        },
        { name: 'entries', table: ENTRIES, where: `seq > coalesce((${BEGINNING}), -1)` },
      ],
      lock: LOG_LOCK,
      verify: assertVerifies,
    },
  ];
}

async function assertVerifies(store: SqlStore): Promise<void> {
  const [fault] = (await verifyAccessLog(readLog(store))).faults;
  if (!fault) return;
  const { kind, file, seq, expected, found } = fault;
  throw new CathedralError('access_log_broken', {
    place: `${store.name}: ${file}${seq === null ? '' : `, entry ${seq}`}`,
    expected: `a log that verifies (${kind}): ${expected}`,
    found,
  });
}

/** The stores of a service. */
interface Side {
  name: string;
  records: SigningRecords;
  /** Where a part is; null: a file that is not there, has no rows, and is not made to find that out. */
  place: (part: Part) => string | null;
  use: <T>(part: Part, work: (store: SqlStore) => Promise<T>) => Promise<T>;
}

/** A file of an older version is brought to the newest form, and another file is refused. */
function filesOf(files: StoreFiles): Side {
  return {
    name: 'the files of this machine',
    records: fileRecords(files.publisherKey, { waitMs: 0 }),
    place: ({ file }) => (existsSync(files[file]) ? files[file] : null),
    async use({ file, form }, work) {
      const store = await openSqlite(files[file], form);
      return work(store).finally(() => store.close());
    },
  };
}

function tablesOf(database: Database, lease: Lease): Side {
  const { name } = database;
  // The record is copied as it is, whatever folders it names.
  const folders = { nameOf: async (out: string) => out, isAbandoned: async () => true };
  const records = postgresRecords(database, lease, folders);
  return { name, records, place: () => name, use: (_, work) => work(database) };
}

/** Nothing is changed if the destination has other rows; if it has the same ones, nothing is to be done. */
async function copyPart(part: Part, from: Side, to: Side): Promise<Copied> {
  const { part: what } = part;
  const [source, before] = [await summarise(part, from), await summarise(part, to)];
  const isNew = before.digest !== source.digest;
  if (isNew && !isEmpty(before))
    throw failed(
      to.place(part)!,
      `no ${what}, or exactly those of the source, ${describe(source)} (nothing is replaced: move an old destination away)`,
      `${describe(before)}, with other content`,
    );
  if (isNew) await from.use(part, ({ query }) => to.use(part, (store) => addRows(part, query, store)));
  const [sent, kept] = [await summarise(part, from), await summarise(part, to)];
  if (sent.digest !== source.digest)
    throw failed(from.place(part)!, `${what} that nobody changes`, 'others than a moment before');
  if (kept.digest !== source.digest)
    throw failed(to.place(part)!, `${what} with the digest ${source.digest}`, kept.digest);
  return { part: what, ...kept, isNew };
}

type Summary = Pick<Copied, 'rows' | 'digest'>;

async function summarise(part: Part, side: Side): Promise<Summary> {
  const { tables, verify } = part;
  const digest = createHash('sha256');
  const rows: Record<string, number> = Object.fromEntries(tables.map(({ name }) => [name, 0]));
  if (side.place(part) !== null)
    await side.use(part, async (store) => {
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
async function addRows({ tables, prepare, lock }: Part, source: Query, store: SqlStore): Promise<void> {
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

type Row = Record<string, string | number | null>;

/** In the order of their key, which both engines have in common. */
async function* pagesOf(
  query: Query,
  { table, where = '1 = 1' }: Part['tables'][number],
): AsyncGenerator<Row[]> {
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

async function copyRecord(from: SigningRecords, to: SigningRecords): Promise<Copied> {
  const record = await from.read();
  const isNew = await to.change<boolean>('store copy', async (found) => {
    if (isDeepStrictEqual(found, record)) return { record: null, result: false };
    if (isDeepStrictEqual(found, NOTHING_SIGNED)) return { record, result: true };
    throw failed(to.place, `no signing record, or the same one as ${from.place}`, versionsIn(found));
  });
  const kept = await to.read();
  if (!isDeepStrictEqual(kept, record)) throw failed(to.place, versionsIn(record), versionsIn(kept));
  const digest = createHash('sha256').update(formatSigningRecord(kept)).digest('hex');
  return { part: 'signing record', rows: { services: Object.keys(kept.services).length }, digest, isNew };
}

function versionsIn({ services }: SigningRecord): string {
  const versions = Object.entries(services).map(([service, { version }]) => `${service} version ${version}`);
  return versions.join(', ') || 'nothing signed';
}

function isEmpty({ rows }: Summary): boolean {
  return Object.values(rows).every((count) => count === 0);
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
