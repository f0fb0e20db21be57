import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import type { Query, Relation } from './relation.ts';

/** Most transactions are shorter. After so long, the import takes what is final already. */
const WAIT_MS = 2000;
const POLL_MS = 20;
/** Rows have the time at which their transaction began, which is some time before it locks the table. */
const BEGUN_BEFORE = '30 seconds';

/** Up to where the rows of a table are final. */
export interface Final {
  /** Key of the last row before which no other can still appear; null: of none. */
  until: string[] | null;
  /** For the next import. */
  mark: WritersSeen;
  /** No transaction that is still open began before; null: none was left. */
  heldSince: string | null;
}

/** The newest row at some moment, and the transactions that were writing the table then and that the import did not wait for. */
export const WritersSeen = z.strictObject({
  /** Start of the server: later, the names of transactions mean others. */
  server: z.string(),
  /** Key of the newest row; null for an empty table. */
  newest: z.array(z.string()).nullable(),
  writers: z.array(z.string()),
  /** Rows of transactions that locked the table later have no earlier time. */
  at: z.string(),
  /** The same of these transactions. */
  since: z.string(),
});
type WritersSeen = z.output<typeof WritersSeen>;

/**
 * Finds up to where the rows of a table are final. A sequence numbers rows when they are written, and they appear when they are committed,
 * so row 6 can appear after row 7. Neither the age nor the transaction ids of rows tell whether row 6 was rolled back or is still to come: 7
 * may belong to an older transaction than 6. But whoever writes a table locks it first, before the sequence gives an id, and until the
 * transaction has ended. So when all that locked the table at some moment have ended, no row can appear any more before the one that was
 * the newest at that moment. `previous`: the mark of the import before.
 */
export async function findFinal(
  query: Query,
  relation: Relation,
  previous: WritersSeen | null,
): Promise<Final> {
  const mark = await markNow(query, relation);
  const deadline = performance.now() + WAIT_MS;
  let open = mark.writers;
  while (hasOpen(mark, open) && performance.now() < deadline) {
    await sleep(POLL_MS);
    open = await writersOf(query, relation);
  }
  if (!hasOpen(mark, open)) return finalAt(mark.newest, { ...mark, writers: [] });
  if (previous?.server !== mark.server) return finalAt(null, mark);
  // So the import goes on, even if there always is some long transaction.
  return hasOpen(previous, open)
    ? finalAt(null, previous)
    : finalAt(previous.newest, { ...mark, since: previous.at });
}

function finalAt(until: string[] | null, mark: WritersSeen): Final {
  return { until, mark, heldSince: mark.writers.length > 0 ? mark.since : null };
}

/** The newest row first: whoever got an earlier id had locked the table by then, and still has, or has ended. */
async function markNow(query: Query, relation: Relation): Promise<WritersSeen> {
  const { from, order } = relation;
  const keys = order.map((key, at) => `(${key})::text AS k${at}`).join(', ');
  const newest = order.map((key) => `${key} DESC`).join(', ');
  const { rows } = await query(`SELECT ${keys} FROM ${from} ORDER BY ${newest} LIMIT 1`);
  const server = await query(
    `SELECT pg_postmaster_start_time()::text AS server, now() - interval '${BEGUN_BEFORE}' AS at`,
  );
  return {
    server: server.rows[0].server,
    at: new Date(server.rows[0].at).toISOString(),
    since: EARLIEST,
    newest: rows[0] ? order.map((_, at) => rows[0][`k${at}`]) : null,
    writers: await writersOf(query, relation),
  };
}

const EARLIEST = '1970-01-01T00:00:00.000Z';

/** A transaction that was prepared for a commit in two phases has another name than before. */
const PREPARED = 'prepared';

/** The transactions that may have written the table, its partitions or the tables that inherit from it. */
async function writersOf(query: Query, { oid }: Relation): Promise<string[]> {
  const { rows } = await query(
    `WITH RECURSIVE parts AS (SELECT $1::oid AS oid UNION SELECT inhrelid FROM pg_inherits JOIN parts ON inhparent = parts.oid)
     SELECT DISTINCT CASE WHEN pid IS NULL THEN '${PREPARED}' ELSE virtualtransaction END AS writer FROM pg_locks
     WHERE locktype = 'relation' AND granted AND mode IN ('RowExclusiveLock', 'ShareRowExclusiveLock', 'ExclusiveLock', 'AccessExclusiveLock')
       AND database = (SELECT oid FROM pg_database WHERE datname = current_database()) AND relation IN (SELECT oid FROM parts)`,
    [oid],
  );
  return rows.map(({ writer }) => writer);
}

function hasOpen({ writers }: WritersSeen, open: readonly string[]): boolean {
  return writers.length > 0 && open.some((writer) => writer === PREPARED || writers.includes(writer));
}
