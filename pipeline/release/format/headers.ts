import type { ManifestFile } from './manifest.ts';
import { mediaTypeOf } from './media-types.ts';
import { PROOF_PATHS } from './public-manifest.ts';
import { LIST_PATH, LIST_SIGNATURE_PATH } from './snapshot-index.ts';

type Headers = Record<string, string>;

/**
 * Nothing from elsewhere, no inline script or style, no plug-in, no frame around a page. The charts in the
 * pages carry their colours as presentation attributes of SVG, which are not style to this.
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

/** Pages that need another policy, and what is different in it. */
export interface PolicyException {
  /** A folder, `embed/`. */
  below: string;
  directives: Partial<typeof DIRECTIVES>;
}

/** A folder that is added here has to be in the map of docs/nginx.conf too; a test compares the two. */
export const EXCEPTIONS: readonly PolicyException[] = [
  // The search reads its index with WebAssembly: this lets that be compiled, and no text be run as a script.
  { below: 'search/', directives: { 'script-src': "'self' 'wasm-unsafe-eval'" } },
  // What these pages are for: to stand in a frame of any other page. Nothing can be done in them but looked at.
  { below: 'embed/', directives: { 'frame-ancestors': '*' } },
];

/** On every answer, whatever it is. */
export const COMMON_HEADERS: Headers = {
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'strict-origin-when-cross-origin',
  'Content-Security-Policy': formatPolicy({}),
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

const OPEN: Headers = { 'Access-Control-Allow-Origin': '*' };
const BYTES: Headers = { 'Content-Type': 'application/octet-stream' };

/** Of the files of the log, which stand beside the releases (c2sp.org/tlog-tiles). */
export const LOG_HEADERS = {
  /** Another one with each release, and asked for each time: a proof is against the newest. */
  checkpoint: {
    'Content-Type': 'text/plain; charset=utf-8',
    'Cache-Control': CACHE_CONTROL.live,
    ...OPEN,
  } as Headers,
  tile: { ...BYTES, 'Cache-Control': CACHE_CONTROL.immutable, ...OPEN } as Headers,
  /** Entries are for a key. */
  bundle: { ...BYTES, 'Cache-Control': CACHE_CONTROL.restricted } as Headers,
};

export interface HeaderOptions {
  /** The answer is the live state's, not the release's. */
  live?: boolean;
  exceptions?: readonly PolicyException[];
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
    ...policyOf(file, options.exceptions),
  };
}

/** Of a path with a policy of its own, that policy. */
function policyOf({ path }: ManifestFile, exceptions = EXCEPTIONS): Headers {
  const exception = exceptions.find(({ below }) => path.startsWith(below));
  return exception ? { 'Content-Security-Policy': formatPolicy(exception.directives) } : {};
}

function formatPolicy(directives: PolicyException['directives']): string {
  const all = Object.entries({ ...DIRECTIVES, ...directives });
  return all.map(([name, value]) => `${name} ${value}`).join('; ');
}

function freshness(file: ManifestFile, { live }: HeaderOptions): keyof typeof CACHE_CONTROL {
  if (file.restricted) return 'restricted';
  if (live) return 'live';
  if (file.immutable) return 'immutable';
  // The three that prove a release have to be of one release, so they are asked for each time.
  return isOpenData(file) && file.kind !== 'proof' ? 'data' : 'page';
}

/** What any page on the web may read. */
function isOpenData({ kind, restricted }: ManifestFile): boolean {
  return !restricted && OPEN_KINDS.has(kind);
}

const OPEN_KINDS: ReadonlySet<ManifestFile['kind']> = new Set(['data', 'schema', 'proof']);

/**
 * A table's other forms, charts and schemas: there are many of them, so a host gets a rule for each ending. It does not tell the
 * files of years that are over from the one of this year, and so none is called immutable.
 */
const RULES_BY_ENDING: readonly (readonly [path: RegExp, rule: string])[] = [
  [/^.*(\.(?:ndjson|parquet|xlsx))$/, '*$1'],
  [/^government\/transparency-\d{4,}(\.[a-z]+)$/, 'government/transparency-*$1'],
  [/^charts\/[^/]+(\.[a-z]+)$/, 'charts/*$1'],
  [/^schemas\/.*(\.(?:schema|table)\.json)$/, 'schemas/*$1'],
];

/**
 * `_headers` of the public tree, as several static hosts read it. All rules that match a path add up there,
 * so no header may be in two of them: the common ones are in the first rule alone, and each file has one
 * more. Pages and assets without a hash have none, their Cache-Control is the hosts' own. Cloudflare Pages reads
 * 100 rules of lines of 2,000 characters, and drops what comes after them: so there is no rule per page, chart or year, and
 * the policies come first. A folder with a policy of its own first takes the common one off (`! Name`); a host that cannot do
 * that keeps the stricter of the two.
 */
export function formatHeadersFile(files: readonly ManifestFile[], exceptions = EXCEPTIONS): string {
  const rules: [string, Headers][] = [
    ['/_astro/*', { 'Cache-Control': CACHE_CONTROL.immutable }],
    ['/fonts/*', { 'Cache-Control': CACHE_CONTROL.immutable }],
    ['/log/checkpoint', LOG_HEADERS.checkpoint],
    ['/log/tile/*', LOG_HEADERS.tile],
  ];
  const open = files.filter(isOpenData).map((file) => {
    const path = RULES_BY_ENDING.reduce((path, [pattern, rule]) => path.replace(pattern, rule), file.path);
    // A closed year's report never changes; of the other forms, this year's has the ending of those before.
    const immutable = file.immutable && path.startsWith('government/');
    return path === file.path ? file : { ...file, path, immutable };
  });
  const byPath = new Map(open.map((file) => [file.path, file]));
  rules.push(...rulesApart(open));
  for (const file of [...byPath.values()].toSorted((a, b) => (a.path < b.path ? -1 : 1))) {
    const own = Object.entries(headersFor(file)).filter(([name]) => !(name in COMMON_HEADERS));
    rules.push([`/${file.path}`, Object.fromEntries(own)]);
  }
  const policies = exceptions.map(({ below, directives }) => {
    const name = 'Content-Security-Policy';
    return `/${below}*\n  ! ${name}\n${formatLines({ [name]: formatPolicy(directives) })}`;
  });
  const others = rules.map(([path, headers]) => `${path}\n${formatLines(headers)}`);
  return [`/*\n${formatLines(COMMON_HEADERS)}`, ...policies, ...others].join('\n');
}

/**
 * What is published beside the files of a release: what proves it, the signed list of snapshots, which has to be of the same
 * release, and the snapshots, whose ids begin with their year. No two of these match one path with one header.
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
    ['/snapshots/assets/*', { 'Cache-Control': CACHE_CONTROL.immutable, ...any }],
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
