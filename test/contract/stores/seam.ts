import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { withLock } from '../../../pipeline/disk/lock.ts';
import { newNoteKey, signerOf } from '../../../pipeline/ledger/notes/note-keys.ts';
import { openDatabase } from '../../../pipeline/postgres/database.ts';
import { type Lease, withLease } from '../../../pipeline/postgres/lease.ts';
import type { Manifest } from '../../../pipeline/release/format/manifest.ts';
import { FOLDERS, fileRecords } from '../../../pipeline/release/signing/file-records.ts';
import { postgresRecords } from '../../../pipeline/release/signing/postgres-records.ts';
import { signRelease } from '../../../pipeline/release/signing/sign-release.ts';
import { recordSnapshots, type SigningRecords } from '../../../pipeline/release/signing/signing-record.ts';
import { openSqlite } from '../../../pipeline/sql/sqlite.ts';
import type { SqlStore } from '../../../pipeline/sql/store.ts';
import { LOG_FILE } from '../../../pipeline/sql/tables.ts';
import { Problem } from '../../../src/api/problem.ts';
import type { AccessLog } from '../../../src/sidecar/access-log/access-log.ts';
import { openLogFile, openLogIn } from '../../../src/sidecar/access-log/access-log.ts';
import type { Access } from '../../../src/sidecar/access-log/entry.ts';
import { expireEntries } from '../../../src/sidecar/access-log/expire-entries.ts';
import { exportAccessLog } from '../../../src/sidecar/access-log/export-access-log.ts';
import { readLog } from '../../../src/sidecar/access-log/log-reader.ts';
import { verifyAccessLog } from '../../../src/sidecar/access-log/verify-access-log.ts';
import { authenticate } from '../../../src/sidecar/keys/authenticate.ts';
import {
  type Application,
  expiringKeys,
  issueKey,
  revokeKey,
  rotateKey,
} from '../../../src/sidecar/keys/key-life.ts';
import { keyStoreIn, openKeyStore } from '../../../src/sidecar/keys/key-store.ts';
import { requestVerification, verifyEmail } from '../../../src/sidecar/keys/verify-email.ts';
import { countStoreIn, openCountStore } from '../../../src/sidecar/limits/count-store.ts';
import { createLimiter } from '../../../src/sidecar/limits/limiter.ts';
import { tamperWith } from '../../sidecar/access-log/open-temporary-log.ts';

export type { Access };

/** What one program does with the stores at a place, which is a folder or the address of a database. */
export type Stores = Awaited<ReturnType<typeof openStores>>;

/** A mail that was accepted. */
export interface Mail {
  to: string;
  text: string;
}

export interface StoreOptions {
  /** The time, ms since 1970. */
  now?: () => number;
  /** Rejects where the mail server does. */
  send?: (mail: Mail) => Promise<void>;
  /** Entries of refused requests, in an hour, for a network. */
  refusals?: number;
}

const BASE_URL = 'https://data.example.org';
/** All programs have the same one. */
const SIGNER = signerOf({ ...newNoteKey('data.example.org', 0), seed: Buffer.alloc(32, 7) });
/** Longer than a busy machine takes for anything. */
const PATIENCE_MS = 60_000;

function isFolder(place: string): boolean {
  return place.startsWith('/');
}

export async function openStores(place: string, options: StoreOptions = {}) {
  const { now = Date.now, send = async () => undefined, refusals = 600 } = options;
  const database = isFolder(place)
    ? null
    : await openDatabase(place, { application: 'a test', connections: 4, timeoutMs: PATIENCE_MS });
  const keyStore = database ? keyStoreIn(database) : await openKeyStore(join(place, 'keys', 'keys.sqlite'));
  const mailer = { send: ({ to, text }: Mail) => send({ to, text }) };
  const keys = { store: keyStore, mailer, now, randomBytes, baseUrl: BASE_URL };
  const limiter = createLimiter({
    store: database ? countStoreIn(database) : await openCountStore(join(place, 'limits.db')),
    random: randomBytes,
  });
  const logFile = join(place, 'access-log', 'log.db');
  const limits = { refusals: { perNetwork: refusals, inAll: 10 * refusals } };
  let log: AccessLog | null = null;
  const writer = () => {
    log ??= database ? openLogIn(database, limits) : openLogFile(logFile, limits);
    return log;
  };
  /** As a command opens it. */
  const withLog = async <T>(work: (store: SqlStore) => Promise<T>): Promise<T> => {
    if (database) return work(database);
    const store = await openSqlite(logFile, LOG_FILE, { mustExist: true });
    return work(store).finally(() => store.close());
  };
  const closeLog = async () => {
    await log?.close();
    log = null;
  };

  return {
    keys: {
      /** A key that is delivered at once. Members of `applicant` as `keys issue` takes them. */
      issue: async (applicant: Application) => {
        const { key, record } = await issueKey(applicant, keys);
        return { key, id: record.id, holder: record.holder };
      },
      rotate: async (id: string, deliver: 'print' | 'mail' = 'print') => {
        const { key, record } = await rotateKey({ id, deliver }, keys);
        return { key, id: record.id, holder: record.holder };
      },
      revoke: async (id: string) => void (await revokeKey({ id, reason: 'lost' }, keys)),
      /** `admitted`, `anonymous`, or the code of a problem; and the holder. */
      open: async (
        key: string,
        area: 'government' | 'economy' | 'academics' | 'philosophy' | 'diplomacy',
      ) => {
        const credentials = { rawHeaders: ['Authorization', `Bearer ${key}`], query: '' };
        try {
          const found = await authenticate(keyStore, credentials, area, now());
          return { result: found ? 'admitted' : 'anonymous', holder: found?.holder ?? null };
        } catch (error) {
          if (!(error instanceof Problem)) throw error;
          return { result: error.code, holder: null };
        }
      },
      list: () => keyStore.keys(),
      requestCode: async (email: string) => void (await requestVerification({ email }, keys)),
      enterCode: async (email: string, code: string) =>
        void (await verifyEmail({ email, code: code.replaceAll('-', '') }, keys)),
      /** Notifies the holders of the keys that end within so many days. */
      notify: async (within: number) => (await expiringKeys({ within, notify: true }, keys)).notified,
    },
    counts: {
      /** Counts a request of a holder, or of an address, up to a limit. What is left, or null: it is refused. */
      take: async (subject: { holder: string } | { address: string }, limit: number) => {
        const request = { area: 'economy', tier: 'economist', subject, now: now() } as const;
        const { allowed, remaining } = await limiter.take(request, { name: 'test', limit });
        return allowed ? remaining : null;
      },
      /** Of an area, up to the limit of the tier. */
      takeOf: (area: 'economy' | 'academics', tier: 'economist' | 'institutional', holder: string) =>
        limiter.take({ area, tier, subject: { holder }, now: now() }),
      usedOf: (area: 'economy' | 'academics', holder: string) =>
        limiter.used({ area, subject: { holder }, now: now() }),
      /** Forgets past days. */
      prune: () => limiter.prune(now()),
      check: () => limiter.check(),
    },
    log: {
      append: (access: Access) => writer().append(access),
      check: () => writer().check(),
      close: closeLog,
      export: async (format: 'csv' | 'ndjson', from = -Infinity, to = Infinity) =>
        withLog(async (store) =>
          (await Array.fromAsync(exportAccessLog(readLog(store), { from, to, format }))).join(''),
        ),
      verify: (head?: string) =>
        withLog((store) => verifyAccessLog(readLog(store), head === undefined ? {} : { head })),
      expire: (before: number) => withLog((store) => expireEntries(store, before, now())),
    },
    /** Runs work as the only holder. */
    hold: <T>(
      { waitMs, lengthMs = 30_000 }: { waitMs: number; lengthMs?: number },
      work: (lease: { epoch: number } | null) => Promise<T>,
    ): Promise<T> =>
      database
        ? withLease(database, { name: 'publisher', holder: `process ${process.pid}`, waitMs, lengthMs }, work)
        : withLock(place, { waitMs, holder: `process ${process.pid}` }, () => work(null)),
    /** The record of a publisher, which in a database is written by the holder of a lease. */
    publisher: (lease: { epoch: number } | null, out = place) =>
      publisherOf(
        database
          ? postgresRecords(database, lease as Lease, {
              nameOf: async () => 'bucket',
              isAbandoned: async () => true,
            })
          : { ...fileRecords(join(place, 'publisher.key'), { waitMs: PATIENCE_MS }), ...FOLDERS },
        place,
        out,
        now,
      ),
    async close() {
      await closeLog();
      await Promise.all([limiter.close(), keyStore.close()]);
      await database?.close();
    },
  };
}

function publisherOf(records: SigningRecords, place: string, out: string, now: () => number) {
  const keyFile = join(isFolder(place) ? place : out, 'publisher.key');
  const signing = { checkpoint: 'a note', signers: [SIGNER] as const };
  return {
    /** Signs the release of so many events of a history, and resolves to its version and hash. */
    sign: (events: number, history: 'a' | 'b' = 'a', content = '0') => {
      const release = releaseOf(events, history, content);
      return signRelease(
        release,
        { ...signing, signers: [...signing.signers] },
        { keyFile, records, out, baseUrl: BASE_URL, previous: null, now },
      );
    },
    list: (snapshots: Record<string, string>) =>
      recordSnapshots({ records, baseUrl: BASE_URL }, { snapshots, lost: {} }),
    last: async () => (await records.read()).services[BASE_URL] ?? null,
  };
}

function releaseOf(size: number, history: string, content: string): Manifest {
  return {
    format: 'cathedral-release/1',
    release: `2025-07-03T06Z-${content.padStart(8, '0')}`,
    timestamp: `${new Date(Date.UTC(2025, 6, 3, 5) + size * 1000).toISOString().slice(0, 19)}Z`,
    ledger: { origin: 'ledger.example.org', snapshot: '2025-07-03T06Z', size, root: history.repeat(64) },
    software: 'test',
    inputs: '',
    files: [],
    segments: {},
    unlisted: [],
    content: '',
    digest: '',
  };
}

/** What somebody does to the stored log who may do everything: SQL on its table. */
export async function tamper(
  place: string,
  what: (table: string) => string,
  sql: (text: string) => Promise<unknown>,
): Promise<void> {
  if (isFolder(place)) tamperWith(join(place, 'access-log'), what('access_log_entries'));
  else await sql(`SET session_replication_role = replica; ${what('cathedral.access_log_entries')}`);
}

/** What somebody does to the stored log who may write to its tables, with every guard on. `statement` names them as files do. */
export async function change(
  place: string,
  statement: string,
  sql: (text: string) => Promise<unknown>,
): Promise<void> {
  if (!isFolder(place)) return void (await sql(statement.replaceAll('access_log_', 'cathedral.access_log_')));
  const database = new DatabaseSync(join(place, 'access-log', 'log.db'));
  try {
    database.exec(statement);
  } finally {
    database.close();
  }
}
