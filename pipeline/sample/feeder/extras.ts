import { SENTINEL_IDS } from '../../model/sentinel-profiles.ts';
import type { Random } from '../../random.ts';
import type { Draft } from '../agenda.ts';
import { circulating } from '../facts.ts';
import { beat } from '../process/heartbeats.ts';
import { burn, lock, partOf, unlock } from '../process/treasury.ts';
import { isActing, type World } from '../world.ts';

/** Fees wait here until they are used. */
const ESCROW = 'fee_escrow';

/** What happens between the sample's own events, so that a reader sees numbers move: little, and within the rules. */
const EXTRAS: readonly { weight: number; act: (world: World, random: Random, at: number) => Draft | null }[] =
  [
    {
      weight: 0.6,
      act(world, random, at) {
        const acting = SENTINEL_IDS.filter((id) => isActing(world, id, at));
        return acting.length > 0 ? beat(world, random.pick(acting), at) : null;
      },
    },
    { weight: 0.24, act: (world, random) => burn(world, random.between(0.1, 1.5), 'transaction_fee') },
    {
      weight: 0.1,
      act: (world, random) => lock(world, ESCROW, partOf(circulating(world.facts), random.between(2, 20))),
    },
    {
      weight: 0.06,
      act(world, random) {
        const held = world.facts.contracts.get(ESCROW) ?? 0n;
        return unlock(world, ESCROW, partOf(held, random.between(100_000, 600_000)));
      },
    },
  ];

/** One of them; null where what was drawn cannot be now. */
export function extraDraft(world: World, random: Random, at: number): Draft | null {
  let draw = random.share();
  for (const { weight, act } of EXTRAS) {
    if (draw < weight) return act(world, random, at);
    draw -= weight;
  }
  return null;
}
