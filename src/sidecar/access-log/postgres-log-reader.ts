import { z } from 'zod';
import { CathedralError } from '../../../pipeline/errors.ts';
import type { Database } from '../../../pipeline/postgres/database.ts';
import { COLUMNS, type Entry, type Link } from './entry.ts';
import { formatLogTime, type LogReader, type Period } from './log-reader.ts';
import { ENTRIES } from './postgres-access-log.ts';
import { LogStart } from './records.ts';

/** A few MB at most, whatever was requested. */
const BATCH_ROWS = 500;
const ALWAYS: Period = { from: -Infinity, to: Infinity };

/** Where the next batch ends. Bounded work, however few of the entries are wanted. */
const BATCH_END = `
  SELECT max(seq) AS seq FROM (SELECT seq FROM cathedral.${ENTRIES} WHERE seq > $1 ORDER BY seq LIMIT ${BATCH_ROWS}) AS batch`;
const BATCH = `
  SELECT ${COLUMNS.join(', ')} FROM cathedral.${ENTRIES}
  WHERE seq > $1 AND seq <= $2 AND time >= $3 AND time < $4 ORDER BY seq`;

/** Reads the log of a database, in short transactions. */
export function readLogTables(database: Database): LogReader {
  return {
    name: database.name,
    // The schema of the database includes the log.
    assertThere: async () => undefined,
    readStart: () => readStart(database),
    readHead: async () => {
      const { rows } = await database.query<Link>('SELECT seq, hash FROM cathedral.access_log_head');
      return rows[0] ?? null;
    },
    async *parts() {
      yield { name: ENTRIES, entriesAfter: (seq, period = ALWAYS) => readEntries(database, seq, period) };
    },
  };
}

/** Null while the database does not answer. */
export async function logTableBytes(database: Database): Promise<number | null> {
  const size = `SELECT pg_total_relation_size('cathedral.${ENTRIES}') AS bytes`;
  return database.query<{ bytes: number }>(size).then(
    ({ rows }) => rows[0]!.bytes,
    () => null,
  );
}

async function readStart({ query, name }: Database): Promise<LogStart> {
  const { rows } = await query(`
    SELECT seq, hash, (SELECT coalesce(json_agg(removal ORDER BY last), '[]')
      FROM (SELECT at, before, first, last FROM cathedral.access_log_removals) AS removal) AS removals
    FROM cathedral.access_log_start`);
  const parsed = z.tuple([LogStart]).safeParse(rows);
  if (parsed.success) return parsed.data[0];
  throw new CathedralError('access_log_broken', {
    place: `${name}, access_log_start`,
    expected: 'a row with the last removed entry, and the removals',
    found: JSON.stringify(rows).slice(0, 100),
  });
}

async function* readEntries(
  { query }: Database,
  first: number,
  { from, to }: Period,
): AsyncGenerator<Entry[]> {
  // The last millisecond of the column's range is included where no end was given.
  const bounds = [formatLogTime(from), to === Infinity ? '~' : formatLogTime(to)];
  for (let after = first; ; ) {
    const { rows } = await query<{ seq: number | null }>(BATCH_END, [after]);
    const end = rows[0]!.seq;
    if (end === null) return;
    const { rows: entries } = await query<Entry>(BATCH, [after, end, ...bounds]);
    if (entries.length > 0) yield entries;
    after = end;
  }
}
