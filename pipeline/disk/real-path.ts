import { realpathSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';

/** The path without symbolic links, as far as it exists. */
export function realOf(path: string): string {
  const full = resolve(path);
  try {
    return realpathSync(full);
  } catch {
    const above = dirname(full);
    return above === full ? full : join(realOf(above), basename(full));
  }
}
