import { existsSync, mkdirSync } from 'node:fs';
import { access, mkdir, open, rename, rm } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { CathedralError, firstError } from '../errors.ts';
import { inParallel } from './in-parallel.ts';
import { assertOwner, ownerOf } from './owner.ts';

/** Flushes a file, or the names in a folder, to disk. Before that, a power failure may undo them. */
export async function sync(path: string): Promise<void> {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

const PARALLEL_SYNCS = 8;

/** Flushes files, and then folders, the deepest first: the names in a folder before the folder's own name. */
export async function syncAll(files: Iterable<string>, folders: readonly string[] = []): Promise<void> {
  await inParallel(files, PARALLEL_SYNCS, sync);
  const deepestFirst = folders.toSorted((a, b) => b.length - a.length);
  await inParallel(deepestFirst, PARALLEL_SYNCS, sync);
}

/** Creates a folder and its missing parents, durably. Throws wrong_user and the system's errors. */
export async function makeFolder(path: string, { mode }: { mode?: number } = {}): Promise<void> {
  assertOwner(path);
  const first = await mkdir(path, { recursive: true, ...(mode !== undefined && { mode }) }).catch((error) => {
    throw reasonOf(error, path);
  });
  if (first === undefined) return;
  const above = dirname(resolve(first));
  for (let at = resolve(path); at !== above; at = dirname(at)) await sync(dirname(at));
}

/** Why a folder with its parents cannot be made. Node says ENOENT of a disk that may only be read; making the first folder alone says the reason. */
export function reasonOf(error: unknown, path: string): unknown {
  if ((error as NodeJS.ErrnoException).code !== 'ENOENT') return error;
  let first = resolve(path);
  while (!existsSync(dirname(first))) first = dirname(first);
  try {
    mkdirSync(first);
    return error;
  } catch (reason) {
    return reason;
  }
}

/**
 * Replaces a file atomically: readers see the old bytes or the new ones. If `durable`, the new bytes survive a power cut. Throws the
 * system's errors.
 */
export async function writeFileAtomically(
  path: string,
  bytes: Uint8Array | string,
  durable: boolean,
): Promise<void> {
  await renameDurably(await writeBeside(path, bytes, { durable }), path, durable);
}

/**
 * Writes the file that will replace the one at `path`, and returns its path. It has the owner of the one that it replaces, since root may write
 * files of others.
 */
export async function writeBeside(
  path: string,
  content: Uint8Array | string,
  { durable = true, mode = 0o666, exclusive = false } = {},
): Promise<string> {
  const temporary = `${path}${TEMPORARY_SUFFIX}`;
  const handle = await open(temporary, exclusive ? 'wx' : 'w', mode);
  try {
    if (process.getuid?.() === 0) {
      const { uid, gid } = ownerOf(path);
      if (uid !== 0) await handle.chown(uid, gid);
    }
    await handle.writeFile(content);
    if (durable) await handle.sync();
  } catch (error) {
    // On a full disk, the beginning of a file would take more of the room that is missing.
    await rm(temporary, { force: true });
    throw error;
  } finally {
    await handle.close();
  }
  return temporary;
}

/** Renames a flushed file. If `durable`, its new name is on disk when the promise resolves. Throws the system's errors. */
export async function renameDurably(from: string, to: string, durable: boolean): Promise<void> {
  await rename(from, to);
  if (durable) await sync(dirname(to));
}

/** Suffix of a file that is being written. Such a file is never served; a killed process may leave one behind. */
export const TEMPORARY_SUFFIX = '.tmp';

/** The final path of a file that is being written. */
export function finished(path: string): string {
  return path.endsWith(TEMPORARY_SUFFIX) ? path.slice(0, -TEMPORARY_SUFFIX.length) : path;
}

/** Replaces a small file atomically: readers, and a process that is killed, see the old content or the new one. */
export async function replaceFile(path: string, content: string | Uint8Array): Promise<void> {
  await replaceFiles([[path, content]]);
}

/**
 * Replaces small files in this order. All are on disk before the first is renamed, so the moment in which a killed process
 * could leave new files beside old ones is as short as possible.
 */
export async function replaceFiles(
  files: readonly (readonly [string, string | Uint8Array])[],
): Promise<void> {
  for (const [path, content] of files)
    await asDiskErrors(path, async () => {
      await makeFolder(dirname(path));
      await writeBeside(path, content);
    });
  for (const [path] of files) await asDiskErrors(path, () => rename(`${path}${TEMPORARY_SUFFIX}`, path));
  for (const folder of new Set(files.map(([path]) => dirname(path))))
    await asDiskErrors(folder, () => sync(folder));
}

/** SQLite's result code for a full disk. */
const SQLITE_FULL = 13;

/** Whether an error, or one of its causes, means that the disk or the user's quota is full. */
export function isDiskFull(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error instanceof SuppressedError && (isDiskFull(error.error) || isDiskFull(error.suppressed)))
    return true;
  const { code, errcode, cause } = error as NodeJS.ErrnoException & { errcode?: number };
  return code === 'ENOSPC' || code === 'EDQUOT' || errcode === SQLITE_FULL || isDiskFull(cause);
}

/** @param found the system's message */
export function diskFull(place: string, found: string, cause?: unknown): CathedralError {
  return new CathedralError('disk_full', { place, expected: 'free disk space', found, cause });
}

/** What is read, or `instead` where there is no such file or folder. Throws the system's other errors. */
export function ifThere<T, I>(reading: Promise<T>, instead: I): Promise<T | I> {
  return reading.catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return instead;
    throw error;
  });
}

/** Runs disk work on `place`. A full disk becomes disk_full, any other disk error publish_failed. */
export async function asDiskErrors<T>(place: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const cause = whyNoFolder(firstError(error));
    if (cause instanceof CathedralError) throw cause;
    const found = cause instanceof Error ? cause.message : String(cause);
    if (isDiskFull(error)) throw diskFull(place, found, cause);
    const expected = cause instanceof Error && isNoFolder(cause) ? 'a folder' : 'a writable disk';
    throw new CathedralError('publish_failed', { place, expected, found, cause });
  }
}

function whyNoFolder(error: unknown): unknown {
  const { syscall, path } = error instanceof Error ? (error as NodeJS.ErrnoException) : {};
  return syscall === 'mkdir' && path !== undefined ? reasonOf(error, path) : error;
}

/** A file, or a link that leads nowhere or in a circle, is where a folder should be. */
function isNoFolder({ code = '', syscall }: NodeJS.ErrnoException): boolean {
  return code === 'ENOTDIR' || (syscall === 'mkdir' && ['EEXIST', 'ENOENT', 'ELOOP'].includes(code));
}

/** Whether a path exists and can be accessed. */
export function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
