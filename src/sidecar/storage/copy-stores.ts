import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import { PUBLISHER_LEASE } from '../../../pipeline/build/cluster.ts';
import type { Config } from '../../../pipeline/config/settings.ts';
import type { storeFiles } from '../../../pipeline/config/store-place.ts';
import { CathedralError } from '../../../pipeline/errors.ts';
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
import type { Table } from '../../../pipeline/sql/table.ts';
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
import { type Copied, copyTables, type TablePlace, type TableSet } from './copy-tables.ts';

/** A log is written in one transaction. */
const TIMEOUT_MS = 600_000;
/** The lease is kept meanwhile. */
const CONNECTIONS = 2;

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
    const sides = [filesOf(files), tablesOf(database)] as const;
    const [from, to] = isFromFiles ? sides : [sides[1], sides[0]];
    report.note(`Copying from ${from.name} to ${to.name}. Start nothing that uses them before it is done.`);
    const all: Copied[] = [];
    const copied = (part: Copied) => {
      all.push(part);
      report.copied(part);
    };
    const holder = `store copy, process ${process.pid}`;
    // While the lease is held, no publisher signs.
    await withLease(database, { name: PUBLISHER_LEASE, holder, waitMs: 0 }, (lease) =>
      copyAll(from, to, { day: utcDay(now() + database.clock()), lease, report: copied }),
    );
    assertSome(all, from.name);
    return all;
  } finally {
    await database.close();
  }
}

/** The stores of a service. */
interface Side {
  name: string;
  keys: TablePlace;
  counts: TablePlace;
  accessLog: TablePlace;
  records: (lease: Lease) => SigningRecords;
}

function filesOf({ keys, counts, accessLog, publisherKey }: StoreFiles): Side {
  return {
    name: 'the files of this machine',
    keys: fileTables(keys, KEY_FILE),
    counts: fileTables(counts, COUNT_FILE),
    accessLog: fileTables(accessLog, LOG_FILE),
    records: () => fileRecords(publisherKey, { waitMs: 0 }),
  };
}

function tablesOf(database: Database): Side {
  return {
    name: database.name,
    keys: databaseTables(database),
    counts: databaseTables(database),
    accessLog: databaseTables(database),
    // The record is copied as it is, whatever folders it names.
    records: (lease) =>
      postgresRecords(database, lease, { nameOf: async (out) => out, isAbandoned: async () => true }),
  };
}

/** A file of an older version is brought to the newest form, and another file is refused. */
function fileTables(path: string, form: SqliteForm): TablePlace {
  return {
    name: path,
    isMissing: () => !existsSync(path),
    async use(work) {
      const store = await openSqlite(path, form);
      return work(store).finally(() => store.close());
    },
  };
}

function databaseTables(database: Database): TablePlace {
  return { name: database.name, isMissing: () => false, use: (work) => work(database) };
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

async function copyAll(
  from: Side,
  to: Side,
  { day, lease, report }: { day: string; lease: Lease; report: (copied: Copied) => void },
): Promise<void> {
  const all = (tables: readonly Table[], where?: string) =>
    tables.map((table) => ({ name: table.name, table, ...(where && { where }) }));
  report(await copyTables({ part: 'API keys', tables: all(KEY_TABLES) }, from.keys, to.keys));
  const counts: TableSet = {
    part: 'counts of today',
    tables: all(COUNT_TABLES, `day = '${day}'`),
    prepare: (store) => addDayOfCounts(store, day),
  };
  report(await copyTables(counts, from.counts, to.counts));
  report(await copyTables(LOG, from.accessLog, to.accessLog));
  report(await copyRecord(from.records(lease), to.records(lease)));
}

const BEGINNING = `SELECT max(last) FROM ${REMOVALS.name}`;

/** Entries and hashes as they are. What a removal covers may still be there after a kill. */
const LOG: TableSet = {
  part: 'access log',
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
  async verify(store) {
    const [fault] = (await verifyAccessLog(readLog(store))).faults;
    if (!fault) return;
    const { kind, file, seq, expected, found } = fault;
    throw new CathedralError('access_log_broken', {
      place: `${store.name}: ${file}${seq === null ? '' : `, entry ${seq}`}`,
      expected: `a log that verifies (${kind}): ${expected}`,
      found,
    });
  },
};

/** A mistyped path must not pass as stores that are empty. */
function assertSome(all: readonly Copied[], place: string): void {
  if (all.some(({ rows }) => Object.values(rows).some((count) => count > 0))) return;
  const expected = 'keys, counts, entries or a signing record to copy';
  throw new CathedralError('store_failed', { place, expected, found: 'none' });
}

async function copyRecord(from: SigningRecords, to: SigningRecords): Promise<Copied> {
  const record = await from.read();
  const isNew = await to.change<boolean>('store copy', async (found) => {
    if (isDeepStrictEqual(found, record)) return { record: null, result: false };
    if (isDeepStrictEqual(found, NOTHING_SIGNED)) return { record, result: true };
    const expected = `no signing record, or the same one as ${from.place}`;
    throw new CathedralError('store_failed', { place: to.place, expected, found: describe(found) });
  });
  const kept = await to.read();
  if (!isDeepStrictEqual(kept, record))
    throw new CathedralError('store_failed', {
      place: to.place,
      expected: describe(record),
      found: describe(kept),
    });
  const digest = createHash('sha256').update(formatSigningRecord(kept)).digest('hex');
  return { part: 'signing record', rows: { services: Object.keys(kept.services).length }, digest, isNew };
}

function describe({ services }: SigningRecord): string {
  const versions = Object.entries(services).map(([service, { version }]) => `${service} version ${version}`);
  return versions.join(', ') || 'nothing signed';
}
