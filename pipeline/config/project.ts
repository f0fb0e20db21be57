import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

/**
 * Whether this is an installed package, which runs what `npm pack` compiled into `dist/`, because Node does not run TypeScript below a
 * folder `node_modules`. A checkout runs its sources.
 */
export const INSTALLED = import.meta.url.endsWith('.js');

/** The folder of package.json, ending with a slash. */
export const PROJECT = fileURLToPath(new URL(INSTALLED ? '../../..' : '../..', import.meta.url));

/** The module of a source file, `src/cli.ts`, as a process or thread of its own can load it. */
export function moduleUrl(source: `${string}.ts`): URL {
  const path = INSTALLED ? join('dist', source.replace(/ts$/, 'js')) : source;
  return pathToFileURL(join(PROJECT, path));
}
