import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { PROJECT } from './project.ts';

const known = new Map<string, string>();

/**
 * SHA-256 of sources of this software: folders with everything below them, and files, by their paths from the project's folder. The same in
 * a checkout and in an installed package, which has the sources beside what was compiled from them. It tells a changed program from an
 * unchanged one where the version does not: in a checkout with uncommitted changes. They are read once in a process.
 */
export function sourceDigest(...places: readonly string[]): string {
  const name = places.join('\n');
  let digest = known.get(name);
  if (digest === undefined) {
    const hash = createHash('sha256');
    for (const path of places.flatMap(filesAt).sort()) {
      const bytes = readFileSync(join(PROJECT, path));
      hash.update(`${path}\n${bytes.length}\n`).update(bytes);
    }
    digest = hash.digest('hex');
    known.set(name, digest);
  }
  return digest;
}

function filesAt(place: string): string[] {
  const folder = join(PROJECT, place);
  if (statSync(folder).isFile()) return [place];
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(PROJECT.length));
}
