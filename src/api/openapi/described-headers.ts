import { z } from 'zod';
import { CACHE_CONTROL } from '../../../pipeline/release/format/response-headers.ts';
import { rateLimitHeaders } from '../quotas.ts';
import { ALLOW } from '../routes/route.ts';

const ETAG = '"9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"';
const DATE = 'Mon, 01 Dec 2025 05:58:12 GMT';

const sent = (description: string, example: string) => z.string().optional().meta({ description, example });

/** Conditions and ranges (RFC 9110 §13, §14), which every file supports. */
export const FILE_REQUEST_HEADERS = {
  'If-None-Match': sent(
    'The ETag that you have. While the file still has it, the response is 304 without a body.',
    ETAG,
  ),
  'If-Modified-Since': sent('The Last-Modified that you have, instead of an ETag.', DATE),
  'If-Match': sent('Only if the file has this ETag; otherwise 412.', ETAG),
  'If-Unmodified-Since': sent('Only if the file has not changed since; otherwise 412.', DATE),
  Range: sent(
    'A range of the uncompressed file: the response is 206. For several ranges the whole file is sent.',
    'bytes=0-1023',
  ),
  'If-Range': sent('With Range: the range if the file has this ETag, otherwise the whole file.', ETAG),
};

const { 'RateLimit-Policy': policy = '', RateLimit: left = '' } = rateLimitHeaders({
  allowed: true,
  limit: 100,
  remaining: 97,
  resetSeconds: 3_600,
});

/** Headers of responses, by name: what each says, and an example. */
const HEADERS = {
  ETag: ['The SHA-256 of the bytes sent, so each encoding has its own. Send it back in If-None-Match.', ETAG],
  'Last-Modified': ['When these bytes first appeared, in the time of the data.', DATE],
  'Cache-Control': [
    'How long the response may be cached: five minutes for a file of the release, indefinitely for a closed year, not at all for a restricted file or a problem. A counted response to a key is private.',
    CACHE_CONTROL.data,
  ],
  'Accept-Ranges': ['The file can be requested in ranges.', 'bytes'],
  'Content-Range': ['The range sent, and the length of the file.', 'bytes 0-1023/152311'],
  'Content-Disposition': [
    'The name under which a browser saves the download.',
    'attachment; filename="ledger-export_2025-12-01_2025-12-31_filtered.csv"',
  ],
  'Content-Location': [
    'Of an earlier version: its permanent address.',
    '/snapshots/2025-12-01T06Z/economy/mic-history.csv',
  ],
  'Memento-Datetime': ['Of an earlier version: the time of its snapshot (RFC 7089).', DATE],
  Link: ['Of an earlier version: where the current one is.', '</economy/mic-history.csv>; rel="original"'],
  'RateLimit-Policy': [
    'The quota: q requests in w seconds. Missing if there is none, and in responses that shared caches may keep.',
    policy,
  ],
  RateLimit: [
    'What is left: r requests until the quota resets in t seconds, at midnight UTC. Missing like RateLimit-Policy.',
    left,
  ],
  'Retry-After': ['Seconds to wait before trying again.', '3600'],
  'WWW-Authenticate': [
    'How to send a key, and what is wrong with the one sent (RFC 6750).',
    'Bearer realm="cathedral"',
  ],
  Allow: ['The methods of this path.', ALLOW],
  'Accept-Post': ['The media type to send, where another one was sent.', 'application/json'],
  'Accept-Encoding': ['The encoding to send, where a compressed document was sent.', 'identity'],
  'X-Request-Id': [
    'Identifies this request in the server log. Quote it when you report a problem.',
    'pX3k9aQz-1f',
  ],
} as const satisfies Readonly<Record<string, readonly [description: string, example: string]>>;

export type HeaderName = keyof typeof HEADERS;

/** Headers of every response. */
export const EVERY_HEADERS = ['Cache-Control', 'X-Request-Id'] as const satisfies readonly HeaderName[];

/** Headers of a response with a version of a file that is not the current one. */
export const VERSION_HEADERS = [
  'Content-Location',
  'Memento-Datetime',
  'Link',
] as const satisfies readonly HeaderName[];

/** Headers of a response that counts against a quota. */
export const LIMIT_HEADERS = ['RateLimit-Policy', 'RateLimit'] as const satisfies readonly HeaderName[];

/** A reference to a component of the document: `refer('headers', 'ETag')`. */
export function refer(kind: string, name: string) {
  return { $ref: `#/components/${kind}/${name}` };
}

/** `components.headers` */
export function headerComponents() {
  return Object.fromEntries(
    Object.entries(HEADERS).map(([name, [description, example]]) => [
      name,
      { description, example, schema: { type: 'string' } },
    ]),
  );
}

export function referToHeaders(names: readonly HeaderName[]) {
  return Object.fromEntries(names.map((name) => [name, refer('headers', name)]));
}
