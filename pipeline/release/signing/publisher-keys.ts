import { randomBytes } from 'node:crypto';
import { open, readFile, rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { asDiskErrors, makeFolder, sync } from '../../disk/durable.ts';
import { CathedralError } from '../../errors.ts';
import { formatTimestamp } from '../../words/moment.ts';
import { formatPublisherKeys, type PublisherKey, parsePublisherKeys } from './publisher-key-file.ts';

const SEED_BYTES = 32;
/** Permission bits of group and others. */
const OTHERS = 0o077;

/** A new key; `now` in ms since 1970. */
export function newPublisherKey(name: string, now: number): PublisherKey {
  return { name, seed: randomBytes(SEED_BYTES), made: formatTimestamp(now) };
}

/**
 * The keys in a file, the one that stays first; null if it does not exist. Throws config_invalid for a file that others can read or
 * that holds no keys.
 */
export async function readPublisherKeys(path: string): Promise<PublisherKey[] | null> {
  try {
    const { mode } = await stat(path);
    if (process.platform !== 'win32' && mode & OTHERS) {
      const expected = 'a file that only its owner can read (chmod 600)';
      throw new CathedralError('config_invalid', {
        place: path,
        expected,
        found: `mode ${(mode & 0o777).toString(8)}`,
      });
    }
    return parsePublisherKeys(await readFile(path, 'utf8'), path);
  } catch (cause) {
    if (cause instanceof CathedralError) throw cause;
    const { code = String(cause) } = cause as NodeJS.ErrnoException;
    if (code === 'ENOENT') return null;
    throw new CathedralError('config_invalid', {
      place: path,
      expected: 'a file of keys that can be read',
      found: code,
      cause,
    });
  }
}

/**
 * Replaces the keys in the file atomically; others can read it at no time. Call it with the lock of the signing folder held. Throws
 * publish_failed.
 */
export async function writePublisherKeys(path: string, keys: readonly PublisherKey[]): Promise<void> {
  await asDiskErrors(path, async () => {
    await makeFolder(dirname(path), { mode: 0o700 });
    await removeUnsettledKeys(path);
    const handle = await open(unsettled(path), 'wx', 0o600);
    try {
      await handle.writeFile(formatPublisherKeys(keys));
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(unsettled(path), path);
    await sync(dirname(path));
  });
}

/** Removes temporary key files that a killed run left. Call it under the same lock. Throws publish_failed. */
export async function removeUnsettledKeys(path: string): Promise<void> {
  await asDiskErrors(path, () => rm(unsettled(path), { force: true }));
}

const unsettled = (path: string) => `${path}.tmp`;
