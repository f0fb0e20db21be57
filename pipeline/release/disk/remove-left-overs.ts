import { readdirSync, rmSync } from 'node:fs';
import { readdir, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { asDiskErrors, sync } from '../../disk/durable.ts';

/** Name prefix of every staging folder: for a release, the log or a snapshot. */
export const STAGING = 'staging-';
/** Of snapshots that are staged or being removed. */
export const SNAPSHOT_STAGING = `${STAGING}snapshot-`;

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

/**
 * Removes snapshots, or files of them, below OUT. They are renamed first, so that no reader sees half of one, and the new names are on
 * disk before anything goes: half a snapshot with its old name, which a power failure could leave, would stop the next run.
 */
export async function removeWhole(out: string, paths: readonly string[]): Promise<void> {
  const aside = (path: string) => join(out, `${SNAPSHOT_STAGING}${basename(path)}`);
  const removeAside = (path: string) =>
    asDiskErrors(join(out, path), () => rm(aside(path), { recursive: true, force: true }));
  for (const path of paths) {
    await removeAside(path);
    await asDiskErrors(join(out, path), () => rename(join(out, path), aside(path)));
  }
  for (const folder of new Set(paths.map((path) => join(out, dirname(path)))))
    await asDiskErrors(folder, () => sync(folder));
  for (const path of paths) await removeAside(path);
}
