import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { asDiskErrors } from '../../disk/durable.ts';

/** Name prefix of every staging folder: for a release, the log or a snapshot. */
export const STAGING = 'staging-';

/** Removes the staging folders that killed runs left in OUT. Call it with the lock held and nothing staged. */
export async function removeLeftOvers(out: string, prefix = STAGING): Promise<void> {
  await asDiskErrors(out, async () => {
    for (const name of await readdir(out))
      if (name.startsWith(prefix)) await rm(join(out, name), { recursive: true, force: true });
  });
}
