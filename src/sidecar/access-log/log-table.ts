import { CathedralError } from '../../../pipeline/errors.ts';
import type { Database } from '../../../pipeline/postgres/database.ts';
import { openSqlite, type SqliteOptions } from '../../../pipeline/sql/sqlite.ts';
import type { Query, SqlStore } from '../../../pipeline/sql/store.ts';
import { insertion } from '../../../pipeline/sql/table.ts';
import { ENTRIES, LOG_FILE, NOT_NEXT } from '../../../pipeline/sql/tables.ts';
import { type AccessLog, type AccessLogOptions, createAccessLog } from './access-log.ts';
import { type AccessRecord, COLUMNS, type Entry, FIRST_LINK, type Link, linkEntry } from './entry.ts';
import { readLog } from './log-reader.ts';
import { assertHasSigned, type HeadStore } from './signed-heads.ts';

/** Who holds it continues the chain: the next one reads the head after this transaction has ended. */
export const LOG_LOCK = ENTRIES.name;

/** The head, the hash of its entry, the last entry, the last one that was removed, and the hash of the one that this process wrote last. */
const HEAD = `
  SELECT seq, hash, (SELECT hash FROM access_log_entries WHERE seq = head.seq) AS there,
    (SELECT max(seq) FROM access_log_entries) AS last, (SELECT max(last) FROM access_log_removals) AS removed,
    (SELECT hash FROM access_log_entries WHERE seq = $1) AS own
  FROM access_log_head AS head`;

interface HeadRow extends Link {
  there: string | null;
  last: number | null;
  removed: number | null;
  own: string | null;
}

/** Adds no row, and needs the right to. */
const ADD_NOTHING = `INSERT INTO access_log_entries (${COLUMNS.join(', ')}) SELECT ${COLUMNS.join(', ')} FROM access_log_entries WHERE seq < 0`;

/**
 * The log in a file of this machine, which has to have the entry of the newest of `heads`: who cut it off while no server ran is noticed. A folder that cannot be written is tried again with each entry, and a file that is removed while it is in use
 * is not made again: restarting the log would hide the loss.
 */
export function openLogFile(
  path: string,
  {
    waitMs,
    heads,
    ...options
  }: AccessLogOptions & Pick<SqliteOptions, 'waitMs'> & { heads?: HeadStore } = {},
): AccessLog {
  const open = () => openSqlite(path, LOG_FILE, waitMs === undefined ? {} : { waitMs });
  const signed = async (store: SqlStore) => (heads ? assertHasSigned(readLog(store), heads) : null);
  return openLog({ open, signed, close: (store) => store.close() }, options);
}

/** The log in a database. Closing it leaves the database open. */
export function openLogIn(database: Database, options: AccessLogOptions = {}): AccessLog {
  const nothing = async () => null;
  return openLog({ open: async () => database, signed: nothing, close: nothing }, options);
}

interface LogPlace {
  open(): Promise<SqlStore>;
  /** The newest entry that was signed; null: none. Throws access_log_broken if the log lacks it. */
  signed(store: SqlStore): Promise<Link | null>;
  close(store: SqlStore): Promise<unknown>;
}

/**
 * Any number of servers may write to a log at once; their entries form one chain. Entries and checks reject with access_log_broken if the store lacks
 * the entry that this process wrote last or its head does not fit, and with store_failed if the store fails.
 */
function openLog({ open, signed, close }: LogPlace, options: AccessLogOptions): AccessLog {
  let store: SqlStore | null = null;
  /** The entry that the log has to have. */
  let acknowledged: Link | null = null;
  const take = async () => {
    store ??= await open();
    acknowledged ??= (await signed(store)) ?? FIRST_LINK;
    return { store, acknowledged };
  };
  return createAccessLog(
    {
      append: async (records) => {
        const { store, acknowledged: last } = await take();
        acknowledged = await append(store, records, last);
      },
      check: async () => {
        const { store: used, acknowledged } = await take();
        await used.transaction(async (query) => {
          await readHead(used.name, query, acknowledged);
          await query(ADD_NOTHING);
        }, LOG_LOCK);
        await used.check();
      },
      close: async () => {
        if (store) await close(store);
      },
    },
    options,
  );
}

/** Bytes of the log in a database; null while that does not answer. */
export async function logTableBytes(database: Database): Promise<number | null> {
  const size = `SELECT pg_total_relation_size('cathedral.${ENTRIES.name}') AS bytes`;
  return database.query<{ bytes: number }>(size).then(
    ({ rows }) => rows[0]!.bytes,
    () => null,
  );
}

async function append(store: SqlStore, records: readonly AccessRecord[], acknowledged: Link): Promise<Link> {
  // On one machine, hardly anybody else writes: one statement then, which waits for the thread of the file once, and is refused if somebody did.
  if (store.engine === 'sqlite' && acknowledged.seq !== FIRST_LINK.seq) {
    const { entries, last } = linkAll(records, acknowledged);
    const failure = await store.query(...insertion(ENTRIES, entries)).then(
      () => null,
      (error: Error) => error,
    );
    if (!failure) return last;
    if (!(failure instanceof CathedralError) || failure.found !== NOT_NEXT) throw failure;
  }
  return store.transaction(async (query) => {
    const { entries, last } = linkAll(records, await readHead(store.name, query, acknowledged));
    await query(...insertion(ENTRIES, entries));
    return last;
  }, LOG_LOCK);
}

function linkAll(records: readonly AccessRecord[], previous: Link): { entries: Entry[]; last: Link } {
  let link = previous;
  const entries = records.map((record) => {
    const entry = linkEntry(record, link);
    link = entry;
    return entry;
  });
  return { entries, last: { seq: link.seq, hash: link.hash } };
}

/** The entry that the next one follows. Throws access_log_broken if the chain lacks the entry that this process wrote last. */
async function readHead(place: string, query: Query, acknowledged: Link): Promise<Link> {
  const [head] = (await query<HeadRow>(HEAD, [acknowledged.seq])).rows;
  if (!head) throw broken(place, 'a head record', 'none');
  const { seq, hash, there, own } = head;
  const removed = head.removed ?? FIRST_LINK.seq;
  const isExpired = acknowledged.seq <= removed && seq >= acknowledged.seq;
  if (own !== acknowledged.hash && !isExpired)
    throw broken(
      place,
      `${formatLink(acknowledged)}, which this server wrote`,
      `${formatLink(head)} as the last entry`,
    );
  // All that came before was removed by age.
  const isLast = there === hash ? head.last === seq : there === null && removed === seq;
  if (!isLast) throw broken(place, `${formatLink(head)} as the last entry`, `entry ${head.last ?? 'none'}`);
  return { seq, hash };
}

function broken(place: string, expected: string, found: string): CathedralError {
  return new CathedralError('access_log_broken', { place, expected, found });
}

function formatLink({ seq, hash }: Link): string {
  return `entry ${seq} (${hash.slice(0, 16)}…)`;
}
