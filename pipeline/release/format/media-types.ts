import { CathedralError } from '../../errors.ts';

/** Media types by file name ending. deploy/nginx.conf has the same table; a test compares the two. */
export const MEDIA_TYPES: Readonly<Record<string, string>> = {
  html: 'text/html; charset=utf-8',
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  mjs: 'text/javascript; charset=utf-8',
  txt: 'text/plain; charset=utf-8',
  csv: 'text/csv; charset=utf-8; header=present',
  bib: 'application/x-bibtex; charset=utf-8',
  json: 'application/json',
  'schema.json': 'application/schema+json',
  webmanifest: 'application/manifest+json',
  xml: 'application/xml',
  svg: 'image/svg+xml',
  png: 'image/png',
  jpg: 'image/jpeg',
  webp: 'image/webp',
  avif: 'image/avif',
  ico: 'image/vnd.microsoft.icon',
  woff2: 'font/woff2',
  pdf: 'application/pdf',
  zip: 'application/zip',
  // Signed notes and verifier keys are lines of text.
  sig: 'text/plain; charset=utf-8',
  vkey: 'text/plain; charset=utf-8',
  wasm: 'application/wasm',
  ndjson: 'application/x-ndjson',
  parquet: 'application/vnd.apache.parquet',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  sqlite: 'application/vnd.sqlite3',
  jsonld: 'application/ld+json',
  atom: 'application/atom+xml',
  ris: 'application/x-research-info-systems',
  cff: 'application/yaml',
};

/** By path, for files that a standard names without an ending. */
const MEDIA_TYPES_BY_PATH: Readonly<Record<string, string>> = {
  // RFC 9727 §5
  '.well-known/api-catalog': 'application/linkset+json',
};

/**
 * The media type by file name ending. Throws publish_failed for an unknown ending rather than guess.
 */
export function mediaTypeOf(path: string): string {
  if (Object.hasOwn(MEDIA_TYPES_BY_PATH, path)) return MEDIA_TYPES_BY_PATH[path]!;
  const [, ending = ''] = /\.((?:schema\.)?[^./]+)$/.exec(path) ?? [];
  const mediaType = Object.hasOwn(MEDIA_TYPES, ending) ? MEDIA_TYPES[ending] : undefined;
  if (mediaType !== undefined) return mediaType;
  const expected = `an ending out of ${Object.keys(MEDIA_TYPES).join(', ')}`;
  throw new CathedralError('publish_failed', { place: path, expected, found: ending || 'none' });
}

/** True for text. Images, fonts and PDFs are compressed already and would grow. */
export function isCompressible(mediaType: string): boolean {
  return /^(text\/|application\/(json|xml|wasm|x-bibtex|x-ndjson|x-research-info-systems|[\w.-]+\+(json|xml))|image\/svg\+xml)/.test(
    mediaType,
  );
}
