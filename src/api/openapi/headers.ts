import { CACHE_CONTROL } from '../../../pipeline/release/format/headers.ts';
import { rateLimitHeaders } from '../quotas.ts';
import { ALLOW } from '../routes/route.ts';
import { type Header, type Parameter, type Reference, refer } from './operation.ts';

const ETAG = '"9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"';
const DATE = 'Mon, 01 Dec 2025 05:58:12 GMT';

/** Conditions and ranges (RFC 9110 §13, §14), which every file supports; by component name. */
const PARAMETERS = {
  IfNoneMatch: {
    name: 'If-None-Match',
    description: 'The ETag that you have. While the file still has it, the response is 304 without a body.',
    example: ETAG,
  },
  IfModifiedSince: {
    name: 'If-Modified-Since',
    description: 'The Last-Modified that you have, instead of an ETag.',
    example: DATE,
  },
  IfMatch: {
    name: 'If-Match',
    description: 'Only if the file has this ETag; otherwise 412.',
    example: ETAG,
  },
  IfUnmodifiedSince: {
    name: 'If-Unmodified-Since',
    description: 'Only if the file has not changed since; otherwise 412.',
    example: DATE,
  },
  Range: {
    name: 'Range',
    description:
      'A range of the uncompressed file: the response is 206. For several ranges the whole file is sent.',
    example: 'bytes=0-1023',
  },
  IfRange: {
    name: 'If-Range',
    description: 'With Range: the range if the file has this ETag, otherwise the whole file.',
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

/** Headers of responses, by name. */
const HEADERS = {
  ETag: {
    description:
      'The SHA-256 of the bytes sent, so each encoding has its own. Send it back in If-None-Match.',
    example: '"9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"',
  },
  'Last-Modified': {
    description: 'When these bytes first appeared, in the time of the data.',
    example: 'Mon, 01 Dec 2025 05:58:12 GMT',
  },
  'Cache-Control': {
    description:
      'How long the response may be cached: five minutes for a file of the release, indefinitely for a closed year, not at all for a restricted file. A counted response to a key is private.',
    example: CACHE_CONTROL.data,
  },
  'Accept-Ranges': { description: 'The file can be requested in ranges.', example: 'bytes' },
  'Content-Range': {
    description: 'The range sent, and the length of the file.',
    example: 'bytes 0-1023/152311',
  },
  'Content-Disposition': {
    description: 'The name under which a browser saves the download.',
    example: 'attachment; filename="ledger-export_2025-12-01_2025-12-31_filtered.csv"',
  },
  'RateLimit-Policy': {
    description:
      'The quota: q requests in w seconds. Missing if there is none, and in responses that shared caches may keep.',
    example: policy,
  },
  RateLimit: {
    description:
      'What is left: r requests until the quota resets in t seconds, at midnight UTC. Missing like RateLimit-Policy.',
    example: left,
  },
  'Retry-After': { description: 'Seconds to wait before trying again.', example: '3600' },
  'WWW-Authenticate': {
    description: 'How to send a key, and what is wrong with the one sent (RFC 6750).',
    example: 'Bearer realm="cathedral"',
  },
  Allow: { description: 'The methods of this path.', example: ALLOW },
  'X-Request-Id': {
    description: 'Identifies this request in the server log. Quote it when you report a problem.',
    example: 'pX3k9aQz-1f',
  },
} as const satisfies Record<string, { description: string; example: string }>;

export type HeaderName = keyof typeof HEADERS;

/** Headers of a file. */
export const FILE_HEADERS = [
  'ETag',
  'Last-Modified',
  'Cache-Control',
  'Accept-Ranges',
  'X-Request-Id',
] as const satisfies readonly HeaderName[];

/** Headers of a response that counts against a quota. */
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
