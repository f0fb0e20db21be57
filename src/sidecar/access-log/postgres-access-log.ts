import { CathedralError } from '../../../pipeline/errors.ts';
import type { Database } from '../../../pipeline/postgres/database.ts';
import { sqlState } from '../../../pipeline/postgres/fault.ts';
import type { Query } from '../../../pipeline/sql/store.ts';
import { type AccessLog, type AccessLogOptions, createAccessLog } from './access-log.ts';
import { type AccessRecord, COLUMNS, type Entry, FIRST_LINK, type Link, linkEntry } from './entry.ts';

export const ENTRIES = 'access_log_entries';

/** PostgreSQL's types of the columns. */
const TYPES: Readonly<Partial<Record<keyof Entry, string>>> = { seq: 'bigint', status: 'integer' };

/** Its values: an array for each column, in the order of COLUMNS. */
const INSERT = `
  INSERT INTO cathedral.${ENTRIES} (${COLUMNS.join(', ')})
  SELECT * FROM unnest(${COLUMNS.map((name, at) => `$${at + 1}::${TYPES[name] ?? 'text'}[]`).join(', ')})`;
const [SEQ, HASH] = [COLUMNS.length + 1, COLUMNS.length + 2];
/** One statement: the head is locked meanwhile, and other servers wait for each round trip. Its last values are the new head. */
const APPEND = `
  WITH added AS (${INSERT}) UPDATE cathedral.access_log_head SET seq = $${SEQ}::bigint, hash = $${HASH}::text`;

/** How long a server that was paused holds up the others: less than they wait for a lock. */
const MOST_IDLE_MS = 2_000;

/**
 * The lock on the head is what makes one chain of the entries of all servers: the next one reads it after this transaction has
 * ended. `own` is the entry that this process wrote last.
 */
const TAKE_HEAD = `
  SELECT head.seq, head.hash, (SELECT seq FROM cathedral.access_log_start) AS start,
    (SELECT hash FROM cathedral.${ENTRIES} WHERE seq = $1) AS own,
    has_table_privilege('cathedral.${ENTRIES}', 'INSERT') AS "mayInsert",
    set_config('idle_in_transaction_session_timeout', '${MOST_IDLE_MS}', true)
  FROM cathedral.access_log_head AS head FOR UPDATE OF head`;

interface HeadRow extends Link {
  start: number;
  own: string | null;
  mayInsert: boolean;
}

/** unique_violation */
const EXISTS = '23505';

/**
 * Opens the log of a database for writing. Any number of servers may write to it at once; their entries form one chain. Each
 * server locks the head of the chain only while it stores a group of entries. Entries and checks reject with access_log_broken if
 * the database lacks what this process wrote or its head record does not fit, and with store_failed if the database fails.
 */
export function openPostgresAccessLog(database: Database, options: AccessLogOptions = {}): AccessLog {
  let acknowledged = FIRST_LINK;
  return createAccessLog(
    {
      append: async (records) => {
        acknowledged = await database.transaction((query) =>
          appendAll(database.name, query, { records, acknowledged }),
        );
      },
      // Locking a row writes to the database, so that a full disk or a missing standby is noticed.
      check: () =>
        database.transaction(async (query) => void (await takeHead(database.name, query, acknowledged))),
      // The database belongs to the caller.
      close: async () => undefined,
    },
    options,
  );
}

async function appendAll(
  place: string,
  query: Query,
  { records, acknowledged }: { records: readonly AccessRecord[]; acknowledged: Link },
): Promise<Link> {
  const entries = linkAll(records, await takeHead(place, query, acknowledged));
  const { seq, hash } = entries.at(-1)!;
  await query(APPEND, [...columnsOf(entries), seq, hash]).catch((error) => {
    if (sqlState(error) !== EXISTS) throw error;
    throw broken(place, 'a head record of the last entry', 'a later entry in the table');
  });
  return { seq, hash };
}

function linkAll(records: readonly AccessRecord[], previous: Link): Entry[] {
  let link = previous;
  return records.map((record) => {
    const entry = linkEntry(record, link);
    link = entry;
    return entry;
  });
}

/** Adds rows as they are, without moving the head. */
export async function storeEntries(query: Query, entries: readonly Entry[]): Promise<void> {
  await query(INSERT, columnsOf(entries));
}

function columnsOf(entries: readonly Entry[]): unknown[][] {
  return COLUMNS.map((name) => entries.map((entry) => entry[name]));
}

/** Locks the head until the end of the transaction. Throws access_log_broken if the chain lacks the entry that this process wrote last. */
async function takeHead(place: string, query: Query, acknowledged: Link): Promise<Link> {
  const { rows } = await query<HeadRow>(TAKE_HEAD, [acknowledged.seq]);
  const [head] = rows;
  if (!head) throw broken(place, 'a head record', 'none');
  const { seq, hash, start, own, mayInsert } = head;
  const isExpired = acknowledged.seq <= start && seq >= acknowledged.seq;
  if (own !== acknowledged.hash && !isExpired)
    throw broken(
      place,
      `${formatLink(acknowledged)}, which this server wrote`,
      `${formatLink({ seq, hash })} as the last entry`,
    );
  if (!mayInsert)
    throw new CathedralError('store_failed', {
      place,
      expected: `a user who may add rows to cathedral.${ENTRIES}`,
      found: 'one who may not',
    });
  return { seq, hash };
}

function broken(place: string, expected: string, found: string): CathedralError {
  return new CathedralError('access_log_broken', { place, expected, found });
}

function formatLink({ seq, hash }: Link): string {
  return `entry ${seq} (${hash.slice(0, 16)}…)`;
}
