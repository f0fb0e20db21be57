import type { DraftFile } from '../../release/format/manifest.ts';
import { escapeXml } from './xml.ts';

/** `/robots.txt` allows everything: restricted files ask for a key. */
export function formatRobotsTxt(baseUrl: string): string {
  return `User-agent: *\nAllow: /\n\nSitemap: ${baseUrl}/sitemap.xml\n`;
}

/** Prose, and reports of closed years: their footer has the time of the data, but their content does not follow the ledger. */
const PROSE = [
  /^licence\//,
  /^problems\//,
  /^api\//,
  /^academics\/papers\//,
  /^philosophy\/simulation\//,
  /\/\d{4}\/index\.html$/,
];
/** Pages about the past: a new release changes only the time in their footer. Lists by year do change. */
const SETTLED = /^(cycles|decisions|deliberations)\/(?!in-)[^/]+\//;
/** Not for search engines: error pages, and what other sites embed. */
const LEFT_OUT = [/^404\.html$/, /^embed\//, /^oembed/];
/** The most that a sitemap may have (sitemaps.org). */
const MOST_URLS = 50_000;

/**
 * `/sitemap.xml`: every page. `lastmod` is the time of the last event for pages that follow the ledger. Prose and pages about
 * the past have none, because nothing here knows when they last changed.
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
