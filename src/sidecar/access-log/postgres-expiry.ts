import { setTimeout as sleep } from 'node:timers/promises';
import type { Database } from '../../../pipeline/postgres/database.ts';
import type { Query } from '../../../pipeline/sql/store.ts';
import type { Link } from './entry.ts';
import type { Expired } from './expire-entries.ts';
import { formatLogTime } from './log-reader.ts';
import { ENTRIES } from './postgres-access-log.ts';

/** Entries that are examined or removed in one statement: some milliseconds of work. */
const BATCH_ROWS = 5_000;
const PAUSE_MS = 5;

/** Of a batch of entries: its end, its first newer entry, the last entry before that, and how many older ones there are. */
const EXAMINE = `
  WITH batch AS MATERIALIZED (
    SELECT seq, hash, time < $2 AS is_old FROM cathedral.${ENTRIES} WHERE seq > $1 ORDER BY seq LIMIT ${BATCH_ROWS}
  ), newer AS MATERIALIZED (SELECT min(seq) AS seq FROM batch WHERE NOT is_old)
  SELECT max(batch.seq) AS end, min(newer.seq) AS newer, count(*) FILTER (WHERE is_old)::int AS old,
    (array_agg(batch.seq ORDER BY batch.seq DESC) FILTER (WHERE newer.seq IS NULL OR batch.seq < newer.seq))[1] AS last,
    (array_agg(batch.hash ORDER BY batch.seq DESC) FILTER (WHERE newer.seq IS NULL OR batch.seq < newer.seq))[1] AS hash,
    count(*) FILTER (WHERE newer.seq IS NULL OR batch.seq < newer.seq)::int AS leading
  FROM batch, newer`;
const REMOVE = `
  DELETE FROM cathedral.${ENTRIES} WHERE seq IN
    (SELECT seq FROM cathedral.${ENTRIES} WHERE seq <= $1 ORDER BY seq LIMIT ${BATCH_ROWS})`;

interface Batch {
  end: number | null;
  newer: number | null;
  old: number;
  last: number | null;
  hash: string | null;
  leading: number;
}

/**
 * Removes the entries older than `before` (ms since 1970) from the start of a database's log, as the owner of its tables. Records,
 * with the time `now`, which entries were removed and the hash of the last one, from which the rest is verified. Servers may write
 * meanwhile. After a kill the removal is either complete or not recorded, and the next call deletes any leftovers.
 */
export async function expireTableEntries(database: Database, before: number, now: number): Promise<Expired> {
  const bound = formatLogTime(before);
  const found = await findEnd(database.query, bound);
  // Write the record first: the tables refuse to delete what no record covers, and after a kill the rest is ignored.
  const removed = await database.transaction(async (query): Promise<Expired['removed']> => {
    const { rows } = await query<Link>('SELECT seq, hash FROM cathedral.access_log_start FOR UPDATE');
    const start = rows[0]!.seq;
    if (found.last.seq <= start) return null;
    const { seq, hash } = found.last;
    await query('UPDATE cathedral.access_log_start SET seq = $1, hash = $2', [seq, hash]);
    await query(
      'INSERT INTO cathedral.access_log_removals (first, last, at, before) VALUES ($1, $2, $3, $4)',
      [start + 1, seq, formatLogTime(now), bound],
    );
    return { first: start + 1, last: seq };
  });
  await removeUpTo(database, removed?.last ?? found.start);
  return { removed, left: found.left };
}

/** The last entry of the leading run of older entries, and the number of older ones after it. */
async function findEnd(query: Query, before: string): Promise<{ start: number; last: Link; left: number }> {
  const { rows } = await query<Link>('SELECT seq, hash FROM cathedral.access_log_start');
  const start = rows[0]!;
  let last: Link = start;
  let left = 0;
  let isOver = false;
  for (let after = start.seq; ; ) {
    const batch = (await query<Batch>(EXAMINE, [after, before])).rows[0]!;
    if (batch.end === null) return { start: start.seq, last, left };
    if (!isOver && batch.last !== null) last = { seq: batch.last, hash: batch.hash! };
    left += batch.old - (isOver ? 0 : batch.leading);
    isOver ||= batch.newer !== null;
    after = batch.end;
  }
}

async function removeUpTo({ query }: Database, seq: number): Promise<void> {
  for (let count = BATCH_ROWS; count === BATCH_ROWS; ) {
    ({ count } = await query(REMOVE, [seq]));
    await sleep(PAUSE_MS);
  }
}
