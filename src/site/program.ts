import { createApp } from 'astro/app/entrypoint';
import type { OpenSite } from '../../pipeline/build/site/open-program.ts';
import { CathedralError } from '../../pipeline/errors.ts';
import { useRelease } from './components/release.ts';
import { PAGE_TABLE, type PageKind } from './page-table.ts';

// The whole page or none: a page that fails half-way must not be published.
const app = createApp({ streaming: false });

// Astro would answer with a page about the error. Whoever renders a page needs the error itself.
app.renderError = async (request, { status, error }) => {
  if (error !== undefined && error !== null) throw error;
  const place = new URL(request.url).pathname;
  throw new CathedralError('site_failed', { place, expected: 'a page', found: `status ${status}` });
};

/** The compiled site: Astro builds this module and all pages into the program in a release's folder `server/`. */
export const openSite: OpenSite = (dir, facts) => {
  const release = useRelease(dir, facts);
  return {
    kinds: () => [...own.keys()],
    list: (kind, since) => {
      const pages = kindOf(kind);
      using tracing = release.tracing();
      if (typeof pages === 'function')
        return { paths: pages(release), touched: null, reads: tracing.names() };
      // Two releases may have the same time, so the events between them have none of their own.
      release.note('fact size');
      const listed = { paths: pages.paths(release), reads: tracing.names() };
      return { ...listed, touched: since === null ? [] : pages.touched(release, since) };
    },
    render: async (url, given) => {
      using tracing = release.tracing();
      const response = await app.render(requestOf(url), { locals: given ?? {} });
      return { response, reads: tracing.names() };
    },
  };
};

/** The pages and endpoints of this project, by the place of their file: `/charts/[id]`. */
const own = new Map(
  app.manifest.routes
    .map(({ routeData }) => routeData)
    .filter(({ origin }) => origin === 'project')
    .map((route) => [route.route, route]),
);

function kindOf(name: string): PageKind {
  const { route, type, params } = own.get(name)!;
  if (params.length === 0) return () => [type === 'page' && route !== '/' ? `${route}/` : route];
  const kind = PAGE_TABLE[name];
  if (kind) return kind;
  const expected = 'an entry in the page table';
  throw new CathedralError('site_failed', { place: name, expected, found: 'none' });
}

/** Astro's own addresses end with a slash, also those of files whose ending is a parameter: `citation.[ending]`. */
function requestOf(url: string): Request {
  const asked = new URL(url, 'http://localhost');
  const request = new Request(asked);
  if (app.match(request)) return request;
  asked.pathname += '/';
  return new Request(asked);
}
