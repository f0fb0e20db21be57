import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

/** The folder of package.json, ending with a slash. */
export const PROJECT = fileURLToPath(new URL('../..', import.meta.url));

/** The module of a source file, `src/cli.ts`, as a process or thread of its own can load it. */
export function moduleUrl(source: `${string}.ts`): URL {
  return pathToFileURL(join(PROJECT, source));
}
