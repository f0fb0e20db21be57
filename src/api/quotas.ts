import type { Area } from '../../pipeline/artifacts/artifact.ts';

/** Requests a day, or no limit. */
export type Quota = number | 'unlimited';

/** Requests a day by area and tier. The first tier of each area is the one of who sends no key. */
export const QUOTAS = {
  government: { public: 100, government: 'unlimited' },
  economy: { anonymous: 100, economist: 2_000, institutional: 'unlimited' },
  academics: { anonymous: 100, academic: 1_000, institutional: 10_000 },
  philosophy: { anonymous: 100, academic: 1_000, institutional: 10_000 },
  // The specification names none: as in the other areas without a key.
  diplomacy: { anonymous: 100 },
} as const satisfies Record<Area, Record<string, Quota>>;

export type TierOf<A extends Area> = keyof (typeof QUOTAS)[A];
export type Tier = { [A in Area]: TierOf<A> }[Area];

/** Whether an area has a tier of this name. */
export function isTierOf<A extends Area>(area: A, tier: string): tier is TierOf<A> & string {
  return Object.hasOwn(QUOTAS[area], tier);
}

/** Throws a RangeError for a tier that the area does not have: keys of such a tier are never issued. */
export function quotaOf(area: Area, tier: Tier): Quota {
  if (!isTierOf(area, tier)) throw new RangeError(`${area} has no tier ${tier}`);
  return QUOTAS[area][tier];
}

/** The tier of who sends no key. */
export function tierWithoutKey(area: Area): Tier {
  return area === 'government' ? 'public' : 'anonymous';
}
