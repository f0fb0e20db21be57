import { ALLOWED_HEADERS, policyOf } from '../../../pipeline/release/format/response-headers.ts';
import { formatProblem, PROBLEM_MEDIA_TYPE, type Problem } from '../../api/problem.ts';
import type { StreamedBody } from './streamed-body.ts';

/** What is about to be sent. Until then another answer can replace it; see discard(). */
export interface Answer {
  status: number;
  /** With Content-Length if it is known, since HEAD has it without a body. */
  headers: Readonly<Record<string, string>>;
  /** Headers of this answer alone, where `headers` is shared by many. */
  more?: Readonly<Record<string, string>>;
  /** What is streamed is open already, so that nothing can be missing after the first byte. Null: no body. */
  body: Buffer | StreamedBody | null;
}

/** Releases what an answer holds that will not be sent. */
export function discard({ body }: Answer): void {
  if (body !== null && !Buffer.isBuffer(body)) void body.destroy();
}

/**
 * Not cacheable, readable by scripts of other sites, and framed wherever what was asked for would be. `instance`: the requested path, if it
 * is known.
 */
export function problemAnswer(problem: Problem, instance?: string): Answer {
  return {
    status: problem.status,
    headers: {
      'Cache-Control': 'no-store',
      'Access-Control-Allow-Origin': '*',
      'Access-Control-Expose-Headers': EXPOSED_HEADERS,
      ...policyOf((instance ?? '').slice(1)),
      ...problem.headers,
      'Content-Type': PROBLEM_MEDIA_TYPE,
    },
    body: Buffer.from(formatProblem(problem, instance)),
  };
}

/** JSON that may change at any moment. */
export function jsonAnswer(status: number, value: unknown): Answer {
  const headers = {
    'Content-Type': 'application/json',
    'Cache-Control': 'no-cache',
    'Access-Control-Allow-Origin': '*',
  };
  return { status, headers, body: Buffer.from(`${JSON.stringify(value)}\n`) };
}

/** Where a page is whose slash was left out. `query`: as it was requested. */
export function movedAnswer(to: string, query: string): Answer {
  const headers = { Location: `${to}${query && `?${query}`}`, 'Content-Length': '0' };
  return { status: 308, headers, body: null };
}

/** The site's page for what is not there, at a path; the client reads pages. */
export function notFoundPage(path: string, { headers, body }: Pick<Answer, 'headers' | 'body'>): Answer {
  const type = { 'Content-Type': headers['Content-Type']!, 'Content-Length': headers['Content-Length']! };
  const own = { ...type, 'Cache-Control': 'no-store', Vary: 'Accept', ...policyOf(path) };
  return { status: 404, headers: own, body };
}

/** Headers that a script of another site may read, besides those that it always may. */
export const EXPOSED_HEADERS =
  'Accept-Ranges, Content-Disposition, Content-Encoding, Content-Location, Content-Range, ETag, Link, Memento-Datetime, RateLimit, RateLimit-Policy, Retry-After, X-Request-Id';

/** Also answers the preflight request that a browser sends before a script of another site may read a file. */
export function optionsAnswer(methods: readonly string[]): Answer {
  const allow = methods.join(', ');
  const headers = {
    Allow: allow,
    'Access-Control-Allow-Origin': '*',
    'Access-Control-Allow-Methods': allow,
    'Access-Control-Allow-Headers': ALLOWED_HEADERS,
    'Access-Control-Max-Age': '86400',
  };
  return { status: 204, headers, body: null };
}
