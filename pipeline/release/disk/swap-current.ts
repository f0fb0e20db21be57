import { readdir, rename, rm, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { ifThere, sync } from '../../disk/durable.ts';

/**
 * Makes a folder of `OUT/releases` the current release and removes all others except `served`, the previous one, which readers may
 * just have looked up. Removal comes first, so a run that is killed after the swap leaves nothing behind.
 */
export async function swapCurrent(out: string, release: string, served: string | null): Promise<void> {
  await removeOthers(out, [release, served]);
  const next = join(out, 'current.next');
  await rm(next, { force: true });
  await symlink(`releases/${release}`, next);
  await rename(next, join(out, 'current'));
  await sync(out);
}

/** Removes all releases but these, and flushes the names: a power failure must leave no link to a folder whose name was not on the disk. */
export async function removeOthers(out: string, kept: readonly (string | null)[]): Promise<void> {
  const releases = join(out, 'releases');
  const names = await ifThere(readdir(releases), []);
  for (const id of names)
    if (!kept.includes(id)) await rm(join(releases, id), { recursive: true, force: true });
  if (names.length > 0) await sync(releases);
}
