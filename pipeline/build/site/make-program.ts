import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { z } from 'zod';
import { sourceDigest } from '../../config/source-digest.ts';
import { asDiskErrors } from '../../disk/durable.ts';
import { listTree } from '../../release/disk/list-tree.ts';
import { readSite } from '../../release/staging/site-tree.ts';
import type { Staging } from '../../release/staging/staging.ts';
import { compiledSite } from './compiled-site.ts';
import { SERVER_FACTS, SERVER_FOLDER, type ServerFacts, type SiteFacts } from './open-program.ts';

/**
 * What the site is compiled from, with more around it than is: following imports would be a second resolver. An installed package has all
 * of it, with the same bytes. The lock has the versions of the packages that are compiled in, and of the compiler.
 */
const SOURCES = [
  ...['astro.config.mjs', 'npm-shrinkwrap.json', 'tsconfig.json'],
  ...['deploy', 'docs', 'pipeline', 'public', 'src/api', 'src/simulation', 'src/site'],
];

/** SHA-256, in hex, of everything that the compiled site follows from. */
export function programKey(): string {
  return sourceDigest(...SOURCES);
}

/** The staging folder of a release, as far as a site needs one: with the draft `manifest.json` and the data files that the pages are made from. */
export type SiteFolder = Pick<
  Staging,
  'dir' | 'isSame' | 'keepBytes' | 'paths' | 'previous' | 'takeOver' | 'write'
>;

export interface ProgramInputs {
  /** A folder of the run, for what is compiled where it cannot be kept. */
  scratch: string;
  /** See `programKey`. */
  program: string;
  facts: SiteFacts;
}

/**
 * Adds the program and the files that browsers load to the release. Gives the folder from which the program can be loaded, which is the same
 * for each run. Throws site_failed, publish_failed.
 */
export async function makeProgram(
  { scratch, program, facts }: ProgramInputs,
  to: SiteFolder,
): Promise<string> {
  const { client, server } = await compiledSite(program, scratch);
  await readSite(client, (file) => to.write(file));
  const { files } = await asDiskErrors(server, () => listTree(server));
  for (const path of files) {
    const bytes = await asDiskErrors(path, () => readFile(join(server, path)));
    await to.keepBytes(`${SERVER_FOLDER}/${path}`, bytes);
  }
  const { baseUrl: base_url, sourceCode: source_code } = facts;
  const about = { base_url, source_code } satisfies z.input<typeof ServerFacts>;
  await to.keepBytes(SERVER_FACTS, Buffer.from(`${JSON.stringify(about)}\n`));
  return dirname(server);
}
