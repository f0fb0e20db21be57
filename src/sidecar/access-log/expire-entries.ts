import { setTimeout as sleep } from 'node:timers/promises';
import type { Query, SqlStore } from '../../../pipeline/sql/store.ts';
import { insertion } from '../../../pipeline/sql/table.ts';
import { REMOVALS } from '../../../pipeline/sql/tables.ts';
import type { Link } from './entry.ts';
import { formatLogTime, readLog } from './log-reader.ts';

export interface Expired {
  /** The removed entries; null if there were none. */
  removed: { first: number; last: number } | null;
  /** Number of older entries that stay because they follow a newer one: a clock was set back. */
  left: number;
}

/** Entries that are examined or removed in one statement: some milliseconds of work, for which a server waits. */
const BATCH_ROWS = 1_000;
const PAUSE_MS = 5;

/** Of a batch of entries: its end, its first newer entry, and how many are older. */
const EXAMINE = `
  SELECT max(seq) AS last, min(CASE WHEN time >= $2 THEN seq END) AS newer, count(CASE WHEN time < $2 THEN 1 END) AS older
  FROM (SELECT seq, time FROM access_log_entries WHERE seq > $1 ORDER BY seq LIMIT ${BATCH_ROWS}) AS batch`;
const LAST_BEFORE =
  'SELECT seq, hash FROM access_log_entries WHERE seq > $1 AND seq < $2 ORDER BY seq DESC LIMIT 1';
const REMOVE = `
  DELETE FROM access_log_entries WHERE seq IN
    (SELECT seq FROM access_log_entries WHERE seq <= $1 ORDER BY seq LIMIT ${BATCH_ROWS})`;

interface Batch {
  last: number | null;
  newer: number | null;
  older: number;
}

/**
 * Removes the entries older than `before` (ms since 1970) from the start of a log, in a database as the owner of its tables. Records, with the
 * time `now`, which entries were removed and the hash of the last one, from which the rest is verified. Servers may write meanwhile. After a kill
 * the removal is either complete or not recorded, and the next call deletes any leftovers.
 */
export async function expireEntries(store: SqlStore, before: number, now: number): Promise<Expired> {
  const bound = formatLogTime(before);
  const { last, left } = await findEnd(store.query, await readLog(store).readStart(), bound);
  // Recorded first: the tables refuse to delete what no record covers, and after a kill the rest is ignored.
  const { removed, end } = await store.transaction(async (query) => {
    const start = await readLog({ name: store.name, query }).readStart();
    if (last.seq <= start.seq) return { removed: null, end: start.seq };
    const range = { first: start.seq + 1, last: last.seq };
    const removal = { ...range, hash: last.hash, at: formatLogTime(now), before: bound };
    await query(...insertion(REMOVALS, [removal]));
    return { removed: range, end: last.seq };
  }, REMOVALS.name);
  let count = 0;
  do {
    ({ count } = await store.query(REMOVE, [end]));
    await sleep(PAUSE_MS);
  } while (count > 0);
  await store.scrub();
  return { removed, left };
}

/** The last entry of the leading run of older entries, and the number of older ones after it. */
async function findEnd(query: Query, start: Link, before: string): Promise<{ last: Link; left: number }> {
  const examine = async (after: number) => (await query<Batch>(EXAMINE, [after, before])).rows[0]!;
  let end = start.seq;
  let batch = await examine(end);
  while (batch.last !== null && batch.newer === null) {
    end = batch.last;
    batch = await examine(end);
  }
  const newer = batch.newer ?? end + 1;
  const last = (await query<Link>(LAST_BEFORE, [start.seq, newer])).rows[0] ?? start;
  let left = 0;
  if (batch.newer !== null)
    for (let after = newer; ; ) {
      const { last: next, older } = await examine(after);
      if (next === null) break;
      left += older;
      after = next;
    }
  return { last, left };
}
