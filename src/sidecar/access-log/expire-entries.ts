import { chmodSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { asStoreErrors } from '../storage/open-database.ts';
import type { Link } from './entry.ts';
import { assertLog, formatLogTime, type LogFile, listArchives, openLogFiles } from './log-files.ts';
import { readLogStart, writeBeginning } from './records.ts';

export interface Expired {
  /** The entries that were removed; null for none. */
  removed: { first: number; last: number } | null;
  /** How many older entries stay because they stand after a newer one: a clock was set back. */
  left: number;
}

/** So many at a time, so that a server which writes the log waits for some milliseconds. */
const BATCH_ROWS = 500;
/** For a server that writes, ms. */
const BUSY_TIMEOUT_MS = 5_000;
const PAUSE_MS = 5;
const REMOVE = `DELETE FROM entries WHERE seq IN (SELECT seq FROM entries WHERE seq <= ? ORDER BY seq LIMIT ${BATCH_ROWS})`;
const REMAINS = ['-journal', '-wal', '-shm'] as const;

/**
 * Removes the entries from before `before` (ms since 1970) from the beginning of the log, and records at `now` which they were
 * and the hash of the last, from which the rest is verified. The log may be written meanwhile. After a kill the removal counts
 * as done or not at all, and the next call removes what is still there.
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
  // First the record: after a kill in between, the entries are there and nobody reads them.
  if (isNew) writeBeginning(dir, { ...last, removals: [...beginning.removals, removal] });
  await removeUpTo(dir, isNew ? last.seq : beginning.seq);
  return { removed: isNew ? { first: removal.first, last: removal.last } : null, left };
}

/** The last entry of those at the beginning that are all older, and how many older ones come after it. */
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

/** What is removed is overwritten, and leaves nothing in the files beside the database. */
async function removeUpTo(dir: string, seq: number): Promise<void> {
  for (const { name } of listArchives(dir).filter(({ last }) => last <= seq))
    for (const suffix of ['', ...REMAINS])
      asStoreErrors(join(dir, name), () => rmSync(join(dir, name) + suffix, { force: true }));
  // Again, as the server may have given a file its name as an archive meanwhile.
  for (let names = filesWith(dir, seq); names.length > 0; names = filesWith(dir, seq))
    for (const name of names) await removeRows(join(dir, name), seq);
}

/** Those that hold entries up to `seq`. */
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
