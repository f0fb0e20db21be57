import { readFile, realpath, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { z } from 'zod';
import { PROJECT } from '../../config/project.ts';
import { asDiskErrors } from '../../disk/durable.ts';
import { listTree } from '../../release/disk/list-tree.ts';
import type { Staging } from '../../release/staging/staging.ts';

/** Comments of the bundler that name source files. */
const FROM = /^\/\/(?:#region .*|#endregion| (?:\.\.\/)+.*)\n/gm;

/** Replaces every folder name of the build machine. */
const SITE = '/site';

/** Folder, below a release's, of the program that renders pages on demand. It has no URL. */
export const SERVER_FOLDER = 'server';
export const SERVER_ENTRY = `${SERVER_FOLDER}/entry.mjs`;
export const SERVER_FACTS = `${SERVER_FOLDER}/site.json`;

/** Build parameters that the program needs as well. */
export const ServerFacts = z.strictObject({ base_url: z.string(), contact: z.string() });

interface ServerBuild {
  cache: string;
  out: string;
  baseUrl: string;
  contact: string;
}

/** Where the site build writes the program. */
export function serverFolder(cache: string): string {
  return join(cache, 'server');
}

/**
 * Removes this machine's paths from the built program, where they are mere names, so that a release has the same bytes wherever it is
 * built. Throws publish_failed.
 */
export async function finishServer(
  folder: string,
  { cache, out, baseUrl, contact }: ServerBuild,
): Promise<void> {
  await asDiskErrors(folder, async () => {
    const places = await placesOf({ cache, out });
    const { files } = await listTree(folder);
    for (const path of files) {
      const text = await readFile(join(folder, path), 'utf8');
      const plain = places.reduce(
        (left, [place, name]) => left.replaceAll(place, name),
        text.replaceAll(FROM, ''),
      );
      await writeFile(join(folder, path), plain);
    }
    const facts = { base_url: baseUrl, contact } satisfies z.input<typeof ServerFacts>;
    await writeFile(join(folder, 'site.json'), `${JSON.stringify(facts)}\n`);
  });
}

/** Paths of this machine that the program may contain, and their replacements. Longer paths come before their prefixes. */
async function placesOf({ cache, out }: Pick<ServerBuild, 'cache' | 'out'>): Promise<[string, string][]> {
  const packages = dirname(await realpath(join(cache, 'node_modules')));
  const caches = [cache, await realpath(cache)];
  // Relative to the build's folder. The `../` steps by themselves might be part of another path.
  const relatives = [PROJECT, packages].flatMap((place) =>
    caches.flatMap((from) => ['/src/', '/node_modules/'].map((folder) => [relative(from, place), folder])),
  );
  return [
    ...relatives.map(([place, folder]): [string, string] => [`${place}${folder}`, `${SITE}${folder}`]),
    ...[...caches, out, await realpath(out), PROJECT.slice(0, -1), packages].map(
      (place): [string, string] => [place, SITE],
    ),
  ];
}

/** Adds the program to the release, outside its public files. Throws publish_failed. */
export async function addServerProgram(staging: Staging, cache: string): Promise<void> {
  const folder = serverFolder(cache);
  const { files } = await asDiskErrors(folder, () => listTree(folder));
  for (const path of files) {
    const bytes = await asDiskErrors(path, () => readFile(join(folder, path)));
    const file = `${SERVER_FOLDER}/${path}`;
    staging.keep(file, await staging.folder.write(file, bytes));
  }
}
