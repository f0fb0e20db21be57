import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
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
  prepare?: (release: string) => Promise<void>;
  /** The PDFs that the pages may count on. */
  printed?: readonly string[];
}

/** The fixture release and the site over it, in a folder of their own. */
export async function buildFixture({
  prepare = async () => {},
  printed = PRINTED_FILES,
}: FixtureOptions = {}): Promise<Built> {
  const folder = await mkdtemp(join(tmpdir(), 'cathedral-site-'));
  const remove = () => rm(folder, { recursive: true, force: true });
  const [release, out] = [join(folder, 'release'), join(folder, 'out')];
  try {
    const draft = await writeFixtureRelease(release);
    await prepare(release);
    const cache = join(folder, 'cache');
    await buildSite({ release, out, cache, baseUrl: BASE_URL, contact: CONTACT, printed });
    return { draft, release, out, [Symbol.asyncDispose]: remove };
  } catch (error) {
    await remove();
    throw error;
  }
}
