import type { Area } from '../../pipeline/artifacts/artifact.ts';

/** Requests per day. */
export type Quota = number | 'unlimited';

/** Requests per day, by area and tier. The first tier of each area is that of requests without a key. */
export const QUOTAS = {
  government: { public: 100, government: 'unlimited' },
  economy: { anonymous: 100, economist: 2_000, institutional: 'unlimited' },
  academics: { anonymous: 100, academic: 1_000, institutional: 10_000 },
  philosophy: { anonymous: 100, academic: 1_000, institutional: 10_000 },
  // The specification names no quota, so it is that of the other areas without a key.
  diplomacy: { anonymous: 100 },
} as const satisfies Record<Area, Record<string, Quota>>;

type TierOf<A extends Area> = keyof (typeof QUOTAS)[A];
export type Tier = { [A in Area]: TierOf<A> }[Area];

/** Whether an area has a tier of this name. */
function isTierOf<A extends Area>(area: A, tier: string): tier is TierOf<A> & string {
  return Object.hasOwn(QUOTAS[area], tier);
}

/** Throws a RangeError for a tier that the area does not have, which no issued key has. */
export function quotaOf(area: Area, tier: Tier): Quota {
  if (!isTierOf(area, tier)) throw new RangeError(`${area} has no tier ${tier}`);
  return QUOTAS[area][tier];
}

/** The tier of requests without a key. */
export function tierWithoutKey(area: Area): Tier {
  return area === 'government' ? 'public' : 'anonymous';
}

/** The outcome of counting a request; `limit` and `remaining` are null in a tier without a quota. */
export interface QuotaResult {
  allowed: boolean;
  /** Requests per day. */
  limit: number | null;
  /** Requests left today, after this one. */
  remaining: number | null;
  /** Seconds until the next midnight in UTC. */
  resetSeconds: number;
}

/**
 * `RateLimit-Policy: "daily";q=100;w=86400` and `RateLimit: "daily";r=97;t=3600`, of draft-ietf-httpapi-ratelimit-headers-11
 * (23 May 2026); with `Retry-After` when the quota is used up; none in a tier without a quota. No other code writes them, since
 * the draft may still change.
 */
export function rateLimitHeaders({
  allowed,
  limit,
  remaining,
  resetSeconds,
}: QuotaResult): Record<string, string> {
  if (limit === null) return {};
  return {
    'RateLimit-Policy': `"daily";q=${limit};w=${DAY_S}`,
    RateLimit: `"daily";r=${remaining};t=${resetSeconds}`,
    ...(allowed ? {} : { 'Retry-After': String(resetSeconds) }),
  };
}

const SECOND_MS = 1_000;
const DAY_S = 86_400;
const DAY_MS = DAY_S * SECOND_MS;

/** `2025-12-01`: the calendar day in UTC of a time in ms since 1970. */
export function utcDay(time: number): string {
  const day = Math.floor(time / DAY_MS);
  // Called for each request, and mostly for the same day.
  if (day !== last.day) last = { day, name: new Date(time).toISOString().slice(0, 10) };
  return last.name;
}

let last = { day: Number.NaN, name: '' };

/** Seconds until the next midnight in UTC, rounded up: 1 … 86 400. */
export function secondsToMidnight(time: number): number {
  return Math.ceil((DAY_MS - (time % DAY_MS)) / SECOND_MS);
}
