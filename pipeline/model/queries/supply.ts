import { amountToNumber } from '../amount.ts';
import { miiThreshold } from '../formulas.ts';
import type { State } from '../state.ts';

/** MIC in integers of 1e-6, exact: total = circulating + locked + burned. */
export function supply(state: State): { total: bigint; circulating: bigint; locked: bigint; burned: bigint } {
  const { total, locked, burned } = state.supply;
  return { total, circulating: total - locked - burned, locked, burned };
}

/** Threshold as a share at a total supply in 1e-6 MIC; null where nothing was issued: its logarithm has no value there. */
export function thresholdOf(total: bigint): number | null {
  return total > 0n ? miiThreshold(amountToNumber(total)) : null;
}

/** The threshold, and whether minting is on: mii ≥ threshold. Without either of them it is off. */
export function minting(state: State) {
  const [mii, threshold] = [state.mii, thresholdOf(state.supply.total)];
  return { mii, threshold, minting_active: mii !== null && threshold !== null && mii >= threshold };
}
