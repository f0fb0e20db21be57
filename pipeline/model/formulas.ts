/** Constants of the reward formula, cycle C-151: R = L / (1 + e^(−k·(s − x0))) × M_c. */
export const REWARD = { L: 1000, k: 0.05, x0: 50 } as const;

/** The score formula, published beside the scores. */
export const SCORE_FORMULA = '(0.4×apps + 0.3×packages + 0.2×workflows + 0.1×(10-drift)) × (1 + log(uptime))';

export interface Work {
  apps: number;
  packages: number;
  workflows: number;
  /** 0 (none) to 10. */
  drift: number;
  /** Days, at least 1: shorter uptimes count as one day. */
  uptime_days: number;
}

/** Logistic reward of one mint in MIC, before rounding to 6 places; `s` in points, `multiplier` M_c in [1, 2]. */
export function reward(s: number, multiplier: number): number {
  return (REWARD.L / (1 + Math.exp(-REWARD.k * (s - REWARD.x0)))) * multiplier;
}

/** Coordination score `s` in points, not clamped; the logarithm is natural. */
export function coordinationScore({ apps, packages, workflows, drift, uptime_days }: Work): number {
  const work = 0.4 * apps + 0.3 * packages + 0.2 * workflows + 0.1 * (10 - drift);
  return work * (1 + Math.log(Math.max(1, uptime_days)));
}

/**
 * MII threshold as a share in [0, 1], from the total supply in MIC. The formula gives percent: 95 − 2·log10(total_MIC / 1e6). The
 * result is capped at 1, because the formula grows without bound as the supply approaches zero.
 */
export function miiThreshold(totalSupply: number): number {
  if (totalSupply <= 0) return 1;
  return Math.min(1, Math.max(0, (95 - 2 * Math.log10(totalSupply / 1e6)) / 100));
}

/** Gini coefficient in [0, 1] of non-negative amounts: 0 if all are equal, near 1 if one has everything. 0 if empty or all zero. */
export function gini(amounts: readonly number[]): number {
  const sorted = [...amounts].sort((a, b) => a - b);
  const sum = sorted.reduce((total, amount) => total + amount, 0);
  if (sum === 0) return 0;
  const weighted = sorted.reduce((total, amount, index) => total + (index + 1) * amount, 0);
  const exact = (2 * weighted) / (sorted.length * sum) - (sorted.length + 1) / sorted.length;
  // Rounding can give −2e-16 for equal amounts.
  return Math.max(0, exact);
}

/** `count` divided by `of`. Null if `of` is 0: nothing was measured, and 0 or 1 would look like a result. */
export function share(count: number, of: number): number | null {
  return of === 0 ? null : count / of;
}

/** Mean of the non-null values. Null if there are none. */
export function meanOf(values: readonly (number | null)[]): number | null {
  const measured = values.filter((value) => value !== null);
  return share(
    measured.reduce((sum, value) => sum + value, 0),
    measured.length,
  );
}
