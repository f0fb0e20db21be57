import { readdir, rename, rm, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { sync } from '../../disk/durable.ts';

/**
 * Makes a folder of `OUT/releases` the current release and removes all others except `served`, the previous one, which readers may
 * just have looked up. Removal comes first, so a run that is killed after the swap leaves nothing behind.
 */
export async function swapCurrent(out: string, release: string, served: string | null): Promise<void> {
  for (const id of await readdir(join(out, 'releases'))) {
    if (id !== release && id !== served)
      await rm(join(out, 'releases', id), { recursive: true, force: true });
  }
  // Flush the names before the link to one of them: a power failure must not leave a dangling link.
  await sync(join(out, 'releases'));
  const next = join(out, 'current.next');
  await rm(next, { force: true });
  await symlink(`releases/${release}`, next);
  await rename(next, join(out, 'current'));
  await sync(out);
}
