import { CathedralError } from '../../errors.ts';
import { sha256 } from '../../release/format/manifest.ts';
import type { Published } from '../../release/format/release.ts';
import { SNAPSHOTS, type Snapshot, type SnapshotIndex } from '../../release/format/snapshot-index.ts';
import { type Given, programIn } from '../site/open-program.ts';
import { PageThreads } from '../site/page-threads.ts';
import { keepAssets } from './lasting-assets.ts';

/** Renders the pages below /snapshots/. */
export interface SnapshotPages {
  page(snapshot: Snapshot): Promise<string>;
  /**
   * The page of the list. `days`: for how many of them every snapshot is kept. Null if `before` is that page already.
   */
  list(index: SnapshotIndex, days: number, before: string | null): Promise<string | null>;
}

/**
 * Renders with the program of a release that is complete but for being current: a snapshot's page has the hash of the signed manifest.
 * What the pages load is kept beside them. Null for a release without pages.
 */
export async function openSnapshotPages(
  out: string,
  release: Published,
): Promise<(SnapshotPages & AsyncDisposable) | null> {
  const { dir, manifest } = release;
  if (!manifest.files.some(({ kind }) => kind === 'page')) return null;
  const program = await programIn(release);
  const threads = new PageThreads({ dir, ...program });
  const render = async (path: string, given: Given) => {
    const { status, body } = await threads.render(path, given);
    if (status === 200) return keepAssets(out, dir, Buffer.from(body).toString());
    throw new CathedralError('site_failed', { place: path, expected: 'a page', found: `status ${status}` });
  };
  return {
    page: (snapshot) => render(`/${SNAPSHOTS}/${snapshot.id}/`, { snapshot }),
    async list(index, days, before) {
      // A run without news would otherwise load the program to find that nothing changed.
      const key = sha256(JSON.stringify([program, index, days]));
      const mark = `<html data-key="${key}" `;
      if (before?.includes(mark)) return null;
      return (await render(`/${SNAPSHOTS}/`, { index, days })).replace('<html ', mark);
    },
    [Symbol.asyncDispose]: () => threads[Symbol.asyncDispose](),
  };
}
