import { readFile, realpath, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { asDiskErrors } from '../../release/disk/durable.ts';
import { listTree } from '../../release/disk/list-tree.ts';
import type { Staging } from '../../release/staging/staging.ts';

const PROJECT = fileURLToPath(new URL('../../../', import.meta.url));

/** Comments of the bundler, which name the files that a part is from. */
const FROM = /^\/\/(?:#region .*|#endregion| (?:\.\.\/)+.*)\n/gm;

/** Stands for every folder of the machine that built. */
const SITE = '/site';

/** Of a release's folder: the program for the pages that are made when they are asked for. It has no URL. */
export const SERVER_FOLDER = 'server';
export const SERVER_ENTRY = `${SERVER_FOLDER}/entry.mjs`;
export const SERVER_FACTS = `${SERVER_FOLDER}/site.json`;

/** What the build was told and its program has to be told as well. */
export const ServerFacts = z.strictObject({ base_url: z.string(), contact: z.string() });

interface ServerBuild {
  cache: string;
  out: string;
  baseUrl: string;
  contact: string;
}

/** Where the site's build leaves the program. */
export function serverFolder(cache: string): string {
  return join(cache, 'server');
}

/**
 * Takes this machine's paths out of the built program, which are names and no more: the same release has the
 * same bytes wherever it is made. Throws publish_failed.
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

/** Each place of this machine that the program may name, with what stands for it; a longer one before its beginning. */
async function placesOf({ cache, out }: Pick<ServerBuild, 'cache' | 'out'>): Promise<[string, string][]> {
  const packages = dirname(await realpath(join(cache, 'node_modules')));
  const caches = [cache, await realpath(cache)];
  // As seen from the build's folder: the steps up alone might be part of another path.
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

/** Makes the program part of the release, beside the public files. Throws publish_failed. */
export async function addServerProgram(staging: Staging, cache: string): Promise<void> {
  const folder = serverFolder(cache);
  const { files } = await asDiskErrors(folder, () => listTree(folder));
  for (const path of files) {
    const bytes = await asDiskErrors(path, () => readFile(join(folder, path)));
    const file = `${SERVER_FOLDER}/${path}`;
    staging.keep(file, await staging.folder.write(file, bytes));
  }
}
