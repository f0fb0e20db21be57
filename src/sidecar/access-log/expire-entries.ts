import { chmodSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { asStoreErrors } from '../storage/open-database.ts';
import type { Link } from './entry.ts';
import { assertLog, type LogFile, listArchives, openLogFiles } from './log-files.ts';
import { formatLogTime } from './log-reader.ts';
import { readLogStart, writeBeginning } from './records.ts';

export interface Expired {
  /** The removed entries; null if there were none. */
  removed: { first: number; last: number } | null;
  /** Number of older entries that stay because they follow a newer one: a clock was set back. */
  left: number;
}

/** Batch size that blocks a writing server for only a few milliseconds. */
const BATCH_ROWS = 500;
/** How long to wait for a writing server, ms. */
const BUSY_TIMEOUT_MS = 5_000;
const PAUSE_MS = 5;
const REMOVE = `DELETE FROM entries WHERE seq IN (SELECT seq FROM entries WHERE seq <= ? ORDER BY seq LIMIT ${BATCH_ROWS})`;
const REMAINS = ['-journal', '-wal', '-shm'] as const;

/**
 * Removes the entries older than `before` (ms since 1970) from the start of the log. Records, with the time `now`, which
 * entries were removed and the hash of the last one, from which the rest is verified. A server may write meanwhile. After a
 * kill the removal is either complete or not recorded, and the next call deletes any leftovers.
 */
export async function expireEntries(dir: string, before: number, now: number): Promise<Expired> {
  assertLog(dir);
  const beginning = readLogStart(dir);
  const { last, left } = findEnd(dir, formatLogTime(before), beginning);
  const isNew = last.seq > beginning.seq;
  const removal = {
    at: formatLogTime(now),
    before: formatLogTime(before),
    first: beginning.seq + 1,
    last: last.seq,
  };
  // Write the record first: after a kill in between, the entries are still present but ignored.
  if (isNew) writeBeginning(dir, { ...last, removals: [...beginning.removals, removal] });
  await removeUpTo(dir, isNew ? last.seq : beginning.seq);
  return { removed: isNew ? { first: removal.first, last: removal.last } : null, left };
}

/** The last entry of the leading run of older entries, and the number of older ones after it. */
function findEnd(dir: string, before: string, beginning: Link): { last: Link; left: number } {
  let last: Link = { seq: beginning.seq, hash: beginning.hash };
  let left = 0;
  let isOver = false;
  for (const file of openLogFiles(dir)) {
    if ('error' in file) throw file.error;
    if (!isOver) {
      const newer = firstNewer(file, before, last.seq);
      last = lastBefore(file, newer ?? Number.MAX_SAFE_INTEGER, last);
      isOver = newer !== null;
    }
    const sql = 'SELECT count(*) AS count FROM entries WHERE seq > ? AND time < ?';
    left += Number(file.database.prepare(sql).get(last.seq, before)?.count ?? 0);
  }
  return { last, left };
}

function firstNewer({ database }: LogFile, before: string, after: number): number | null {
  const sql = 'SELECT min(seq) AS seq FROM entries WHERE seq > ? AND time >= ?';
  return (database.prepare(sql).get(after, before) as { seq: number | null }).seq;
}

function lastBefore({ database }: LogFile, end: number, otherwise: Link): Link {
  const sql = 'SELECT seq, hash FROM entries WHERE seq > ? AND seq < ? ORDER BY seq DESC LIMIT 1';
  const row = database.prepare(sql).get(otherwise.seq, end) as Link | undefined;
  return row ? { seq: row.seq, hash: row.hash } : otherwise;
}

/** Deleted data is overwritten and leaves no trace in the files beside the database. */
async function removeUpTo(dir: string, seq: number): Promise<void> {
  for (const { name } of listArchives(dir).filter(({ last }) => last <= seq))
    for (const suffix of ['', ...REMAINS])
      asStoreErrors(join(dir, name), () => rmSync(join(dir, name) + suffix, { force: true }));
  // List the files again: the server may have archived the current file meanwhile.
  for (let names = filesWith(dir, seq); names.length > 0; names = filesWith(dir, seq))
    for (const name of names) await removeRows(join(dir, name), seq);
}

/** The files that contain entries up to `seq`. */
function filesWith(dir: string, seq: number): string[] {
  const names: string[] = [];
  for (const file of openLogFiles(dir)) {
    if ('error' in file) throw file.error;
    const row = file.database.prepare('SELECT 1 FROM entries WHERE seq <= ? LIMIT 1').get(seq);
    if (row) names.push(file.name);
  }
  return names;
}

async function removeRows(path: string, seq: number): Promise<void> {
  const mode = statSync(path).mode & 0o777;
  chmodSync(path, 0o600);
  const database = asStoreErrors(path, () => new DatabaseSync(path, { timeout: BUSY_TIMEOUT_MS }));
  try {
    const remove = asStoreErrors(path, () => {
      database.exec('PRAGMA synchronous = FULL; PRAGMA secure_delete = ON');
      return database.prepare(REMOVE);
    });
    while (asStoreErrors(path, () => remove.run(seq)).changes > 0) await sleep(PAUSE_MS);
    asStoreErrors(path, () => database.exec('PRAGMA wal_checkpoint(TRUNCATE)'));
  } finally {
    database.close();
    chmodSync(path, mode);
  }
}
