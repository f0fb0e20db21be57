import { access, mkdir, open, rename } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { CathedralError } from '../../errors.ts';

/** Flushes a file, or a folder's names, to the disk: until then a power failure may undo them. */
export async function sync(path: string): Promise<void> {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Makes a folder, and those above it that are not there, so that a power failure does not take them away again. */
export async function makeFolder(path: string, { mode }: { mode?: number } = {}): Promise<void> {
  const first = await mkdir(path, { recursive: true, ...(mode !== undefined && { mode }) });
  if (first === undefined) return;
  const above = dirname(resolve(first));
  for (let at = resolve(path); at !== above; at = dirname(at)) await sync(dirname(at));
}

/** What a file that is being written has after its name. Nothing serves such a file, and a kill may leave one. */
export const TEMPORARY_SUFFIX = '.tmp';

/** The path that a file has when it is written. */
export function finished(path: string): string {
  return path.endsWith(TEMPORARY_SUFFIX) ? path.slice(0, -TEMPORARY_SUFFIX.length) : path;
}

/** Replaces a small file so that a reader sees the old content or the new one, and a kill leaves one of the two. */
export async function replaceFile(path: string, content: string | Uint8Array): Promise<void> {
  await replaceFiles([[path, content]]);
}

/**
 * Replaces small files, in this order. All are on the disk before the first is replaced, so a kill between two of them, which
 * leaves new ones beside old ones, has no more than a moment to happen in.
 */
export async function replaceFiles(
  files: readonly (readonly [string, string | Uint8Array])[],
): Promise<void> {
  for (const [path, content] of files)
    await asDiskErrors(path, async () => {
      await makeFolder(dirname(path));
      const handle = await open(`${path}${TEMPORARY_SUFFIX}`, 'w');
      try {
        await handle.writeFile(content);
        await handle.sync();
      } finally {
        await handle.close();
      }
    });
  for (const [path] of files) await asDiskErrors(path, () => rename(`${path}${TEMPORARY_SUFFIX}`, path));
  for (const folder of new Set(files.map(([path]) => dirname(path))))
    await asDiskErrors(folder, () => sync(folder));
}

/** SQLite's result code for a disk without room. */
const SQLITE_FULL = 13;

/** Whether there was no room, or none that this user may have: in the error, or in what led to it. */
export function isDiskFull(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code, errcode, cause } = error as NodeJS.ErrnoException & { errcode?: number };
  return code === 'ENOSPC' || code === 'EDQUOT' || errcode === SQLITE_FULL || isDiskFull(cause);
}

/** Of a disk without room. `found`: what the system said. */
export function diskFull(place: string, found: string, cause?: unknown): CathedralError {
  return new CathedralError('disk_full', { place, expected: 'room on the disk', found, cause });
}

/** Runs disk work on `place`; what the disk refuses (read-only, broken) becomes publish_failed, and a full one disk_full. */
export async function asDiskErrors<T>(place: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    if (cause instanceof CathedralError) throw cause;
    const found = cause instanceof Error ? cause.message : String(cause);
    if (isDiskFull(cause)) throw diskFull(place, found, cause);
    throw new CathedralError('publish_failed', { place, expected: 'a disk that takes it', found, cause });
  }
}

/** Whether something is at a path that can be seen from here. */
export function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
