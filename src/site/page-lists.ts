/// <reference types="astro/client" />
import type { APIRoute } from 'astro';
import { CathedralError } from '../../pipeline/errors.ts';
import { openRelease } from './layout/release.ts';
import { PAGE_TABLE, type PageKind } from './page-table.ts';

/** `./pages/charts/[id].astro` → `/charts/[id]`, and whether it is a page; otherwise it is a file that is made from data. */
const KINDS = new Map(
  Object.keys(import.meta.glob('./pages/**/*.{astro,ts}', { exhaustive: true })).map((file) => [
    file.slice('./pages'.length).replace(/(?:\/index)?\.\w+$/, '') || '/',
    file.endsWith('.astro'),
  ]),
);

/** Which kinds of pages there are, and with `?kind=` the addresses of one of them; see `PageList` for the answer. */
export const GET: APIRoute = ({ url: { searchParams } }) => {
  const kind = searchParams.get('kind');
  if (kind === null) return Response.json([...KINDS.keys()]);
  const release = openRelease();
  const pages = pagesOf(kind);
  if (typeof pages === 'function') return Response.json({ paths: pages(release), touched: null });
  const paths = pages.paths(release);
  const since = searchParams.get('since');
  return Response.json({ paths, touched: since === null ? [] : pages.touched(release, since) });
};

function pagesOf(name: string): PageKind {
  const kind = PAGE_TABLE[name];
  if (kind) return kind;
  if (!name.includes('[')) return () => [KINDS.get(name) && name !== '/' ? `${name}/` : name];
  const expected = 'an entry in the page table';
  throw new CathedralError('site_failed', { place: name, expected, found: 'none' });
}
