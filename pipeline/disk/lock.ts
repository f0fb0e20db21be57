import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { CathedralError } from '../errors.ts';
import { asDiskErrors, makeFolder } from './durable.ts';

/** SQLite's result code for a lock that another connection holds. */
const SQLITE_BUSY = 5;
const RETRY_MS = 50;

export interface LockOptions {
  /** How long to wait for another run to end, in ms; 0 does not wait. */
  waitMs: number;
  /**
   * Identifies this run in the error that another run gets: `cathedral build, process 4711, since 2025-12-01T06:00:03Z`.
   */
  holder: string;
}

/** Runs `work` while holding the lock of `out`. Throws what `takeLock` throws. */
export async function withLock<T>(out: string, options: LockOptions, work: () => Promise<T>): Promise<T> {
  using _ = await takeLock(out, options);
  return await work();
}

export interface Lock extends Disposable {
  close(): void;
}

/**
 * Takes the lock of `out`, a folder that is created if missing, until `close`. Throws locked, with the current holder's name.
 *
 * The lock is the operating system's: a write transaction on an empty SQLite file that is never committed, which is the only
 * byte-range lock available in Node. It ends with its process, so there are no stale locks to detect, no reused process ids and
 * no races over a stale lock. `lock.holder` is informational.
 */
export async function takeLock(out: string, options: LockOptions): Promise<Lock> {
  const lock = await acquire(out, options);
  try {
    await asDiskErrors(join(out, 'lock.holder'), () => writeFile(join(out, 'lock.holder'), options.holder));
  } catch (cause) {
    lock.close();
    throw cause;
  }
  return lock;
}

async function acquire(out: string, { waitMs }: LockOptions): Promise<DatabaseSync> {
  await asDiskErrors(out, () => makeFolder(out));
  for (let waited = 0; ; waited += RETRY_MS) {
    const lock = await asDiskErrors(join(out, 'lock'), async () => tryLock(join(out, 'lock')));
    if (lock) return lock;
    if (waited >= waitMs) {
      const holder = await readFile(join(out, 'lock.holder'), 'utf8').catch(() => '');
      const found = holder || 'a run that has just started';
      throw new CathedralError('locked', { place: out, expected: 'no other run', found });
    }
    await sleep(RETRY_MS);
  }
}

function tryLock(path: string): DatabaseSync | null {
  const lock = new DatabaseSync(path, { timeout: 0 });
  try {
    // On the disk, a journal would stay beside the lock after a signal. There is nothing to roll back.
    lock.exec('PRAGMA journal_mode = MEMORY; BEGIN IMMEDIATE');
    return lock;
  } catch (error) {
    lock.close();
    if ((error as { errcode?: number }).errcode === SQLITE_BUSY) return null;
    throw error;
  }
}
