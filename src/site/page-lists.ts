/// <reference types="astro/client" />
import type { APIRoute } from 'astro';
import type { PageList } from '../../pipeline/build/site/open-program.ts';
import { CathedralError } from '../../pipeline/errors.ts';
import { openRelease } from './layout/release.ts';
import { PAGES_TO_RENDER, type PageKind } from './pages-to-render.ts';

/** `./pages/charts/[id].astro` → `/charts/[id]`, and whether it is a page; otherwise it is a file that is made from data. */
const KINDS = new Map(
  Object.keys(import.meta.glob('./pages/**/*.{astro,ts}', { exhaustive: true })).map((file) => [
    file.slice('./pages'.length).replace(/(?:\/index)?\.\w+$/, '') || '/',
    file.endsWith('.astro'),
  ]),
);

/** The addresses of the pages of each kind; see `pageListsUrl`. */
export const GET: APIRoute = ({ url: { searchParams } }) => {
  const release = openRelease();
  const since = searchParams.get('since');
  const lists = [...KINDS.keys()].map((kind): PageList => {
    const pages = pagesOf(kind);
    if (typeof pages === 'function') return { kind, paths: pages(release), touched: null, sources: {} };
    const paths = pages.paths?.(release) ?? [addressOf(kind)];
    const { sources: of } = pages;
    const sources = of ? Object.fromEntries(paths.map((path) => [path, of(path, release)])) : {};
    return { kind, paths, touched: since === null ? [] : pages.touched(release, since), sources };
  });
  return Response.json(lists);
};

function pagesOf(name: string): PageKind {
  const kind = PAGES_TO_RENDER[name];
  if (kind) return kind;
  if (!name.includes('[')) return () => [addressOf(name)];
  const expected = 'an entry in src/site/pages-to-render.ts';
  throw new CathedralError('site_failed', { place: name, expected, found: 'none' });
}

/** Of a page or file without a parameter. */
function addressOf(kind: string): string {
  return KINDS.get(kind) && kind !== '/' ? `${kind}/` : kind;
}
