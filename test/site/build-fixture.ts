import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DraftManifest } from '../../pipeline/publish/manifest.ts';
import { buildSite } from '../../pipeline/publish/site.ts';
import { BASE_URL, writeFixtureRelease } from './fixture-release.ts';

export interface Built extends AsyncDisposable {
  draft: DraftManifest;
  /** Staging folder with the data files. */
  release: string;
  /** The pages. */
  out: string;
}

/** The fixture release and the site over it, in a folder of their own; `prepare` may damage the release first. */
export async function buildFixture(
  prepare: (release: string) => Promise<void> = async () => {},
): Promise<Built> {
  const folder = await mkdtemp(join(tmpdir(), 'cathedral-site-'));
  const remove = () => rm(folder, { recursive: true, force: true });
  const [release, out] = [join(folder, 'release'), join(folder, 'out')];
  try {
    const draft = await writeFixtureRelease(release);
    await prepare(release);
    await buildSite({ release, out, cache: join(folder, 'cache'), baseUrl: BASE_URL });
    return { draft, release, out, [Symbol.asyncDispose]: remove };
  } catch (error) {
    await remove();
    throw error;
  }
}
