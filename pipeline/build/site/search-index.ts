import { hash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { close, createIndex, type PagefindIndex } from 'pagefind';
import { z } from 'zod';
import { asDiskErrors } from '../../disk/durable.ts';
import { CathedralError } from '../../errors.ts';
import type { NewFile } from '../../release/format/manifest.ts';
import type { Published } from '../../release/format/release.ts';
import { kindOf, SEARCH_BUNDLES, SEARCH_INDEX, type SearchKind } from '../../release/format/search-kinds.ts';
import { siteFile } from '../../release/staging/site-tree.ts';
import { type SearchedPage, type Years, YearsOfPages, yearsOf } from './search-years.ts';

/** Embeds, the search page itself, and pages without content of their own. */
const LEFT_OUT = /^(404\.html|embed\/|search\/)/;
const TRANSIENT = /<meta name="robots" content="noindex"/;
const HAS_MAIN = /<main[\s>]/;

/** The files of the indexer that a search loads, of each bundle and of the first one only. The others belong to interfaces that this site does not use. */
const NEEDED = /^(pagefind-entry\.json|.+\.pf_(meta|index|fragment|filter))$/;
const ENGINE = /^(pagefind(-worker)?\.js|wasm\.en\.pagefind)$/;

/**
 * The page fragments of a bundle are packed into at most this many files. One file per page would double the files of a release, and
 * readers load only a few.
 */
const MOST_FRAGMENTS = 96;

/** Not indexed: what occurs in every page, drawings, and columns of numbers. */
const EXCLUDED = ['svg', 'nav', 'td.number', '[aria-hidden="true"]'];

/** What an index follows from, besides its pages. */
const RECIPE = [pagefindVersion(), EXCLUDED, MOST_FRAGMENTS, `${TRANSIENT}${HAS_MAIN}${NEEDED}${ENGINE}`, 1];

/** Where the pages are and the index goes; a release that is being staged. */
export interface SearchFolder {
  /** Folder of the pages. */
  public: string;
  /** The release that this one goes on from; null in a rebuild. */
  previous: Pick<Published, 'manifest'> | null;
  /** Links a file of the previous release; false if that release lacks it or has damaged it. */
  takeOver(path: string): Promise<boolean>;
  /** A file without an address that the previous release kept; null without one. */
  keptBefore(file: string): Promise<string | null>;
  keep(file: string, bytes: Uint8Array): Promise<unknown>;
  /** The public files so far. */
  files(): readonly SearchedPage[];
  write(file: NewFile): Promise<void>;
}

/** Pages that are indexed together, and the folder of their index. */
interface Bundle {
  /** Below SEARCH_INDEX: `2020s/`; empty for the ordinary pages. */
  folder: string;
  pages: SearchedPage[];
}

/**
 * Writes the full-text index of the staged pages, from their `main` elements. Pages of the archive are indexed apart, those of the open
 * year, and of the closed years by decade, so that a run indexes again only what is new. Deterministic. Throws site_failed if the
 * indexer cannot read a page, publish_failed on disk errors.
 */
export async function writeSearchIndex(
  pages: readonly SearchedPage[],
  asOf: string,
  to: SearchFolder,
): Promise<void> {
  const searchable = pages.filter(({ path }) => path.endsWith('.html') && !LEFT_OUT.test(path));
  const before = await keptBefore(to);
  const { years, read } = await yearsOf(searchable, to.public, before?.pages ?? {});
  const bundles = bundlesOf(searchable, years, asOf.slice(0, 4));
  const digests: Record<string, string> = {};
  try {
    for (const bundle of bundles) {
      const { folder } = bundle;
      digests[folder] = digestOf(bundle);
      const isSame = before?.bundles[folder] === digests[folder];
      if (!(isSame && (await takeOver(folder, to)))) await addBundle(bundle, to);
    }
  } catch (cause) {
    throw cause instanceof CathedralError ? cause : failure('pagefind', String(cause), cause);
  }
  const others = bundles.map(({ folder }) => folder).filter((folder) => folder !== '');
  await to.write(siteFile(SEARCH_BUNDLES, Buffer.from(`${JSON.stringify(others)}\n`)));
  const kept: z.input<typeof Kept> = { format: 'cathedral-search/1', pages: read, bundles: digests };
  await to.keep(KEPT, Buffer.from(`${JSON.stringify(kept)}\n`));
}

/** Kept with a release, below its folder, for the next run: to index a decade again takes seconds. */
const KEPT = 'search.json';
const Kept = z.strictObject({
  format: z.literal('cathedral-search/1'),
  pages: YearsOfPages,
  /** By folder, the digest of what the index was made of. */
  bundles: z.record(z.string(), z.string()),
});

/** Null if there is no such file, or one of another version of this software: then everything is read and indexed. */
async function keptBefore(to: SearchFolder): Promise<z.infer<typeof Kept> | null> {
  const text = await to.keptBefore(KEPT);
  return text === null ? null : (Kept.safeParse(JSON.parse(text)).data ?? null);
}

/** `current`: the open year, also of pages without a date. */
function bundlesOf(pages: readonly SearchedPage[], years: Years, current: string): Bundle[] {
  const folderOf = ({ path }: SearchedPage) => {
    const year = years.get(path);
    if (year === undefined) return '';
    return year === null || year >= current ? `${current}/` : `${year.slice(0, -1)}0s/`;
  };
  const byFolder = Map.groupBy(pages, folderOf);
  if (!byFolder.has('')) byFolder.set('', []);
  const bundles = [...byFolder].map(([folder, own]) => ({ folder, pages: own.sort(byPath) }));
  return bundles.sort((a, b) => (a.folder < b.folder ? -1 : 1));
}

function byPath(a: SearchedPage, b: SearchedPage): number {
  return a.path < b.path ? -1 : 1;
}

function digestOf({ folder, pages }: Bundle): string {
  return hash('sha256', JSON.stringify([RECIPE, folder, pages.map(({ path, sha256 }) => [path, sha256])]));
}

/** Takes the index in a folder over from the previous release. False if a file of it is damaged. */
async function takeOver(folder: string, to: SearchFolder): Promise<boolean> {
  let isWhole = true;
  for (const { path } of to.previous?.manifest.files ?? [])
    if (folderOf(path) === folder && path !== SEARCH_BUNDLES) isWhole = (await to.takeOver(path)) && isWhole;
  return isWhole;
}

/** `search/index/2020s/index/x.pf_index` → `2020s/`; undefined for what is no file of an index. */
function folderOf(path: string): string | undefined {
  if (!path.startsWith(SEARCH_INDEX)) return undefined;
  return /^\d{4}s?\//.exec(path.slice(SEARCH_INDEX.length))?.[0] ?? '';
}

/** What was taken over before a damaged file came stays: indexing gives the same bytes again. */
async function addBundle({ folder, pages }: Bundle, to: SearchFolder): Promise<void> {
  const taken = new Set(to.files().map(({ path }) => path));
  for (const { path, content } of await makeIndex({ folder, pages }, to.public))
    if (!taken.has(path)) await to.write(siteFile(path, content));
}

async function makeIndex({ folder, pages }: Bundle, site: string) {
  await using indexer = await openIndexer();
  for (const { path } of pages) {
    const html = await asDiskErrors(path, () => readFile(join(site, path), 'utf8'));
    if (TRANSIENT.test(html) || !HAS_MAIN.test(html)) continue;
    const added = { url: `/${path.replace(/index\.html$/, '')}`, content: withKind(html, kindOf(path)) };
    requireNone(path, (await indexer.index.addHTMLFile(added)).errors);
  }
  const { files, errors } = await indexer.index.getFiles();
  requireNone(SEARCH_INDEX, errors);
  return files
    .filter(({ path }) => NEEDED.test(path) || (folder === '' && ENGINE.test(path)))
    .map(({ path, content }) => ({ path: `${SEARCH_INDEX}${folder}${path}`, content }));
}

/** The indexer reads filters from the page. They are added for it and not published. */
function withKind(html: string, kind: SearchKind): string {
  return html.replace(/<main(?=[\s>])/, `<main data-pagefind-filter="kind:${kind}"`);
}

/** The indexer is one process that all callers share. The last one ends it. */
let users = 0;

async function openIndexer(): Promise<{ index: PagefindIndex } & AsyncDisposable> {
  users += 1;
  const release = async () => {
    users -= 1;
    if (users === 0) await close();
  };
  try {
    const { index, errors } = await createIndex({
      rootSelector: 'main',
      excludeSelectors: EXCLUDED,
      forceLanguage: 'en',
      maxFragments: MOST_FRAGMENTS,
    });
    requireNone('pagefind', errors);
    if (!index) throw failure('pagefind', 'none');
    const end = async () => {
      await index.deleteIndex();
      await release();
    };
    return { index, [Symbol.asyncDispose]: end };
  } catch (error) {
    await release();
    throw error;
  }
}

/** Its package.json cannot be imported, as the package does not export it. */
function pagefindVersion(): string {
  const require = createRequire(import.meta.url);
  const library = import.meta.resolve('pagefind');
  return (require(join(dirname(new URL(library).pathname), '../package.json')) as { version: string })
    .version;
}

function requireNone(place: string, errors: readonly string[]): void {
  if (errors.length > 0) throw failure(place, errors.join('; '));
}

function failure(place: string, found: string, cause?: unknown): CathedralError {
  return new CathedralError('site_failed', { place, expected: 'an index for the search', found, cause });
}
