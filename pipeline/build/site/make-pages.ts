import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { inParallel } from '../../disk/in-parallel.ts';
import { CathedralError } from '../../errors.ts';
import { type DraftManifest, sha256 } from '../../release/format/manifest.ts';
import type { Published } from '../../release/format/release.ts';
import { siteFile } from '../../release/staging/site-tree.ts';
import type { SiteFolder } from './make-program.ts';
import type { PageList, ProgramFiles, ReadName, RenderedPage, SiteFacts } from './open-program.ts';
import { readValues, withoutData } from './page-reads.ts';
import { PAGES_UNDER_WAY, PageThreads } from './page-threads.ts';

/** What the pages of a release read, below its folder, for the next run. */
const PAGES = 'pages.json';

const Sha256 = z.string().regex(/^[0-9a-f]{64}$/);
const PagesFile = z.strictObject({
  format: z.literal('cathedral-pages/1'),
  /** The program key. */
  program: Sha256,
  /** Sets of names; many pages have the same. */
  reads: z.array(z.array(z.string())),
  kinds: z.record(
    z.string(),
    z.strictObject({
      archive: z.boolean(),
      /** What the addresses follow from, as a place in `reads`, and its digest. */
      reads: z.int(),
      key: Sha256,
      /** What each page follows from, as a place in `reads`. */
      pages: z.record(z.string(), z.int()),
    }),
  ),
});

interface Kind {
  archive: boolean;
  reads: readonly ReadName[];
  key: string;
  /** What each page read, by address. */
  pages: Map<string, readonly ReadName[]>;
}

export interface PagesInputs {
  /** The program key. */
  program: string;
  /** All files of the program. */
  files: ProgramFiles;
  facts: SiteFacts;
  draft: DraftManifest;
}

/**
 * Makes every page of the site, and gives the paths of their files. The key of a page is the digest of the program and of everything that
 * the page read when it was last rendered. While that is the same, the page is taken over from the previous release; threads start only
 * when a page has to be rendered. Of an archive, which grows with every release, only the pages that new rows touch are looked at. Throws
 * site_failed with the address of a page that fails, and its error.
 */
export async function makePages(inputs: PagesInputs, to: SiteFolder): Promise<string[]> {
  const before = await pagesBefore(to.previous, inputs.program);
  await using threads = new PageThreads({ dir: to.dir, files: inputs.files, facts: inputs.facts });
  const pages = new PageMaker(inputs, to, threads);
  for (const kind of before?.keys() ?? (await threads.kinds())) await pages.plan(kind, before?.get(kind));
  await pages.render();
  await to.keep(PAGES, Buffer.from(formatPages(inputs.program, pages.kinds)));
  return pages.paths;
}

class PageMaker {
  readonly kinds = new Map<string, Kind>();
  /** Of all files. */
  readonly paths: string[] = [];
  readonly #stale: { path: string; kind: Kind }[] = [];
  readonly #to: SiteFolder;
  readonly #threads: PageThreads;
  readonly #keyOf: (names: readonly ReadName[]) => string;
  /** SHA-256 of each file of the previous release. */
  readonly #before: ReadonlyMap<string, string>;

  constructor({ program, draft, facts }: PagesInputs, to: SiteFolder, threads: PageThreads) {
    this.#to = to;
    this.#threads = threads;
    this.#keyOf = keysOf(program, readValues(draft, facts));
    this.#before = new Map(to.previous?.manifest.files.map(({ path, sha256 }) => [path, sha256]));
  }

  /** Takes over the pages of a kind that are as they were, and notes the others. */
  async plan(name: string, before: Kind | undefined): Promise<void> {
    const isSame = before !== undefined && this.#keyOf(before.reads) === before.key;
    const list = isSame ? sameList(before) : await this.#list(name, before);
    const kind: Kind = {
      archive: list.touched !== null,
      reads: list.reads,
      key: this.#keyOf(list.reads),
      pages: new Map(),
    };
    this.kinds.set(name, kind);
    const touched = new Set(list.touched);
    for (const path of list.paths) {
      const file = fileOf(path);
      this.paths.push(file);
      const reads = touched.has(path) ? undefined : before?.pages.get(path);
      const key = reads && this.#pageKey(kind, reads, this.#before.get(file));
      if (reads && key && (await this.#to.reuseMade(file, key))) kind.pages.set(path, reads);
      else this.#stale.push({ path, kind });
    }
  }

  #list(name: string, before: Kind | undefined): Promise<PageList> {
    const since = before && this.#to.previous ? this.#to.previous.manifest.timestamp : null;
    return this.#threads.list(name, since);
  }

  /** Undefined if there is nothing to take over. */
  #pageKey(kind: Kind, reads: readonly ReadName[], content: string | undefined): string | undefined {
    if (!kind.archive) return this.#keyOf(reads);
    // Whether its data are the same follows from what was touched. So the key says which bytes they gave, here and in a rebuild.
    return content && sha256(`${this.#keyOf(reads)} ${content}`);
  }

  async render(): Promise<void> {
    this.#threads.expect(this.#stale.length);
    await inParallel(this.#stale, PAGES_UNDER_WAY, async ({ path, kind }) => {
      const page = await this.#threads.render(path);
      assertFound(page, path);
      const reads = kind.archive ? withoutData(page.reads) : page.reads;
      kind.pages.set(path, reads);
      const file = siteFile(fileOf(path), page.body);
      await this.#to.write(file, this.#pageKey(kind, reads, sha256(page.body)));
    });
  }
}

function sameList({ archive, reads, pages }: Kind): PageList {
  return { paths: [...pages.keys()], touched: archive ? [] : null, reads };
}

/** Digests of what was read. Thousands of pages read the same. */
function keysOf(
  program: string,
  valueAt: (name: ReadName) => string,
): (names: readonly ReadName[]) => string {
  const known = new Map<string, string>();
  return (names) => {
    const all = names.join('\n');
    let key = known.get(all);
    if (key === undefined) {
      key = sha256(JSON.stringify([program, ...names.map((name) => [name, valueAt(name)])]));
      known.set(all, key);
    }
    return key;
  };
}

/** The pages of the previous release by kind; null for a first release, a damaged file, or another program. */
async function pagesBefore(previous: Published | null, program: string): Promise<Map<string, Kind> | null> {
  const listed = previous?.manifest.unlisted.find(({ file }) => file === PAGES);
  if (!listed) return null;
  const text = await readFile(join(previous!.dir, PAGES), 'utf8').catch(() => '');
  if (sha256(text) !== listed.sha256) return null;
  const { data } = PagesFile.safeParse(JSON.parse(text));
  if (data?.program !== program) return null;
  const kinds = Object.entries(data.kinds).map(([name, { pages, reads, ...kind }]): [string, Kind] => {
    const of = Object.entries(pages).map(([path, at]) => [path, data.reads[at]!] as const);
    return [name, { ...kind, reads: data.reads[reads]!, pages: new Map(of) }];
  });
  return new Map(kinds);
}

/** Sorted, because pages are made in any order. */
function formatPages(program: string, kinds: ReadonlyMap<string, Kind>): string {
  const all = [...kinds.values()].flatMap(({ reads, pages }) => [reads, ...pages.values()]);
  const sets = [...new Map(all.map((names) => [names.join('\n'), names]))].sort(byName);
  const places = new Map(sets.map(([text], place) => [text, place]));
  const placeOf = (names: readonly ReadName[]) => places.get(names.join('\n'))!;
  const entries = [...kinds].sort(byName).map(([name, { archive, key, reads, pages }]) => {
    const of = [...pages].sort(byName).map(([path, names]) => [path, placeOf(names)]);
    return [name, { archive, reads: placeOf(reads), key, pages: Object.fromEntries(of) }];
  });
  const reads = sets.map(([, names]) => names);
  const file = { format: 'cathedral-pages/1', program, reads, kinds: Object.fromEntries(entries) };
  return `${JSON.stringify(file, null, 1)}\n`;
}

function byName([one]: readonly [string, unknown], [other]: readonly [string, unknown]): number {
  return one < other ? -1 : 1;
}

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
