import { CACHE_CONTROL } from '../../../pipeline/release/format/headers.ts';
import { ALLOW } from '../paths.ts';
import { rateLimitHeaders } from '../quotas.ts';
import { type Header, type Parameter, type Reference, refer } from './operation.ts';

const ETAG = '"9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"';
const DATE = 'Mon, 01 Dec 2025 05:58:12 GMT';

/** Conditions and ranges (RFC 9110 §13, §14), which every file knows; by component name. */
const PARAMETERS = {
  IfNoneMatch: {
    name: 'If-None-Match',
    description: 'The ETag that you have: while it is still the file’s, the answer is 304 without a body.',
    example: ETAG,
  },
  IfModifiedSince: {
    name: 'If-Modified-Since',
    description: 'The Last-Modified that you have, in place of an ETag.',
    example: DATE,
  },
  IfMatch: {
    name: 'If-Match',
    description: 'Only while this is the file’s ETag; else 412.',
    example: ETAG,
  },
  IfUnmodifiedSince: {
    name: 'If-Unmodified-Since',
    description: 'Only while the file has not changed since; else 412.',
    example: DATE,
  },
  Range: {
    name: 'Range',
    description: 'A part of the file, uncompressed: the answer is 206. Of several parts the whole is sent.',
    example: 'bytes=0-1023',
  },
  IfRange: {
    name: 'If-Range',
    description: 'With Range: the part while this is the file’s ETag, else the whole file.',
    example: ETAG,
  },
} as const;

/** `components.parameters` */
export function requestHeaderComponents(): Record<string, Parameter> {
  return Object.fromEntries(
    Object.entries(PARAMETERS).map(([key, { name, description, example }]) => [
      key,
      { name, in: 'header', required: false, description, schema: { type: 'string' }, example },
    ]),
  );
}

export function referToRequestHeaders(): Reference[] {
  return Object.keys(PARAMETERS).map((name) => refer('parameters', name));
}

const { 'RateLimit-Policy': policy = '', RateLimit: left = '' } = rateLimitHeaders({
  allowed: true,
  limit: 100,
  remaining: 97,
  resetSeconds: 3_600,
});

/** What answers carry, by name: what each means and how it looks. */
const HEADERS = {
  ETag: {
    description:
      'Names these bytes: the SHA-256 of what is sent, so each encoding has its own. Send it back in If-None-Match.',
    example: '"9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"',
  },
  'Last-Modified': {
    description: 'The data’s own time at which these bytes first appeared.',
    example: 'Mon, 01 Dec 2025 05:58:12 GMT',
  },
  'Cache-Control': {
    description:
      'How long the answer may be kept: five minutes for a file of the release, for ever for a closed year, not at all for what needs a key.',
    example: CACHE_CONTROL.data,
  },
  'Accept-Ranges': { description: 'Parts of the file can be asked for.', example: 'bytes' },
  'Content-Range': {
    description: 'Which bytes these are, and how many the file has.',
    example: 'bytes 0-1023/152311',
  },
  'Content-Disposition': {
    description: 'The name that a browser saves the download under.',
    example: 'attachment; filename="ledger-export_2025-12-01_2025-12-31_filtered.csv"',
  },
  'RateLimit-Policy': {
    description: 'The limit: q requests in w seconds. Missing where there is none.',
    example: policy,
  },
  RateLimit: {
    description: 'What is left: r requests until the limit starts anew in t seconds, at midnight UTC.',
    example: left,
  },
  'Retry-After': { description: 'Seconds after which it is worth asking again.', example: '3600' },
  'WWW-Authenticate': {
    description: 'How to send a key, and what is wrong with the one that was sent (RFC 6750).',
    example: 'Bearer realm="cathedral"',
  },
  Allow: { description: 'The methods that are answered.', example: ALLOW },
  'X-Request-Id': {
    description: 'Names this answer in the server’s log. Give it when you report a fault.',
    example: 'pX3k9aQz-1f',
  },
} as const satisfies Record<string, { description: string; example: string }>;

export type HeaderName = keyof typeof HEADERS;

/** Of a file. */
export const FILE_HEADERS = [
  'ETag',
  'Last-Modified',
  'Cache-Control',
  'Accept-Ranges',
  'X-Request-Id',
] as const satisfies readonly HeaderName[];

/** Of an answer that a limit counts. */
export const LIMIT_HEADERS = ['RateLimit-Policy', 'RateLimit'] as const satisfies readonly HeaderName[];

/** `components.headers` */
export function headerComponents(): Record<string, Header> {
  return Object.fromEntries(
    Object.entries(HEADERS).map(([name, header]) => [name, { ...header, schema: { type: 'string' } }]),
  );
}

export function referToHeaders(names: readonly HeaderName[]): Record<string, Reference> {
  return Object.fromEntries(names.map((name) => [name, refer('headers', name)]));
}
