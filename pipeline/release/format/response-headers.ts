import type { ManifestFile } from './manifest.ts';
import { mediaTypeOf } from './media-types.ts';
import { PROOF_PATHS } from './public-manifest.ts';
import { LIST_PATH, LIST_SIGNATURE_PATH, OLD_HISTORIES } from './snapshot-index.ts';

type Headers = Record<string, string>;

/**
 * No foreign resources, inline scripts, inline styles, plug-ins or framing. Charts in pages carry their colours as SVG
 * presentation attributes, which are not subject to style-src.
 */
const DIRECTIVES = {
  'default-src': "'none'",
  'script-src': "'self'",
  'style-src': "'self'",
  'img-src': "'self' data:",
  'font-src': "'self'",
  'connect-src': "'self'",
  'manifest-src': "'self'",
  'base-uri': "'none'",
  'form-action': "'self'",
  'frame-ancestors': "'none'",
};

/** Folders whose pages need a different policy, and the directives that differ. */
export interface PolicyException {
  /** A folder, `embed/`. */
  below: string;
  directives: Partial<typeof DIRECTIVES>;
}

/** Add each folder to the map in deploy/nginx.conf as well; a test compares the two. */
export const EXCEPTIONS: readonly PolicyException[] = [
  // The SQL engine is WebAssembly: it may be compiled, but no text evaluated as script. It runs in a worker, which has the policy that comes
  // with its script and not that of its page, and gets the unpacked WebAssembly from the page, in memory.
  {
    below: '_astro/duckdb-',
    directives: { 'script-src': "'self' 'wasm-unsafe-eval'", 'connect-src': "'self' blob:" },
  },
  // Embeds are meant to be framed by any page. They offer no action that a framing page could abuse.
  { below: 'embed/', directives: { 'frame-ancestors': '*' } },
];

/** On every response. */
export const COMMON_HEADERS: Headers = {
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'strict-origin-when-cross-origin',
  'Content-Security-Policy': formatPolicy({}),
};

/** Values of `Cache-Control`, times in seconds. A release comes every six hours. */
export const CACHE_CONTROL = {
  /** The bytes at this address never change. */
  immutable: 'public, max-age=31536000, immutable',
  /**
   * Fresh for five minutes, then for an hour while a cache revalidates: short compared with the six hours between releases.
   */
  data: 'public, max-age=300, stale-while-revalidate=3600',
  /**
   * Revalidated on each use (usually a 304), so that pages and their assets belong to one release. Static hosts do the same by
   * default.
   */
  page: 'public, max-age=0, must-revalidate',
  /** Answers from the live state. */
  live: 'no-cache',
  /** Answers to a key: not for shared caches, and not for storage. */
  restricted: 'private, no-store',
} as const;

/** Marks the responses that a new release replaces, in whichever header a CDN reads, so that one request purges them. */
export const CACHE_TAG = 'cathedral-release';

/** Whether a shared cache may keep a response with this Cache-Control that a new release replaces. */
export function isReplacedByRelease(cacheControl: string | undefined): boolean {
  return cacheControl !== undefined && /^public\b(?!.*\bimmutable\b)/.test(cacheControl);
}

/**
 * Headers that a script of another site may send. A browser asks first (a preflight) and takes `*` for any but Authorization; the others are
 * named for older browsers, since polyfills and libraries send them.
 */
export const ALLOWED_HEADERS =
  'Authorization, Cache-Control, Content-Type, If-Match, If-Modified-Since, If-None-Match, If-Range, If-Unmodified-Since, Last-Event-ID, Pragma, Range, *';

const OPEN: Headers = { 'Access-Control-Allow-Origin': '*' };
const BYTES: Headers = { 'Content-Type': 'application/octet-stream' };

/** Files of the log, which is stored beside the releases (c2sp.org/tlog-tiles). */
export const LOG_HEADERS = {
  /** Changes with each release and is revalidated each time, because proofs refer to the newest one. */
  checkpoint: {
    'Content-Type': 'text/plain; charset=utf-8',
    'Cache-Control': CACHE_CONTROL.live,
    ...OPEN,
  } as Headers,
  tile: { ...BYTES, 'Cache-Control': CACHE_CONTROL.immutable, ...OPEN } as Headers,
  /** Public events. Their address has the version of the decisions that chose them. */
  public: { ...BYTES, 'Cache-Control': CACHE_CONTROL.immutable, ...OPEN } as Headers,
  /** Those decisions, which say at which address the bundles are. */
  policy: {
    'Content-Type': 'application/json',
    'Cache-Control': CACHE_CONTROL.live,
    ...OPEN,
  } as Headers,
  /** Entries need a key. */
  bundle: { ...BYTES, 'Cache-Control': CACHE_CONTROL.restricted } as Headers,
};

/** What the headers of a file depend on. */
export type HeaderFacts = Pick<ManifestFile, 'path' | 'kind' | 'restricted' | 'media_type' | 'immutable'>;

export interface HeaderOptions {
  /** Whether the live state answers rather than the release. */
  live?: boolean;
}

/**
 * The headers of a file, except those that follow from its bytes (ETag, Content-Length, Content-Encoding, Last-Modified).
 */
export function headersFor(file: HeaderFacts, options: HeaderOptions = {}): Headers {
  return {
    'Content-Type': file.media_type,
    'Cache-Control': CACHE_CONTROL[freshness(file, options)],
    ...((isOpenData(file) || isPart(file)) && OPEN),
    ...COMMON_HEADERS,
    ...policyOf(file.path),
  };
}

/** The headers of a file below `snapshots/`. No manifest lists these files, so their kind follows from their path. */
export function snapshotHeaders(path: string, mediaType: string, immutable: boolean): Headers {
  const isList = path === LIST_PATH || path === LIST_SIGNATURE_PATH;
  const kind = isList ? 'proof' : path.endsWith('.html') ? 'page' : 'data';
  return headersFor({ path, kind, restricted: false, media_type: mediaType, immutable });
}

/** The policy of a path that has its own, whether a file is there or not. */
export function policyOf(path: string): Headers {
  const directives = exceptionAt(path);
  return directives ? { 'Content-Security-Policy': formatPolicy(directives) } : {};
}

/** The directive that says which pages may frame what is at a path. */
export function framedBy(path: string): string {
  const ancestors = exceptionAt(path)?.['frame-ancestors'] ?? DIRECTIVES['frame-ancestors'];
  return `frame-ancestors ${ancestors}`;
}

function exceptionAt(path: string): PolicyException['directives'] | undefined {
  return EXCEPTIONS.find(({ below }) => path.startsWith(below))?.directives;
}

function formatPolicy(directives: PolicyException['directives']): string {
  const all = Object.entries({ ...DIRECTIVES, ...directives });
  return all.map(([name, value]) => `${name} ${value}`).join('; ');
}

function freshness(file: HeaderFacts, { live }: HeaderOptions): keyof typeof CACHE_CONTROL {
  if (file.restricted) return 'restricted';
  if (live) return 'live';
  if (file.immutable) return 'immutable';
  // The three proof files must belong to one release, so clients revalidate them each time.
  return isOpenData(file) && file.kind !== 'proof' ? 'data' : 'page';
}

/** Files that any web page may read. */
function isOpenData({ kind, restricted }: HeaderFacts): boolean {
  return !restricted && OPEN_KINDS.has(kind);
}

/** Fonts, styles and scripts of pages. An embed in a sandboxed frame has no origin, so a browser gives it fonts only with this header. */
function isPart({ path }: HeaderFacts): boolean {
  return /^(_astro|fonts)\//.test(path);
}

const OPEN_KINDS: ReadonlySet<ManifestFile['kind']> = new Set(['data', 'schema', 'proof']);

/**
 * Other formats of tables, charts and schemas. They are many, so there is one rule per file name ending. Such a rule cannot tell
 * closed years from the current one, so it marks none of them immutable.
 */
const RULES_BY_ENDING: readonly (readonly [path: RegExp, rule: string])[] = [
  [/^.*(\.(?:ndjson|parquet|xlsx))$/, '*$1'],
  [/^government\/transparency-\d{4,}(\.[a-z]+)$/, 'government/transparency-*$1'],
  [/^charts\/[^/]+(\.[a-z]+)$/, 'charts/*$1'],
  [/^schemas\/.*(\.(?:schema|table)\.json)$/, 'schemas/*$1'],
  [/^(?:[a-z]+\/)?feed(\.(?:atom|json))$/, '*feed$1'],
  [/^events\/days\/[^/]+(\.json)$/, 'events/days/*$1'],
];

/** What static hosts read and nobody else: `.nojekyll` keeps GitHub Pages from leaving out names that begin with `_`. */
export const HOST_FILES = ['_headers', '.nojekyll'] as const;

/**
 * `_headers` of the public tree, a format that several static hosts read. All rules that match a path apply, so no header may
 * occur in two of them: the common ones are in the first rule only, and each file has one further rule. Pages and assets
 * without a hash have none; hosts apply their own Cache-Control. Cloudflare Pages reads 100 rules of lines of 2,000 characters
 * and drops the rest, so there is no rule per page, chart or year, and the policies come first. A folder with its own policy
 * first removes the common one (`! Name`); a host without that feature applies the stricter of the two.
 */
export function formatHeadersFile(files: readonly ManifestFile[]): string {
  const rules: [string, Headers][] = [
    ['/_astro/*', { 'Cache-Control': CACHE_CONTROL.immutable, ...OPEN }],
    ['/fonts/*', { 'Cache-Control': CACHE_CONTROL.immutable, ...OPEN }],
    ['/log/checkpoint', LOG_HEADERS.checkpoint],
    ['/log/cosigned/*', LOG_HEADERS.checkpoint],
    ['/log/tile/*', LOG_HEADERS.tile],
    ['/log/public/policy.json', LOG_HEADERS.policy],
    ['/log/public/v*', LOG_HEADERS.public],
  ];
  const open = files.filter(isOpenData).map((file) => {
    const path = RULES_BY_ENDING.reduce((path, [pattern, rule]) => path.replace(pattern, rule), file.path);
    // A closed year's report never changes. In the other formats, the current year's file has the same ending as the closed ones.
    const immutable = file.immutable && path.startsWith('government/');
    return path === file.path ? file : { ...file, path, immutable };
  });
  const byPath = new Map(open.map((file) => [file.path, file]));
  rules.push(...rulesApart(open));
  for (const file of [...byPath.values()].toSorted((a, b) => (a.path < b.path ? -1 : 1))) {
    const own = Object.entries(headersFor(file)).filter(([name]) => !(name in COMMON_HEADERS));
    rules.push([`/${file.path}`, Object.fromEntries(own)]);
  }
  const policies = EXCEPTIONS.map(({ below, directives }) => {
    const name = 'Content-Security-Policy';
    return `/${below}*\n  ! ${name}\n${formatLines({ [name]: formatPolicy(directives) })}`;
  });
  const others = rules.map(([path, headers]) => `${path}\n${formatLines(headers)}`);
  const common = { ...COMMON_HEADERS, 'Access-Control-Allow-Headers': ALLOWED_HEADERS };
  return [`/*\n${formatLines(common)}`, ...policies, ...others].join('\n');
}

/**
 * Files beside those of a release: its proofs, the signed snapshot list, which must belong to the same release, and the snapshots,
 * whose ids begin with their year. No two of these rules set one header for one path.
 */
function rulesApart(open: readonly ManifestFile[]): [string, Headers][] {
  const any = { 'Access-Control-Allow-Origin': '*' };
  const proofs = [...PROOF_PATHS, LIST_PATH, LIST_SIGNATURE_PATH].map((path): [string, Headers] => [
    `/${path}`,
    { 'Content-Type': mediaTypeOf(path), 'Cache-Control': CACHE_CONTROL.page, ...any },
  ]);
  const unnamed = open.filter(({ path, kind }) => kind === 'data' && !/\.[^/]*$/.test(path));
  return [
    ...proofs,
    [`/${OLD_HISTORIES}/*`, { 'Cache-Control': CACHE_CONTROL.immutable, ...any }],
    ['/snapshots/2*', { 'Cache-Control': CACHE_CONTROL.immutable, ...any }],
    ...unnamed.map(({ path, media_type }): [string, Headers] => [
      `/snapshots/*/${path}`,
      { 'Content-Type': media_type },
    ]),
  ];
}

function formatLines(headers: Headers): string {
  return Object.entries(headers)
    .map(([name, value]) => `  ${name}: ${value}\n`)
    .join('');
}
