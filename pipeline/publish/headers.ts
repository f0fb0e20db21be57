import type { ManifestFile } from './manifest.ts';

type Headers = Record<string, string>;

/**
 * Nothing from elsewhere, no inline script, no plug-in, no frame around a page. Inline style is let through
 * for the charts: their SVG carries it, and it cannot run code.
 */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "manifest-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join('; ');

/** On every answer, whatever it is. */
export const COMMON_HEADERS: Headers = {
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'strict-origin-when-cross-origin',
  'Content-Security-Policy': CONTENT_SECURITY_POLICY,
};

/** Values of `Cache-Control`, times in seconds. A release comes every six hours. */
export const CACHE_CONTROL = {
  /** Its bytes never change. */
  immutable: 'public, max-age=31536000, immutable',
  /**
   * Five minutes, then for an hour more while a cache asks for the new one: what is shown is never old by
   * much of a release.
   */
  data: 'public, max-age=300, stale-while-revalidate=3600',
  /**
   * Asked for each time (mostly a 304), so that pages and their assets are of one release. Static hosts do
   * the same unasked.
   */
  page: 'public, max-age=0, must-revalidate',
  /** Answered from the live state. */
  live: 'no-cache',
  /** Served to a key: for nobody else, and not for a disk. */
  restricted: 'private, no-store',
} as const;

export interface HeaderOptions {
  /** The answer is the live state's, not the release's. */
  live?: boolean;
}

/**
 * The headers that a file is served with, but for those of its bytes (ETag, Content-Length,
 * Content-Encoding, Last-Modified).
 */
export function headersFor(file: ManifestFile, options: HeaderOptions = {}): Headers {
  return {
    'Content-Type': file.media_type,
    'Cache-Control': CACHE_CONTROL[freshness(file, options)],
    ...(isOpenData(file) && { 'Access-Control-Allow-Origin': '*' }),
    ...COMMON_HEADERS,
  };
}

function freshness(file: ManifestFile, { live }: HeaderOptions): keyof typeof CACHE_CONTROL {
  if (file.restricted) return 'restricted';
  if (live) return 'live';
  if (file.immutable) return 'immutable';
  return isOpenData(file) ? 'data' : 'page';
}

/** What any page on the web may read. */
function isOpenData({ kind, restricted }: ManifestFile): boolean {
  return !restricted && (kind === 'data' || kind === 'schema');
}

/**
 * `_headers` of the public tree, as several static hosts read it. All rules that match a path add up there,
 * so no header may be in two of them: the common ones are in the first rule alone, and each file has one
 * more. Pages and assets without a hash have none, their Cache-Control is the hosts' own. Some hosts read
 * 100 rules at most, hence no rule per page.
 */
export function formatHeadersFile(files: readonly ManifestFile[]): string {
  const rules: [string, Headers][] = [
    ['/*', COMMON_HEADERS],
    ['/_astro/*', { 'Cache-Control': CACHE_CONTROL.immutable }],
  ];
  for (const file of files.filter(isOpenData).toSorted((a, b) => (a.path < b.path ? -1 : 1))) {
    const own = Object.entries(headersFor(file)).filter(([name]) => !(name in COMMON_HEADERS));
    rules.push([`/${file.path}`, Object.fromEntries(own)]);
  }
  return rules.map(([path, headers]) => `${path}\n${formatLines(headers)}`).join('\n');
}

function formatLines(headers: Headers): string {
  return Object.entries(headers)
    .map(([name, value]) => `  ${name}: ${value}\n`)
    .join('');
}
