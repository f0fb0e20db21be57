import { amountToNumber } from '../amount.ts';
import { miiThreshold } from '../formulas.ts';
import type { State } from '../state.ts';

/** Integers of 1e-6 MIC. Exact: total = circulating + locked + burned. */
export function supply(state: State): { total: bigint; circulating: bigint; locked: bigint; burned: bigint } {
  const { total, locked, burned } = state.supply;
  return { total, circulating: total - locked - burned, locked, burned };
}

/** Threshold as a share, for a total supply in 1e-6 MIC. Null without supply, because the logarithm of 0 is undefined. */
export function thresholdOf(total: bigint): number | null {
  return total > 0n ? miiThreshold(amountToNumber(total)) : null;
}

/** The threshold, and whether minting is active: MII ≥ threshold. Null if either is missing, because then nothing was compared. */
export function minting(state: State) {
  const [mii, threshold] = [state.mii, thresholdOf(state.supply.total)];
  return { mii, threshold, minting_active: mii === null || threshold === null ? null : mii >= threshold };
}
