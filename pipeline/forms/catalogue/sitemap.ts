import type { DraftFile } from '../../release/format/manifest.ts';
import { escapeXml } from './xml.ts';

/** Pages of words, and reports of years that are over: they say as of when the site is, but do not follow the ledger. */
const PROSE = [
  /^licence\//,
  /^problems\//,
  /^api\//,
  /^academics\/papers\//,
  /^philosophy\/simulation\//,
  /\/\d{4}\/index\.html$/,
];
/** Pages of what is over: a release that comes changes the time in their footer and nothing else. Lists by year do change. */
const SETTLED = /^(cycles|decisions|deliberations)\/(?!in-)[^/]+\//;
/** Not for search engines: not a page of its own, or for other sites to show. */
const LEFT_OUT = [/^404\.html$/, /^embed\//, /^oembed/];
/** Of a sitemap (sitemaps.org). */
const MOST_URLS = 50_000;

/**
 * `/sitemap.xml`: every page. `lastmod` is the time of the last ledger event, for a page whose numbers are of that time;
 * a page of words, or of what is over, has none, since when its words changed is not known here.
 */
export function formatSitemap(baseUrl: string, asOf: string, files: readonly DraftFile[]): string {
  const pages = files
    .filter(({ kind, path }) => kind === 'page' && !LEFT_OUT.some((pattern) => pattern.test(path)))
    .map(({ path }) => path)
    .sort()
    .slice(0, MOST_URLS);
  const urls = pages.map((path) => {
    const isUnknown = [...PROSE, SETTLED].some((pattern) => pattern.test(path));
    const lastmod = isUnknown ? '' : `<lastmod>${asOf}</lastmod>`;
    return `  <url><loc>${escapeXml(`${baseUrl}/${addressOf(path)}`)}</loc>${lastmod}</url>\n`;
  });
  return `<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n${urls.join('')}</urlset>\n`;
}

/** `economy/index.html` → `economy/`. */
function addressOf(path: string): string {
  return path.replace(/(^|\/)index\.html$/, '$1');
}
