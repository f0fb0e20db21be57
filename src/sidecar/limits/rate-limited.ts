import type { Area } from '../../../pipeline/artifacts/artifact.ts';
import { Problem } from '../../api/problem.ts';
import { type QuotaResult, rateLimitHeaders } from '../../api/quotas.ts';

const RETRY_AFTER_S = 30;

/** 503: a request for limited data could not be counted. The cause goes to the server log only. */
export function requestNotCounted(): Problem {
  const headers = { 'Retry-After': String(RETRY_AFTER_S) };
  return new Problem('request_not_counted', 'The server cannot count requests at present.', headers);
}

/** 429: the request exceeds its limit. */
export function rateLimited(area: Area, allowance: QuotaResult): Problem {
  const detail = `The ${allowance.limit} requests of this day for ${area} are used up; the next day begins at 00:00 UTC.`;
  return new Problem('rate_limited', detail, rateLimitHeaders(allowance));
}
