import { amountToNumber } from '../amount.ts';
import { meanOf, REWARD, share } from '../formulas.ts';
import { ownMember } from '../own-member.ts';
import { allSentinels } from '../sentinel-status.ts';
import type { SentinelState, State } from '../state.ts';

/** Mean reward per mint ÷ L: the return per unit of the highest base reward. Null without mints. */
export function roi({ minted, mints }: Pick<SentinelState, 'minted' | 'mints'>): number | null {
  const mean = share(amountToNumber(minted), mints);
  return mean === null ? null : mean / REWARD.L;
}

export interface CathedralRoi {
  multiplier: number;
  /** In 1e-6 MIC, over all mints for this cathedral. */
  total_rewards: bigint;
  /** Sentinels registered and not retired. */
  sentinel_count: number;
  /** Mean over the sentinels that minted for this cathedral, counting only those mints. Null if there are none. */
  average_roi: number | null;
}

/**
 * Every cathedral that has a multiplier, a sentinel or a mint. A sentinel may register again in a different cathedral; its earlier
 * mints stay with the cathedral they were minted for.
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
  const rewards = Object.values(ownMember(state.rewards, name) ?? {});
  return {
    multiplier: multiplierOf(state, name),
    total_rewards: rewards.reduce((sum, { minted }) => sum + minted, 0n),
    sentinel_count: members.filter(({ retired_at }) => retired_at === null).length,
    average_roi: meanOf(rewards.map(roi)),
  };
}

/** M_c of a cathedral. Defaults to 1, the minimum. */
export function multiplierOf(state: State, cathedral: string): number {
  return ownMember(state.multipliers, cathedral) ?? 1;
}
