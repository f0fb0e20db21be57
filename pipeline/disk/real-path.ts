import { readlinkSync, realpathSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { orNull } from '../errors.ts';

/** The path without symbolic links, also those to what does not exist (yet, or any more). */
export function realOf(path: string): string {
  const full = resolve(path);
  try {
    return realpathSync(full);
  } catch (error) {
    const above = dirname(full);
    if (above === full) return full;
    // Links that lead in a circle give another error.
    const isMissing = (error as NodeJS.ErrnoException).code === 'ENOENT';
    const target = isMissing ? orNull(() => readlinkSync(full)) : null;
    return target === null ? join(realOf(above), basename(full)) : realOf(resolve(realOf(above), target));
  }
}
