import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { guardedStore } from '../storage/store-error.ts';
import type { Link } from './entry.ts';
import { formatLogTime, listArchives, openForReading } from './log-files.ts';
import { writeBeginning } from './records.ts';

/**
 * Removes the oldest archives, as far as all of their entries are from before `before` (ms since 1970), and records the last
 * entry that went, from which the rest is verified. Returns the names of the files that were removed.
 */
export function expireArchives(dir: string, before: number): string[] {
  const removed: string[] = [];
  for (const { name } of listArchives(dir)) {
    const path = join(dir, name);
    const end = readEnd(path);
    if (end.newest >= formatLogTime(before)) break;
    // First the record: after a kill in between, the file is still there and the chain begins with it.
    writeBeginning(dir, end.last);
    guardedStore(path, () => rmSync(path));
    removed.push(name);
  }
  return removed;
}

function readEnd(path: string): { newest: string; last: Link } {
  const database = openForReading(path);
  try {
    return guardedStore(path, () => {
      const newest = database.prepare('SELECT max(time) AS time FROM entries').get()!.time as string;
      const last = database.prepare('SELECT seq, hash FROM entries ORDER BY seq DESC LIMIT 1').get();
      return { newest, last: { seq: Number(last!.seq), hash: String(last!.hash) } };
    });
  } finally {
    database.close();
  }
}
