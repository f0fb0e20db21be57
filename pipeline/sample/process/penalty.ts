import { formatAmount } from '../../model/amount.ts';
import type { Random } from '../../random.ts';
import { type Draft, draft } from '../agenda.ts';
import type { World } from '../world.ts';

export const BOND_CONTRACT = 'sentinel_bond';
const MIC = 1_000_000n;

/** A part of a sentinel's bond is unlocked and burned. Nothing where the bonds do not suffice. */
export function penalise(world: World, random: Random): Draft[] {
  const { facts } = world;
  const micro = BigInt(random.whole(40, 260)) * MIC;
  const held = facts.contracts.get(BOND_CONTRACT) ?? 0n;
  if (held < micro) return [];
  facts.contracts.set(BOND_CONTRACT, held - micro);
  facts.locked -= micro;
  facts.burned += micro;
  const amount = formatAmount(micro);
  return [
    draft('mic_unlock', 'TREASURY', { amount, contract: BOND_CONTRACT }),
    draft('mic_burn', 'TREASURY', { amount, reason: 'integrity_penalty' }),
  ];
}
