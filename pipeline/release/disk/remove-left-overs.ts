import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { asDiskErrors } from './durable.ts';

/** What every folder in the making begins with: of a release, of the log, of a snapshot. */
export const STAGING = 'staging-';

/** Removes what runs that were killed had begun in OUT. To be called under its lock, and while nothing is in the making. */
export async function removeLeftOvers(out: string, prefix = STAGING): Promise<void> {
  await asDiskErrors(out, async () => {
    for (const name of await readdir(out))
      if (name.startsWith(prefix)) await rm(join(out, name), { recursive: true, force: true });
  });
}
