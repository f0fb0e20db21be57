import { DAY_S } from './utc-day.ts';

/** What became of a request; `limit` and `remaining` are null in a tier without a limit. */
export interface Allowance {
  allowed: boolean;
  /** Requests a day. */
  limit: number | null;
  /** Requests that are left today, after this one. */
  remaining: number | null;
  /** Seconds until the next midnight in UTC. */
  resetSeconds: number;
}

/**
 * `RateLimit-Policy: "daily";q=100;w=86400` and `RateLimit: "daily";r=97;t=3600`, of draft-ietf-httpapi-ratelimit-headers-11
 * (23 May 2026); with `Retry-After` where the limit is reached; none in a tier without a limit. The draft may still change,
 * so they are written nowhere else.
 */
export function rateLimitHeaders({
  allowed,
  limit,
  remaining,
  resetSeconds,
}: Allowance): Record<string, string> {
  if (limit === null) return {};
  return {
    'RateLimit-Policy': `"daily";q=${limit};w=${DAY_S}`,
    RateLimit: `"daily";r=${remaining};t=${resetSeconds}`,
    ...(allowed ? {} : { 'Retry-After': String(resetSeconds) }),
  };
}
