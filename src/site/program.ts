import { createApp } from 'astro/app/entrypoint';
import type { OpenSite } from '../../pipeline/build/site/open-program.ts';
import { CathedralError } from '../../pipeline/errors.ts';
import { useRelease } from './components/release.ts';
import { PAGE_TABLE, type PagePaths } from './page-table.ts';

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
    paths: () =>
      app.manifest.routes.flatMap(({ routeData: { origin, route, type, params } }) => {
        if (origin !== 'project') return [];
        if (params.length > 0) return pathsOf(route)(release);
        return type === 'page' && route !== '/' ? `${route}/` : route;
      }),
    render: (url) => app.render(requestOf(url)),
  };
};

function pathsOf(route: string): PagePaths {
  const paths = PAGE_TABLE[route];
  if (paths) return paths;
  const expected = 'an entry in the page table';
  throw new CathedralError('site_failed', { place: route, expected, found: 'none' });
}

/** Astro's own addresses end with a slash, also those of files whose ending is a parameter: `citation.[ending]`. */
function requestOf(url: string): Request {
  const asked = new URL(url, 'http://localhost');
  const request = new Request(asked);
  if (app.match(request)) return request;
  asked.pathname += '/';
  return new Request(asked);
}
