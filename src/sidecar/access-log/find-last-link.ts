import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { CathedralError } from '../../../pipeline/errors.ts';
import { BEFORE_FIRST, type Entry, type Link } from './entry.ts';
import { CURRENT, listArchives, openForReading } from './log-files.ts';
import { readBeginning, readHead } from './records.ts';

/**
 * The entry that the next one follows. Looks at where the files meet and at the head record only; a verification looks at
 * everything. Throws access_log_broken where the log does not hold what it says: going on would cover that up.
 */
export function findLastLink(dir: string, current: DatabaseSync): Link {
  const beginning = readBeginning(dir);
  const archived = readArchivedEnd(dir, beginning);
  // What is about to be removed stands before the beginning.
  const first = end(current, 'ASC', beginning.seq);
  const last = end(current, 'DESC', beginning.seq);
  if (first && (first.seq !== archived.seq + 1 || first.prev_hash !== archived.hash))
    throw broken(join(dir, CURRENT), `to begin after ${format(archived)}`, `entry ${first.seq}`);
  const link = last ? { seq: last.seq, hash: last.hash } : archived;
  checkHead(dir, current, link);
  return link;
}

/** Throws access_log_broken where a log that ends with `last` does not hold an entry that this process wrote. */
export function assertGoesOn(dir: string, current: DatabaseSync, last: Link, acknowledged: Link): void {
  const there = acknowledged.seq === last.seq ? last : entryOf(current, acknowledged.seq);
  if (acknowledged.seq > last.seq || (there && there.hash !== acknowledged.hash))
    throw broken(
      dir,
      `to hold ${format(acknowledged)}, which this server wrote`,
      `${format(last)} as the last`,
    );
}

function readArchivedEnd(dir: string, { seq, hash }: Link): Link {
  const archive = listArchives(dir).at(-1);
  if (!archive || archive.last <= seq) return { seq, hash };
  const database = openForReading(dir, archive.name);
  try {
    const last = end(database, 'DESC', seq);
    if (last?.seq !== archive.last)
      throw broken(join(dir, archive.name), `to end with entry ${archive.last}`, `${last?.seq}`);
    return { seq: last.seq, hash: last.hash };
  } finally {
    database.close();
  }
}

/** The head is never ahead of the log, and what it names is in it. */
function checkHead(dir: string, current: DatabaseSync, last: Link): void {
  const head = readHead(dir);
  // Nothing was ever acknowledged.
  if (!head && last.seq === BEFORE_FIRST.seq) return;
  const place = join(dir, 'head');
  if (!head) throw broken(place, `a record of ${format(last)} or an earlier entry`, 'no file');
  const there = entryOf(current, head.seq) ?? (head.seq === last.seq ? last : null);
  if (head.seq > last.seq || (there && there.hash !== head.hash))
    throw broken(dir, `to hold ${format(head)}, which was acknowledged`, `${format(last)} as the last`);
}

function entryOf(database: DatabaseSync, seq: number): Link | undefined {
  return database.prepare('SELECT seq, hash FROM entries WHERE seq = ?').get(seq) as Link | undefined;
}

function end(database: DatabaseSync, order: 'ASC' | 'DESC', after: number): Entry | undefined {
  const sql = `SELECT seq, prev_hash, hash FROM entries WHERE seq > ? ORDER BY seq ${order} LIMIT 1`;
  return database.prepare(sql).get(after) as Entry | undefined;
}

function broken(place: string, expected: string, found: string) {
  return new CathedralError('access_log_broken', { place, expected, found });
}

function format({ seq, hash }: Link): string {
  return `entry ${seq} (${hash.slice(0, 16)}…)`;
}
