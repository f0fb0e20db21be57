import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { onTestFinished } from 'vitest';
import { openSqlite } from '../../../pipeline/sql/sqlite.ts';
import type { SqlStore } from '../../../pipeline/sql/store.ts';
import { LOG_FILE } from '../../../pipeline/sql/tables.ts';
import type { AccessLog } from '../../../src/sidecar/access-log/access-log.ts';
import { openLogFile } from '../../../src/sidecar/access-log/access-log.ts';
import type { Entry } from '../../../src/sidecar/access-log/entry.ts';
import { type Expired, expireEntries } from '../../../src/sidecar/access-log/expire-entries.ts';
import { type LogReader, readLog } from '../../../src/sidecar/access-log/log-reader.ts';
import { type LogVerdict, verifyAccessLog } from '../../../src/sidecar/access-log/verify-access-log.ts';
import { temporaryFolder } from '../../release/temporary-folder.ts';
import { sampleAccess } from './sample-access.ts';

type LogOptions = NonNullable<Parameters<typeof openLogFile>[1]> & { dir?: string };

/** The only one in the folder of a log. */
export function logFile(dir: string): string {
  return join(dir, 'log.db');
}

export function openFolderLog(dir: string, options?: Parameters<typeof openLogFile>[1]): AccessLog {
  return openLogFile(logFile(dir), options);
}

export interface TemporaryLog {
  dir: string;
  log: AccessLog;
}

/** A log of the test's own, closed when the test ends. Rejects where it cannot be written. */
export async function openTemporaryLog({ dir: given, ...options }: LogOptions = {}): Promise<TemporaryLog> {
  const dir = given ?? join(await temporaryFolder(), 'access-log');
  const log = openFolderLog(dir, options);
  let isOpen = true;
  const close = async () => {
    if (isOpen) await log.close();
    isOpen = false;
  };
  onTestFinished(close);
  await log.check();
  return { dir, log: { ...log, close } };
}

/** A closed log with so many sample entries, in batches of 50. */
export async function writtenLog(entries: number, options: LogOptions = {}): Promise<string> {
  const { dir, log } = await openTemporaryLog(options);
  for (let from = 0; from < entries; from += 50) {
    const count = Math.min(50, entries - from);
    await Promise.all(Array.from({ length: count }, (_, index) => log.append(sampleAccess(from + index))));
  }
  await log.close();
  return dir;
}

/** As a command of another process opens the log of a folder. */
export async function useLog<T>(dir: string, work: (store: SqlStore) => Promise<T>): Promise<T> {
  const store = await openSqlite(logFile(dir), LOG_FILE, { mustExist: true });
  return work(store).finally(() => store.close());
}

/** Reads the log of a folder until the test ends. */
export async function readerOf(dir: string): Promise<LogReader> {
  const store = await openSqlite(logFile(dir), LOG_FILE, { mustExist: true });
  onTestFinished(() => store.close());
  return readLog(store);
}

export function verified(dir: string, head?: string): Promise<LogVerdict> {
  return useLog(dir, (store) => verifyAccessLog(readLog(store), head === undefined ? {} : { head }));
}

export function expired(dir: string, before: number, now: number): Promise<Expired> {
  return useLog(dir, (store) => expireEntries(store, before, now));
}

/** What the file holds, whatever the reader would say to it. */
export function rowsOf(dir: string): Entry[] {
  const database = new DatabaseSync(logFile(dir));
  try {
    return database.prepare('SELECT * FROM access_log_entries ORDER BY seq').all() as unknown as Entry[];
  } finally {
    database.close();
  }
}

/** What somebody does to the stored log who may do everything, and drops the triggers first. */
export function tamperWith(dir: string, sql: string): void {
  const database = new DatabaseSync(logFile(dir));
  try {
    const triggers = database.prepare("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'").all();
    for (const { name } of triggers) database.exec(`DROP TRIGGER ${name}`);
    database.exec(sql);
    for (const { sql } of triggers) database.exec(`${sql}`);
  } finally {
    database.close();
  }
}
