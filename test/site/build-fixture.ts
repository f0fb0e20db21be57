import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { inject } from 'vitest';
import type { DraftManifest } from '../../pipeline/publish/manifest.ts';
import { buildSite } from '../../pipeline/publish/site.ts';
import { BASE_URL, CONTACT, writeFixtureRelease } from './fixture-release.ts';

export interface Built extends AsyncDisposable {
  draft: DraftManifest;
  /** Staging folder with the data files. */
  release: string;
  /** The pages. */
  out: string;
}

/** What is printed from the fixture's pages, where anything is. */
export const PRINTED_FILES = ['government/transparency-2025.pdf', 'government/transparency.pdf'];

export interface FixtureOptions {
  /** May damage the release before the pages are made. */
  prepare?: ((release: string) => Promise<void>) | undefined;
  /** The PDFs that the pages may count on. */
  printed?: readonly string[];
}

/**
 * The fixture release and the site over it: without options those that all test files of a run share, and must leave as they
 * are; with options in a folder of their own.
 */
export async function buildFixture(options?: FixtureOptions): Promise<Built> {
  return options ? buildAlone(options) : buildShared(join(inject('sharedFolder'), 'site'));
}

async function buildAlone({ prepare, printed = PRINTED_FILES }: FixtureOptions): Promise<Built> {
  const folder = await mkdtemp(join(tmpdir(), 'cathedral-site-'));
  const remove = () => rm(folder, { recursive: true, force: true });
  try {
    return { ...(await build(folder, { prepare, printed })), [Symbol.asyncDispose]: remove };
  } catch (error) {
    await remove();
    throw error;
  }
}

/** Where the shared release has what needs a key: a page that read it would not find it in its place. */
export const RESTRICTED_APART = 'apart';

const putApart = (release: string) => rename(join(release, 'restricted'), join(release, RESTRICTED_APART));

/** By whoever comes first; the others wait. */
async function buildShared(folder: string): Promise<Built> {
  const place = join(folder, 'built.json');
  const isFirst = await mkdir(folder).then(
    () => true,
    () => false,
  );
  if (isFirst) {
    const built = await build(folder, { prepare: putApart, printed: PRINTED_FILES }).catch(
      (error: Error) => ({
        failed: error.message,
      }),
    );
    await writeFile(`${place}.new`, JSON.stringify(built));
    await rename(`${place}.new`, place);
  }
  while (!existsSync(place)) await sleep(100);
  const built = JSON.parse(await readFile(place, 'utf8')) as Omit<Built, typeof Symbol.asyncDispose>;
  if ('failed' in built) throw new Error(String(built.failed));
  return { ...built, [Symbol.asyncDispose]: async () => {} };
}

async function build(folder: string, { prepare, printed = [] }: FixtureOptions) {
  const [release, out] = [join(folder, 'release'), join(folder, 'out')];
  const draft = await writeFixtureRelease(release);
  await prepare?.(release);
  await buildSite({
    release,
    out,
    cache: join(folder, 'cache'),
    baseUrl: BASE_URL,
    contact: CONTACT,
    printed,
  });
  return { draft, release, out };
}
