import { gini } from '../../pipeline/model/formulas.ts';
import { MICRO } from './economy.ts';
import { clamp, roundTo6 } from './round-to-6.ts';
import type { ByVirtue } from './virtues.ts';
import type { World } from './world.ts';

/**
 * The assembly's virtues in [0, 1], after the virtue metrics: integrity is the MII; temperance the remaining share of the time
 * box; justice 1 − Gini of minted MIC ÷ multiplier; prudence the share of known risks that were addressed; courage the share of
 * dissents that were heard, or 1 without a dissent.
 */
export function communityVirtues(world: World): ByVirtue {
  const { deliberation, economy, risks, conditions, sentinels } = world;
  const minted = conditions.minted.map(
    (amount, i) => amount / MICRO / (economy.multipliers[sentinels[i]!.cathedral] ?? 1),
  );
  return {
    integrity: economy.mii,
    temperance: roundTo6(clamp(1 - (deliberation.round - 1) / deliberation.rounds, 0, 1)),
    justice: roundTo6(1 - gini(minted)),
    prudence: risks.known === 0 ? 1 : roundTo6(clamp(risks.mitigated / risks.known, 0, 1)),
    courage: deliberation.dissent === 'overridden' ? 0 : 1,
  };
}
