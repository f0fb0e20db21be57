import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { z } from 'zod';
import { sourceDigest } from '../../config/source-digest.ts';
import { asDiskErrors } from '../../disk/durable.ts';
import { listTree } from '../../release/disk/list-tree.ts';
import type { Blob } from '../../release/format/manifest.ts';
import type { Published } from '../../release/format/release.ts';
import { readSite } from '../../release/staging/site-tree.ts';
import type { Staging } from '../../release/staging/staging.ts';
import type { CompiledSite } from './compile-site.ts';
import { compiledSite } from './compiled-site.ts';
import {
  type ProgramFiles,
  SERVER_FACTS,
  SERVER_FOLDER,
  type ServerFacts,
  type SiteFacts,
} from './open-program.ts';
import type { SearchFolder } from './search-index.ts';
import type { SearchedPage } from './search-years.ts';

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

/** The folder of a release into which a site is made. */
export interface SiteFolder extends SearchFolder, Pick<Staging, 'reuseKept'> {
  /** It has the draft `manifest.json` and the data files that the pages are made from. */
  dir: string;
  /** The public files so far. */
  files(): readonly SearchedPage[];
  /** Writes a file without an address, below `dir`. */
  keep(file: string, bytes: Uint8Array, key?: string): Promise<Blob>;
  /** Whose pages may be taken over; null in a rebuild. */
  previous: Published | null;
}

export interface ProgramInputs {
  /** A folder of the run, for what is compiled where it cannot be kept. */
  scratch: string;
  /** See `programKey`. */
  program: string;
  facts: SiteFacts;
}

/**
 * Adds the program and the files that browsers load to the release. Takes them over from the previous release if that was made with the
 * same program. Throws site_failed, publish_failed.
 */
export async function makeProgram(inputs: ProgramInputs, to: SiteFolder): Promise<ProgramFiles> {
  const { scratch, program, facts } = inputs;
  const reused = await reuseProgram(program, to);
  if (!reused.isWhole) await addCompiled(await compiledSite(program, scratch), program, to, reused.files);
  const { baseUrl: base_url, sourceCode: source_code } = facts;
  const about = { base_url, source_code } satisfies z.input<typeof ServerFacts>;
  await to.keep(SERVER_FACTS, Buffer.from(`${JSON.stringify(about)}\n`));
  return [...reused.files].flatMap(([file, sha256]) => (file.startsWith(PROGRAM) ? [{ file, sha256 }] : []));
}

const PROGRAM = `${SERVER_FOLDER}/`;

interface Reused {
  /** SHA-256 of each file of the program and of each asset, by its path below the release folder. */
  files: Map<string, string>;
  isWhole: boolean;
}

async function reuseProgram(program: string, to: SiteFolder): Promise<Reused> {
  const reused: Reused = { files: new Map(), isWhole: false };
  if (!to.previous) return reused;
  const keys = await to.keysBefore();
  const has = (place: string) => keys.get(place) === program;
  const { unlisted, files: assets } = to.previous.manifest;
  const all = [
    ...unlisted.map(({ file, sha256 }) => ({
      place: file,
      sha256,
      reuse: () => to.reuseKept(file, program),
    })),
    ...assets.map(({ path, sha256 }) => {
      return { place: `public/${path}`, sha256, reuse: () => to.reuseMade(path, program) };
    }),
  ].filter(({ place }) => has(place));
  reused.isWhole = all.length > 0;
  for (const { place, sha256, reuse } of all) {
    if (await reuse()) reused.files.set(place, sha256);
    else reused.isWhole = false;
  }
  return reused;
}

/** Adds what is not there yet, and notes it. */
async function addCompiled(
  { client, server }: CompiledSite,
  program: string,
  to: SiteFolder,
  there: Map<string, string>,
): Promise<void> {
  await readSite(client, async (file) => {
    const place = `public/${file.path}`;
    if (there.has(place)) return;
    await to.write(file, program);
    there.set(place, '');
  });
  const { files } = await asDiskErrors(server, () => listTree(server));
  for (const path of files) {
    const file = `${PROGRAM}${path}`;
    if (there.has(file)) continue;
    const bytes = await asDiskErrors(path, () => readFile(join(server, path)));
    there.set(file, (await to.keep(file, bytes, program)).sha256);
  }
}
