import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { close, createIndex, type PagefindIndex } from 'pagefind';
import { asDiskErrors } from '../../disk/durable.ts';
import { CathedralError } from '../../errors.ts';
import { kindOf, SEARCH_INDEX, type SearchKind } from '../../release/format/search-kinds.ts';

/** Embeds, the search page itself, and pages without content of their own. */
const LEFT_OUT = /^(404\.html|embed\/|search\/)/;
const TRANSIENT = /<meta name="robots" content="noindex"/;
const HAS_MAIN = /<main[\s>]/;

/** The files of the indexer that a search loads. The others belong to interfaces that this site does not use. */
const NEEDED =
  /^(pagefind(-worker)?\.js|pagefind-entry\.json|wasm\.en\.pagefind|.+\.pf_(meta|index|fragment|filter))$/;

/**
 * Page fragments are packed into at most this many files. One file per page would double the files of a release, and readers load
 * only a few.
 */
const MOST_FRAGMENTS = 256;

/** Not indexed: what occurs in every page, drawings, and columns of numbers. */
const EXCLUDED = ['svg', 'nav', 'td.number', '[aria-hidden="true"]'];

/**
 * Writes the full-text index of the site, from the `main` element of those of its `paths` that are pages. `site`: the folder that has
 * them. Deterministic. Throws site_failed if the indexer cannot read a page, publish_failed on disk errors.
 */
export async function writeSearchIndex(
  site: string,
  paths: readonly string[],
  write: (path: string, content: Uint8Array) => Promise<void>,
): Promise<void> {
  try {
    await writeIndex(site, paths, write);
  } catch (cause) {
    throw cause instanceof CathedralError ? cause : failure('pagefind', String(cause), cause);
  }
}

async function writeIndex(
  site: string,
  paths: readonly string[],
  write: (path: string, content: Uint8Array) => Promise<void>,
): Promise<void> {
  const pages = paths.filter((path) => path.endsWith('.html') && !LEFT_OUT.test(path)).sort();
  await using indexer = await openIndexer();
  for (const path of pages) {
    const html = await asDiskErrors(path, () => readFile(join(site, path), 'utf8'));
    if (TRANSIENT.test(html) || !HAS_MAIN.test(html)) continue;
    const added = { url: `/${path.replace(/index\.html$/, '')}`, content: withKind(html, kindOf(path)) };
    requireNone(path, (await indexer.index.addHTMLFile(added)).errors);
  }
  const made = await indexer.index.getFiles();
  requireNone(SEARCH_INDEX, made.errors);
  for (const { path, content } of made.files)
    if (NEEDED.test(path)) await write(`${SEARCH_INDEX}${path}`, content);
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

function requireNone(place: string, errors: readonly string[]): void {
  if (errors.length > 0) throw failure(place, errors.join('; '));
}

function failure(place: string, found: string, cause?: unknown): CathedralError {
  return new CathedralError('site_failed', { place, expected: 'an index for the search', found, cause });
}
