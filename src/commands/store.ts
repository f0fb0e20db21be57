import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { PUBLISHER_LEASE } from '../../pipeline/build/cluster.ts';
import { text } from '../../pipeline/config/setting.ts';
import type { Config } from '../../pipeline/config/settings.ts';
import { CathedralError } from '../../pipeline/errors.ts';
import { type Database, openDatabase } from '../../pipeline/postgres/database.ts';
import { type Lease, withLease } from '../../pipeline/postgres/lease.ts';
import { fileRecords } from '../../pipeline/release/signing/file-records.ts';
import { postgresRecords } from '../../pipeline/release/signing/postgres-records.ts';
import {
  formatSigningRecord,
  NOTHING_SIGNED,
  type SigningRecord,
  type SigningRecords,
} from '../../pipeline/release/signing/signing-record.ts';
import { utcDay } from '../api/quotas.ts';
import {
  type CopiedLog,
  copiedFolder,
  copiedTables,
  copyAccessLog,
} from '../sidecar/access-log/copy-access-log.ts';
import { isWritten } from '../sidecar/access-log/log-files.ts';
import { openKeyStore } from '../sidecar/keys/sqlite-key-store.ts';
import { KEY_TABLES } from '../sidecar/keys/sqlite-schema.ts';
import { addDayOfCounts } from '../sidecar/limits/postgres-count-store.ts';
import { COUNT_TABLES, openSqliteCountStore } from '../sidecar/limits/sqlite-count-store.ts';
import type { Copied } from '../sidecar/storage/copied.ts';
import { copyTables, databaseTables, fileTables, type TablePlace } from '../sidecar/storage/copy-tables.ts';
import { defineCommand, formatJson, json } from './command.ts';

/** The stores of a single machine. */
const FILES = 'files';

const PLACE = {
  default: null,
  unit: `${FILES}, or postgres://user@host:port/database`,
  required: true,
  schema: text.regex(/^(files|postgres(?:ql)?:\/\/.+)$/),
} as const;

/** A table is written in one statement. */
const TIMEOUT_MS = 600_000;
/** The access log is read while a part of it is written. */
const CONNECTIONS = 3;

const SETTINGS = ['keys', 'limits', 'accessLog', 'publisherKey'] as const;

export const storeCopy = defineCommand({
  summary:
    'Copies API keys, the counts of today, the access log and the signing record from the files of one machine to a database, or back.',
  details: `Stop all servers and publishers first; it refuses to begin where it notices one. \`${FILES}\` are those of --keys, --limits, --access-log and --publisher-key. The user of the database must own the tables. Each part is copied completely or not at all, and then read again on both sides. A destination with other content is refused, and one that already has the same is left alone. So if it was interrupted, run it again; after a kill, half a minute later.`,
  examples: [
    `cathedral store copy --from ${FILES} --to postgres://owner@db.example.org/cathedral`,
    `cathedral store copy --from postgres://owner@db.example.org/cathedral --to ${FILES} --json`,
  ],
  settings: SETTINGS,
  flags: {
    from: { flag: 'from', description: 'Where to copy from.', ...PLACE },
    to: { flag: 'to', description: 'Where to copy to.', ...PLACE },
    json,
  },
  check: ({ from, to }) => {
    if ((from === FILES) !== (to === FILES)) return [];
    const expected = `${FILES} in one of them, and the address of a database in the other`;
    const found = from === FILES ? `${FILES} in both` : 'a database in both';
    return [new CathedralError('config_invalid', { place: '--from and --to', expected, found })];
  },
  async run(config, { now, print, progress }) {
    const address = config.from === FILES ? config.to : config.from;
    const application = 'cathedral store copy';
    const options = { application, connections: CONNECTIONS, timeoutMs: TIMEOUT_MS };
    const database = await openDatabase(address, options);
    try {
      await assertStopped(database, config.accessLog);
      const sides = [filesOf(config), tablesOf(database)] as const;
      const [from, to] = config.from === FILES ? sides : [sides[1], sides[0]];
      progress.note(
        `Copying from ${from.name} to ${to.name}. Start nothing that uses them before it is done.`,
      );
      const all: Copied[] = [];
      const report = (copied: Copied) => {
        all.push(copied);
        if (!config.json) print(formatCopied(copied));
      };
      const holder = `store copy, process ${process.pid}`;
      // While the lease is held, no publisher signs.
      await withLease(database, { name: PUBLISHER_LEASE, holder, waitMs: 0 }, (lease) =>
        copyAll(from, to, { day: utcDay(now() + database.clock()), lease, report }),
      );
      assertSome(all, from.name);
      if (config.json) print(formatJson(all.map(({ isNew, ...copied }) => ({ ...copied, copied: isNew }))));
      return 0;
    } finally {
      await database.close();
    }
  },
});

/** The stores of a service. */
interface Side {
  name: string;
  keys: TablePlace;
  counts: TablePlace;
  accessLog: CopiedLog;
  records: (lease: Lease) => SigningRecords;
}

function filesOf({ keys, limits, accessLog, publisherKey }: Pick<Config, (typeof SETTINGS)[number]>): Side {
  return {
    name: 'the files of this machine',
    keys: fileTables(keys, () => openKeyStore(keys).close()),
    counts: fileTables(limits, () => openSqliteCountStore(limits).close()),
    accessLog: copiedFolder(accessLog),
    records: () => fileRecords(publisherKey, { waitMs: 0 }),
  };
}

function tablesOf(database: Database): Side {
  return {
    name: database.name,
    keys: databaseTables(database),
    counts: databaseTables(database, (day) => addDayOfCounts(database, day)),
    accessLog: copiedTables(database),
    // The record is copied as it is, whatever folders it names.
    records: (lease) =>
      postgresRecords(database, lease, { nameOf: async (out) => out, isAbandoned: async () => true }),
  };
}

/** Servers show up as sessions of the database, or by the lock on the log; a publisher by its lease. */
async function assertStopped(database: Database, accessLog: string): Promise<void> {
  const { rows } = await database.query<{ name: string }>(
    `SELECT application_name AS name FROM pg_stat_activity
     WHERE datname = current_database() AND application_name LIKE 'cathedral %' AND application_name <> $1`,
    ['cathedral store copy'],
  );
  const running = (place: string, found: string) =>
    new CathedralError('locked', { place, expected: 'no server or publisher that is running', found });
  if (rows[0]) throw running(database.name, rows[0].name);
  if (isWritten(accessLog)) throw running(accessLog, 'a server that writes the access log');
}

async function copyAll(
  from: Side,
  to: Side,
  { day, lease, report }: { day: string; lease: Lease; report: (copied: Copied) => void },
): Promise<void> {
  report(await copyTables({ part: 'API keys', tables: KEY_TABLES, day: null }, from.keys, to.keys));
  report(await copyTables({ part: 'counts of today', tables: COUNT_TABLES, day }, from.counts, to.counts));
  report(await copyAccessLog(from.accessLog, to.accessLog));
  report(await copyRecord(from.records(lease), to.records(lease)));
}

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

/** `API keys: copied, 2 holders, 3 keys; SHA-256 9f86…` */
function formatCopied({ part, rows, digest, isNew }: Copied): string {
  const counts = Object.entries(rows).map(([table, count]) => `${count} ${table}`);
  return `${part}: ${isNew ? 'copied' : 'the same already'}, ${counts.join(', ')}; SHA-256 ${digest}`;
}
