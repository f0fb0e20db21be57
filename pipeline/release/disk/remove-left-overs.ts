import { readdirSync, rmSync } from 'node:fs';
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

/** Until it is disposed of: removes the staging folders in OUT if this process exits, as after a signal. The lock has to be held so long. */
export function removesLeftOversAtExit(out: string): Disposable {
  const remove = () => {
    try {
      for (const name of readdirSync(out))
        if (name.startsWith(STAGING))
          rmSync(join(out, name), { recursive: true, force: true, maxRetries: 3 });
    } catch {
      // The next run removes them.
    }
  };
  process.on('exit', remove);
  return { [Symbol.dispose]: () => void process.off('exit', remove) };
}
