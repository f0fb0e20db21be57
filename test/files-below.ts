import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Every file below a folder, symbolic links aside, by its path in it, which begins with `below`. */
export function filesBelow(folder: string, below = ''): [path: string, bytes: Buffer][] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const file = join(folder, entry.name);
    if (entry.isDirectory()) return filesBelow(file, `${below}${entry.name}/`);
    return entry.isFile() ? [[`${below}${entry.name}`, readFileSync(file)]] : [];
  });
}

/** The same as texts, to be compared. */
export function textsBelow(folder: string, encoding: 'base64' | 'latin1' = 'base64'): Record<string, string> {
  return Object.fromEntries(filesBelow(folder).map(([path, bytes]) => [path, bytes.toString(encoding)]));
}
