import { amountToNumber } from '../amount.ts';
import { miiThreshold } from '../formulas.ts';
import type { State } from '../state.ts';

/** MIC in integers of 1e-6, exact: total = circulating + locked + burned. */
export function supply(state: State): { total: bigint; circulating: bigint; locked: bigint; burned: bigint } {
  const { total, locked, burned } = state.supply;
  return { total, circulating: total - locked - burned, locked, burned };
}

/** Threshold as a share, and whether minting is on: mii ≥ threshold. Before the first reading it is off. */
export function minting(state: State): { mii: number | null; threshold: number; minting_active: boolean } {
  const threshold = miiThreshold(amountToNumber(state.supply.total));
  return { mii: state.mii, threshold, minting_active: state.mii !== null && state.mii >= threshold };
}
