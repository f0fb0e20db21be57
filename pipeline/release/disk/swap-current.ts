import { readdir, rename, rm, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { sync } from '../../disk/durable.ts';

/** Folder of OUT with the index of each release. */
export const INDEX_FOLDER = 'index';

/**
 * Makes a folder of `OUT/releases` the current release and removes all others except `served`, the previous one, which readers may
 * just have looked up. Removal comes first, so a run that is killed after the swap leaves nothing behind.
 */
export async function swapCurrent(out: string, release: string, served: string | null): Promise<void> {
  await removeOthers(out, [release, served]);
  // Flush the names before the link to one of them: a power failure must not leave a dangling link.
  await sync(join(out, 'releases'));
  const next = join(out, 'current.next');
  await rm(next, { force: true });
  await symlink(`releases/${release}`, next);
  await rename(next, join(out, 'current'));
  await sync(out);
}

/** Removes all releases but these, with their indexes. */
export async function removeOthers(out: string, kept: readonly (string | null)[]): Promise<void> {
  for (const folder of ['releases', INDEX_FOLDER])
    for (const id of await readdir(join(out, folder)).catch(ifMissing))
      if (!kept.includes(id)) await rm(join(out, folder, id), { recursive: true, force: true });
}

/** Only a publisher has indexes. */
function ifMissing(error: NodeJS.ErrnoException): string[] {
  if (error.code === 'ENOENT') return [];
  throw error;
}
