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
 * Makes the program and every page of the site, and gives the page of the snapshot list, which stands beside the release; null for none. A page
 * that says nothing of what is new is taken over from the previous release if the same program made it. Deterministic. Throws site_failed with
 * the address of a page that fails, and its error.
 */
export async function makeSite(inputs: SiteInputs, to: SiteFolder): Promise<string | null> {
  const { facts, snapshots } = inputs;
  const program = await makeProgram(inputs, to);
  await using thread = new RenderingThread({ dir: to.dir, program, facts });
  const isAfterSame = to.isSame([]) && linksToSame(to, facts.printed ?? []);
  const since = isAfterSame ? to.previous!.manifest.timestamp : null;
  const due: string[] = [];
  const { body } = await thread.render(pageListsUrl(since));
  for (const { paths, touched, sources } of JSON.parse(Buffer.from(body).toString()) as PageList[]) {
    const untouched = touched !== null && since !== null ? new Set(paths).difference(new Set(touched)) : null;
    for (const path of paths) {
      const isKept = untouched?.has(path) && to.isSame(sources[path] ?? []);
      if (!(isKept && (await to.takeOver(fileOf(path))))) due.push(path);
    }
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

/** Of what runs may be asked for or not, charts, the tables in other formats and PDFs: one file of each. */
const OPTIONAL = /\.(?:svg|sqlite|pdf)$/;

/** Whether pages find the same files to link to as in the previous release, which may have been made without a browser or as data alone. */
function linksToSame(to: SiteFolder, printed: readonly string[]): boolean {
  const optional = (paths: readonly string[]) => new Set(paths.filter((path) => OPTIONAL.test(path)));
  const before = to.previous!.manifest.files.map(({ path }) => path);
  return optional(before).symmetricDifference(optional([...to.paths(), ...printed])).size === 0;
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
