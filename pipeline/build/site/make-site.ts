import { inParallel } from '../../disk/in-parallel.ts';
import { CathedralError } from '../../errors.ts';
import { SNAPSHOTS } from '../../release/format/snapshot-index.ts';
import { siteFile } from '../../release/staging/site-tree.ts';
import { makeProgram, type ProgramInputs, type SiteFolder } from './make-program.ts';
import { type Given, type PageList, pageListsUrl, type RenderedPage } from './open-program.ts';
import { RenderingThread } from './rendering-thread.ts';

/** One is rendered while others are on the way to the disk. */
const UNDER_WAY = 3;

export interface SiteInputs extends ProgramInputs {
  /** What the page of the snapshot list shows; null for no such page. */
  snapshots: Given | null;
}

/**
 * Makes the program and every page of the site, and gives the page of the snapshot list, which stands beside the release; null for none. Of an
 * archive, which grows with every release, only the pages that new rows touch are rendered; the others are taken over from the previous release
 * if the same program made them. Deterministic. Throws site_failed with the address of a page that fails, and its error.
 */
export async function makeSite(inputs: SiteInputs, to: SiteFolder): Promise<string | null> {
  const { facts, snapshots } = inputs;
  const program = await makeProgram(inputs, to);
  await using thread = new RenderingThread({ dir: to.dir, program, facts });
  const since = to.isSame([]) ? to.previous!.manifest.timestamp : null;
  const due: string[] = [];
  const { body } = await thread.render(pageListsUrl(since));
  for (const { paths, touched } of JSON.parse(Buffer.from(body).toString()) as PageList[]) {
    const untouched = touched !== null && since !== null ? new Set(paths).difference(new Set(touched)) : null;
    for (const path of paths)
      if (!(untouched?.has(path) && (await to.takeOver(fileOf(path))))) due.push(path);
  }
  await inParallel(due, UNDER_WAY, async (path) => {
    const page = await thread.render(path);
    assertFound(page, path);
    await to.write(siteFile(fileOf(path), page.body));
  });
  const list = snapshots && (await thread.render(SNAPSHOT_LIST, snapshots));
  if (list) assertFound(list, SNAPSHOT_LIST);
  return list && Buffer.from(list.body).toString();
}

const SNAPSHOT_LIST = `/${SNAPSHOTS}/`;
/** The page for addresses that the site does not have. */
const NOT_FOUND = '/404/';

/** The program answers an address that it does not know with that page, which must not be published in its place. */
function assertFound({ status }: RenderedPage, path: string): void {
  const expected = path === NOT_FOUND ? 404 : 200;
  if (status === expected) return;
  const about = { place: path, expected: `a page with status ${expected}`, found: String(status) };
  throw new CathedralError('site_failed', about);
}

/** `/economy/` → `economy/index.html`; the page for unknown addresses has a name that web servers know. */
function fileOf(path: string): string {
  if (path === NOT_FOUND) return '404.html';
  return path.slice(1).replace(/(^|\/)$/, '$1index.html');
}
