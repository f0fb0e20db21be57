import { CathedralError, errorOf } from '../../../pipeline/errors.ts';
import type { Database } from '../../../pipeline/postgres/database.ts';
import type { Query, SqlStore } from '../../../pipeline/sql/store.ts';
import { insertion } from '../../../pipeline/sql/table.ts';
import { ENTRIES, NOT_NEXT } from '../../../pipeline/sql/tables.ts';
import { type AccessRecord, COLUMNS, type Entry, FIRST_LINK, type Link, linkEntry } from './entry.ts';

const broken = errorOf('access_log_broken');

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

/** Rejects with the error that the next append would get. Returns the entry that the log has to have, as it is. */
export async function assertMayAppend(store: SqlStore, acknowledged: Link): Promise<Link> {
  await store.transaction(async (query) => {
    await readHead(store.name, query, acknowledged);
    await query(ADD_NOTHING);
  }, LOG_LOCK);
  await store.check();
  return acknowledged;
}

/** Bytes of the log in a database; null while that does not answer. */
export async function logTableBytes(database: Database): Promise<number | null> {
  const size = `SELECT pg_total_relation_size('cathedral.${ENTRIES.name}') AS bytes`;
  return database.query<{ bytes: number }>(size).then(
    ({ rows }) => rows[0]!.bytes,
    () => null,
  );
}

/**
 * Appends all records to the chain or none. Resolves, to the last entry, when they would survive a power failure. `acknowledged`: the entry that the
 * log has to have.
 */
export async function appendEntries(
  store: SqlStore,
  records: readonly AccessRecord[],
  acknowledged: Link,
): Promise<Link> {
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

function formatLink({ seq, hash }: Link): string {
  return `entry ${seq} (${hash.slice(0, 16)}…)`;
}
