import { closeSync, existsSync, openSync, statSync } from 'node:fs';
import { readdir, readFile, rm, rmdir, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { CathedralError } from '../errors.ts';
import { asDiskErrors, makeFolder } from './durable.ts';

/** SQLite's result code for a lock that another connection holds. */
const SQLITE_BUSY = 5;
const RETRY_MS = 50;
const FILES: readonly string[] = ['lock', 'lock-journal', 'lock.holder'];

export interface LockOptions {
  /** How long to wait for another run to end, in ms; 0 does not wait. */
  waitMs: number;
  /**
   * Identifies this run in the error that another run gets: `cathedral build, process 4711, since 2025-12-01T06:00:03Z`.
   */
  holder: string;
}

/** Runs `work` while holding the lock of `out`. Work that fails leaves no folder that was made for it alone. Throws what `takeLock` throws. */
export async function withLock<T>(out: string, options: LockOptions, work: () => Promise<T>): Promise<T> {
  using lock = await takeLock(out, options);
  try {
    return await work();
  } catch (error) {
    if (lock.made !== undefined) await removeUnused(out, lock.made);
    throw error;
  }
}

export interface Lock extends Disposable {
  /** The outermost folder that did not exist before. */
  made: string | undefined;
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
  const { lock, made } = await acquire(out, options);
  const close = () => lock.close();
  try {
    await asDiskErrors(join(out, 'lock.holder'), () => writeFile(join(out, 'lock.holder'), options.holder));
  } catch (cause) {
    close();
    throw cause;
  }
  return { made, close, [Symbol.dispose]: close };
}

async function acquire(
  out: string,
  { waitMs }: LockOptions,
): Promise<{ lock: DatabaseSync; made: Lock['made'] }> {
  let made: Lock['made'];
  for (let waited = 0; ; waited += RETRY_MS) {
    made = (await asDiskErrors(out, () => makeFolder(out))) ?? made;
    const lock = await asDiskErrors(join(out, 'lock'), async () => tryLock(join(out, 'lock')));
    if (lock) return { lock, made };
    if (waited >= waitMs) {
      const holder = await readFile(join(out, 'lock.holder'), 'utf8').catch(() => '');
      const found = holder || 'a run that has just started';
      throw new CathedralError('locked', { place: out, expected: 'no other run', found });
    }
    await sleep(RETRY_MS);
  }
}

/** Null if someone else holds it, or has just removed it with its folder. */
function tryLock(path: string): DatabaseSync | null {
  let lock: DatabaseSync | null = null;
  try {
    closeSync(openSync(path, 'a'));
    const before = inodeOf(path);
    lock = new DatabaseSync(path, { timeout: 0 });
    lock.exec('BEGIN IMMEDIATE');
    if (before !== undefined && inodeOf(path) === before) return lock;
    lock.close();
  } catch (error) {
    lock?.close();
    if ((error as { errcode?: number }).errcode !== SQLITE_BUSY && existsSync(dirname(path))) throw error;
  }
  return null;
}

function inodeOf(path: string): bigint | undefined {
  return statSync(path, { bigint: true, throwIfNoEntry: false })?.ino;
}

/** While the lock is held. A folder that someone else has begun to use meanwhile stays. */
async function removeUnused(out: string, made: string): Promise<void> {
  try {
    if ((await readdir(out)).some((name) => !FILES.includes(name))) return;
    for (const name of FILES) await rm(join(out, name), { force: true });
    for (let at = resolve(out); at.length >= made.length; at = dirname(at)) await rmdir(at);
  } catch {}
}
