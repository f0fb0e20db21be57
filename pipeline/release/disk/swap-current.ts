import { readdir, rename, rm, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { sync } from './durable.ts';

/**
 * Makes a folder of `OUT/releases` the one that is served, and removes all others but `served`, the one until now: that stays,
 * for readers that have just looked it up. The others go first, so that a run that is killed after the swap has left nothing.
 */
export async function swapCurrent(out: string, release: string, served: string | null): Promise<void> {
  for (const id of await readdir(join(out, 'releases'))) {
    if (id !== release && id !== served)
      await rm(join(out, 'releases', id), { recursive: true, force: true });
  }
  // Names before the link to one of them, or a power failure could leave a link to nothing.
  await sync(join(out, 'releases'));
  const next = join(out, 'current.next');
  await rm(next, { force: true });
  await symlink(`releases/${release}`, next);
  await rename(next, join(out, 'current'));
  await sync(out);
}
