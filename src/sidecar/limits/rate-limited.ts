import type { Area } from '../../../pipeline/artifacts/artifact.ts';
import { Problem } from '../../api/problem.ts';
import { type QuotaResult, rateLimitHeaders } from '../../api/quotas.ts';

const RETRY_AFTER_S = 30;

/** The answer to a request for limited data that could not be counted: 503. The cause is for the server's own log. */
export function requestNotCounted(): Problem {
  const headers = { 'Retry-After': String(RETRY_AFTER_S) };
  return new Problem('request_not_counted', 'Requests cannot be counted now.', headers);
}

/** The answer to a request over its limit: 429. */
export function rateLimited(area: Area, allowance: QuotaResult): Problem {
  const detail = `The ${allowance.limit} requests of this day for ${area} are used up; the next day begins at 00:00 UTC.`;
  return new Problem('rate_limited', detail, rateLimitHeaders(allowance));
}
