import type { Area } from '../../../pipeline/artifacts/artifact.ts';
import { Problem } from '../../api/problem.ts';
import type { Allowance } from '../../api/quotas.ts';
import { rateLimitHeaders } from '../../api/quotas.ts';

/** The answer to a request over its limit: 429. */
export function rateLimited(area: Area, allowance: Allowance): Problem {
  const detail = `The ${allowance.limit} requests of this day for ${area} are used up; the next day begins at 00:00 UTC.`;
  return new Problem('rate_limited', detail, rateLimitHeaders(allowance));
}
