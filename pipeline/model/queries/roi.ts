import { amountToNumber } from '../amount.ts';
import { meanOf, REWARD, share } from '../formulas.ts';
import { own } from '../own.ts';
import { allSentinels } from '../sentinel-status.ts';
import type { SentinelState, State } from '../state.ts';

/** Mean reward per mint ÷ L: what a mint returned per unit of the highest base reward. Null without a mint. */
export function roi({ minted, mints }: Pick<SentinelState, 'minted' | 'mints'>): number | null {
  const mean = share(amountToNumber(minted), mints);
  return mean === null ? null : mean / REWARD.L;
}

export interface CathedralRoi {
  multiplier: number;
  /** 1e-6 MIC, of all mints for it ever. */
  total_rewards: bigint;
  /** Registered and not retired. */
  sentinel_count: number;
  /** Mean over the sentinels that have minted for it, of those mints; null where none has. */
  average_roi: number | null;
}

/**
 * By cathedral, for every cathedral that has a multiplier, a sentinel or a mint. A sentinel may be registered again in another
 * one: what was minted for it before stays with the cathedral that it was minted for.
 */
export function roiByCathedral(state: State): Record<string, CathedralRoi> {
  const sentinels = allSentinels(state);
  const names = new Set([
    ...Object.keys(state.multipliers),
    ...sentinels.map(({ cathedral }) => cathedral),
    ...Object.keys(state.rewards),
  ]);
  return Object.fromEntries([...names].map((name) => [name, cathedralRoi(state, name)]));
}

function cathedralRoi(state: State, name: string): CathedralRoi {
  const members = allSentinels(state).filter(({ cathedral }) => cathedral === name);
  const rewards = Object.values(own(state.rewards, name) ?? {});
  return {
    multiplier: multiplierOf(state, name),
    total_rewards: rewards.reduce((sum, { minted }) => sum + minted, 0n),
    sentinel_count: members.filter(({ retired_at }) => retired_at === null).length,
    average_roi: meanOf(rewards.map(roi)),
  };
}

/** M_c of a cathedral; 1, the least, where the ledger has set none. */
export function multiplierOf(state: State, cathedral: string): number {
  return own(state.multipliers, cathedral) ?? 1;
}
