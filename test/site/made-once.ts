import { existsSync } from 'node:fs';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { inject } from 'vitest';

/**
 * What `make` gives, made in a folder that all test files of a run share, by whoever comes first; the others wait for it. It
 * goes through JSON, and what it names is to be left as it is. Throws where making it failed.
 */
export async function madeOnce<T extends object>(
  name: string,
  make: (folder: string) => Promise<T>,
): Promise<T> {
  const folder = join(inject('sharedFolder'), name);
  const place = join(folder, 'made.json');
  const isFirst = await mkdir(folder).then(
    () => true,
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'EEXIST') return false;
      throw error;
    },
  );
  if (isFirst) {
    const made = await make(folder).catch((error: Error) => ({ failed: error.message }));
    await writeFile(`${place}.new`, JSON.stringify(made));
    await rename(`${place}.new`, place);
  }
  while (!existsSync(place)) await sleep(100);
  const made = JSON.parse(await readFile(place, 'utf8')) as T | { failed: string };
  if ('failed' in made) throw new Error(made.failed);
  return made;
}
