import { z } from 'zod';
import { CathedralError } from '../../../pipeline/errors.ts';
import type { SqlStore } from '../../../pipeline/sql/store.ts';
import { ENTRIES, REMOVALS } from '../../../pipeline/sql/tables.ts';
import { COLUMNS, type Entry, FIRST_LINK, type Link } from './entry.ts';

export interface Period {
  /** ms since 1970, inclusive */
  from: number;
  /** ms since 1970, exclusive */
  to: number;
}

/** One removal of old entries. */
const Removal = z.strictObject({
  /** When it happened, and the cutoff time: `2025-12-01T06:00:00.000Z`. */
  at: z.iso.datetime(),
  before: z.iso.datetime(),
  first: z.int().min(0),
  last: z.int().min(0),
  /** Of the last entry. */
  hash: z.string().regex(/^[0-9a-f]{64}$/),
});

/** The link before the first kept entry, FIRST_LINK if none was removed, and the removals that led to it, oldest first. */
export interface LogStart extends Link {
  removals: z.infer<typeof Removal>[];
}

export type LogReader = ReturnType<typeof readLog>;

/** A few MB at most, whatever was requested. */
const BATCH_ROWS = 500;
const ALWAYS: Period = { from: -Infinity, to: Infinity };

/** Where the next batch ends. Bounded work, however few of the entries are wanted. */
const BATCH_END = `
  SELECT max(seq) AS seq FROM (SELECT seq FROM ${ENTRIES.name} WHERE seq > $1 ORDER BY seq LIMIT ${BATCH_ROWS}) AS batch`;
const BATCH = `
  SELECT ${COLUMNS.join(', ')} FROM ${ENTRIES.name}
  WHERE seq > $1 AND seq <= $2 AND time >= $3 AND time < $4 ORDER BY seq`;

/**
 * A stored log, as an export, a verification and a copy read it, in short transactions: servers may append to it and an operator may remove old
 * entries meanwhile. Every member throws store_failed if the log cannot be read.
 */
export function readLog({ name, query }: Pick<SqlStore, 'name' | 'query'>) {
  return {
    /** The file, or the address of the database without its password. */
    name,
    /** Throws access_log_broken for an invalid record. */
    async readStart(): Promise<LogStart> {
      const { rows } = await query(
        `SELECT at, before, first, last, hash FROM ${REMOVALS.name} ORDER BY last`,
      );
      const parsed = z.array(Removal).safeParse(rows);
      if (!parsed.success)
        throw new CathedralError('access_log_broken', {
          place: `${name}, ${REMOVALS.name}`,
          expected: 'removals of entries, each with the hash of its last one',
          found: JSON.stringify(rows).slice(0, 100),
        });
      const last = parsed.data.at(-1);
      return { ...(last ? { seq: last.last, hash: last.hash } : FIRST_LINK), removals: parsed.data };
    },
    /** The record of the last entry; null if it is missing. */
    async readHead() {
      return (await query<Link>('SELECT seq, hash FROM access_log_head')).rows[0] ?? null;
    },
    /** The entries after `seq`, in their order, a few hundred at a time. */
    async *entriesAfter(seq: number, { from, to }: Period = ALWAYS) {
      // The last millisecond of the column's range is included where no end was given.
      const bounds = [formatLogTime(from), to === Infinity ? '~' : formatLogTime(to)];
      for (let after = seq; ; ) {
        const { rows } = await query<{ seq: number | null }>(BATCH_END, [after]);
        const end = rows[0]!.seq;
        if (end === null) return;
        const { rows: entries } = await query<Entry>(BATCH, [after, end, ...bounds]);
        if (entries.length > 0) yield entries;
        after = end;
      }
    },
  };
}

/** The entry with this number; null if it is missing. */
export async function entryAt(log: LogReader, seq: number): Promise<Entry | null> {
  for await (const [entry] of log.entriesAfter(seq - 1)) return entry?.seq === seq ? entry : null;
  return null;
}

/** Comparable as text with the column `time`. Times outside the column's range become its first or last value. */
export function formatLogTime(time: number): string {
  const [least, most] = [Date.UTC(0, 0, 1), Date.UTC(9999, 11, 31, 23, 59, 59, 999)];
  return new Date(Math.min(Math.max(time, least), most)).toISOString();
}
