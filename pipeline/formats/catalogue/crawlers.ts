import { eventsByDay } from '../../artifacts/academics/events-by-day.ts';
import { asOfFile } from '../../artifacts/as-of.ts';
import { ARTIFACTS } from '../../artifacts/table.ts';
import { yearText } from '../../model/period.ts';
import type { DraftFile } from '../../release/format/manifest.ts';
import { SNAPSHOTS } from '../../release/format/snapshot-index.ts';
import { escapeXml } from '../../words/xml.ts';
import { versionsOf } from './catalogue.ts';
import { RELEASED } from './citation-cff.ts';

/** `/robots.txt` allows everything: restricted files ask for a key. */
export function formatRobotsTxt(baseUrl: string): string {
  return `User-agent: *\nAllow: /\n\nSitemap: ${baseUrl}/sitemap.xml\n`;
}

/** Not for search engines: error pages, and what other sites embed. */
const LEFT_OUT = [/^404\.html$/, /^embed\//, /^oembed/];
/** The most addresses of one sitemap (sitemaps.org). */
const MOST_URLS = 50_000;

/** The release as a sitemap sees it. */
export interface Sitemapped {
  baseUrl: string;
  /** Time of the newest event. */
  asOf: string;
  files: readonly DraftFile[];
  /** When each page of an archive got its newest record, by folder and name: a day or a time. */
  records: Readonly<Record<'decisions' | 'deliberations', ReadonlyMap<string, string>>>;
}

type Dated = Sitemapped & { versions: ReadonlyMap<string, DraftFile> };

/**
 * When the pages of a kind changed. A page of a file or of a chart is as old as these, one of a record as this, and one with figures of
 * the release is of its time. All others are prose, which changes with the software.
 */
const CHANGED: readonly [page: RegExp, at: (release: Dated, first: string, second: string) => string][] = [
  [/^files\/(.+)\/index\.html$/, fileTime],
  [
    /^charts\/([^/]+)\/index\.html$/,
    ({ versions, asOf }, id) => versions.get(`charts/${id}.json`)?.as_of ?? asOf,
  ],
  [/^snapshots\//, ({ asOf }) => asOf],
  [/^events\/index\.html$/, (release) => fileTime(release, eventsByDay.path)],
  [/^(?:decisions|deliberations)\/in-(\d{4})\/index\.html$/, yearTime],
  [/^government\/transparency\/(\d{4})\/index\.html$/, yearTime],
  // An open deliberation is in no archive yet.
  [
    /^(decisions|deliberations)\/([^/]+)\/index\.html$/,
    ({ records, asOf }, folder, name) => records[folder as keyof typeof records].get(name) ?? asOf,
  ],
  [
    /^((government|economy|academics|philosophy|diplomacy|decisions|deliberations|sentinels(\/[^/]+)?|files|charts|attestations|verification|verification\/log|api(?:\/[a-z]+)?|government\/transparency)\/)?index\.html$/,
    ({ asOf }) => asOf,
  ],
];

/** Files without a time of their own: texts, and what follows from events without saying of which time. */
function fileTime(release: Dated, path: string): string {
  const artifact = ARTIFACTS.find((one) => one.path === path);
  const time = artifact ? asOfFile(release, artifact) : null;
  return time ?? (artifact?.followsFrom ? release.asOf : RELEASED);
}

/** What is about a year that is over stays as it was at its end. */
function yearTime({ asOf }: Dated, year: string): string {
  return asOf.startsWith(year) ? asOf : `${yearText(Number(year) + 1)}-01-01`;
}

function changedAt(release: Dated, page: string): string {
  for (const [pattern, at] of CHANGED) {
    const match = pattern.exec(page);
    if (match) return at(release, match[1] ?? '', match[2] ?? '');
  }
  return RELEASED;
}

/**
 * `/sitemap.xml`: every page, each with the time of its last change. More pages than one sitemap may have are in
 * `/sitemap-1.xml` and so on, and `/sitemap.xml` lists these.
 */
export function formatSitemaps(given: Sitemapped, most = MOST_URLS): { path: string; content: string }[] {
  const { baseUrl, files } = given;
  const release = { ...given, versions: versionsOf(given.files) };
  const pages = files.filter(
    ({ kind, path }) => kind === 'page' && !LEFT_OUT.some((pattern) => pattern.test(path)),
  );
  const urls = [...pages.map(({ path }) => path), BESIDE]
    .sort()
    .map((path) => entry('url', `${baseUrl}/${addressOf(path)}`, changedAt(release, path)));
  if (urls.length <= most) return [sitemap('sitemap.xml', 'urlset', urls)];
  const parts = Array.from({ length: Math.ceil(urls.length / most) }, (_, index) =>
    sitemap(`sitemap-${index + 1}.xml`, 'urlset', urls.slice(index * most, (index + 1) * most)),
  );
  const listed = parts.map(({ path }) => entry('sitemap', `${baseUrl}/${path}`, given.asOf));
  return [sitemap('sitemap.xml', 'sitemapindex', listed), ...parts];
}

/** The page beside the release, which leads to all snapshots. Which there are does not follow from the ledger. */
const BESIDE = `${SNAPSHOTS}/index.html`;

function entry(name: 'url' | 'sitemap', url: string, changed: string): string {
  return `  <${name}><loc>${escapeXml(url)}</loc><lastmod>${changed}</lastmod></${name}>\n`;
}

function sitemap(path: string, root: 'urlset' | 'sitemapindex', entries: readonly string[]) {
  const content = `<?xml version="1.0" encoding="UTF-8"?>\n<${root} xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n${entries.join('')}</${root}>\n`;
  return { path, content };
}

/** `economy/index.html` → `economy/`. */
function addressOf(path: string): string {
  return path.replace(/(^|\/)index\.html$/, '$1');
}
