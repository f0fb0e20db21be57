import { formatAmount } from '../../model/amount.ts';
import { HOUR_MS } from '../../model/window.ts';
import { Random } from '../../random.ts';
import { DAY_MS } from '../../words/day.ts';
import { type Course, type Draft, draft } from '../agenda.ts';
import type { Contract } from '../texts.ts';
import { circulating, type Plan, randomOf, type Slot, type World } from '../world.ts';

/** One MIC and a hundredth of it, in 1e-6 MIC. Shares are rounded down to hundredths. */
const MIC = 1_000_000n;
const CENT = 10_000n;
const MILLION = 1_000_000n;
const BOND_CONTRACT = 'sentinel_bond';

/** Burns in a slot; shares are millionths of the circulating supply, times are shares of the slot. */
interface Burn {
  reason: string;
  /** How many in this slot. */
  count: (slot: Slot, random: Random) => number;
  share: readonly [number, number];
  at: readonly [number, number];
}

const BURNS: readonly Burn[] = [
  {
    reason: 'transaction_fee',
    count: (_, random) => random.whole(0, 3),
    share: [0.4, 7],
    at: [0.02, 1],
  },
  {
    // The weekly sink, on Mondays at noon.
    reason: 'treasury_sink',
    count: ({ start }) => (new Date(start).getUTCDay() === 1 && new Date(start).getUTCHours() === 12 ? 1 : 0),
    share: [400, 1300],
    at: [0.05, 0.2],
  },
  {
    reason: 'expired_grant',
    count: (_, random) => (random.chance(1 / 150) ? 1 : 0),
    share: [60, 250],
    at: [0.2, 0.9],
  },
];

/** Burns, locks and unlocks. None exceeds the circulating supply or the balance of its contract. */
export function treasury(world: World): Plan {
  for (const contract of world.texts.contracts) world.agenda.follow(movements(world, contract));
  return (slot) => {
    const random = randomOf(world, 'treasury', slot);
    for (const { reason, count, share, at } of BURNS) {
      for (let left = count(slot, random); left > 0; left -= 1) {
        const part = random.between(...share);
        const time = slot.start + random.between(...at) * (slot.end - slot.start);
        world.agenda.add(time, () => burn(world, part, reason));
      }
    }
  };
}

function* movements(world: World, { name, day, first, every, locks, ...shares }: Contract): Course {
  const random = new Random(world.seed, 'contract', name);
  let now = yield world.genesis + day * DAY_MS + random.between(0.3, 5) * HOUR_MS;
  let move = () => lock(world, name, BigInt(first) * MIC);
  for (;;) {
    const next = now + random.between(...every) * DAY_MS + random.between(-5, 5) * HOUR_MS;
    const isLock = random.chance(locks);
    const share = random.between(...(isLock ? shares.lock : shares.unlock));
    yield move();
    now = yield next;
    move = () =>
      isLock
        ? lock(world, name, partOf(circulating(world.facts), share))
        : unlock(world, name, partOf(world.facts.contracts.get(name) ?? 0n, share));
  }
}

/** Burns a share of the circulating supply, in millionths; null if that is nothing. */
export function burn({ facts }: World, share: number, reason: string): Draft | null {
  const micro = partOf(circulating(facts), share);
  if (micro === 0n) return null;
  facts.burned += micro;
  return draft('mic_burn', 'TREASURY', { amount: formatAmount(micro), reason });
}

/** Locks `micro` 1e-6 MIC; null if it exceeds the circulating supply. */
export function lock({ facts }: World, contract: string, micro: bigint): Draft | null {
  if (micro <= 0n || micro > circulating(facts)) return null;
  facts.locked += micro;
  facts.contracts.set(contract, (facts.contracts.get(contract) ?? 0n) + micro);
  return draft('mic_lock', 'TREASURY', { amount: formatAmount(micro), contract });
}

/** Unlocks `micro` 1e-6 MIC; null if it exceeds the contract's balance. */
export function unlock({ facts }: World, contract: string, micro: bigint): Draft | null {
  const held = facts.contracts.get(contract) ?? 0n;
  if (micro <= 0n || micro > held) return null;
  facts.locked -= micro;
  facts.contracts.set(contract, held - micro);
  return draft('mic_unlock', 'TREASURY', { amount: formatAmount(micro), contract });
}

/** Unlocks and burns a part of a sentinel's bond; records nothing if the bonds do not suffice. */
export function penalise(world: World, random: Random): Draft[] {
  const micro = BigInt(random.whole(40, 260)) * MIC;
  const unlocked = unlock(world, BOND_CONTRACT, micro);
  if (!unlocked) return [];
  world.facts.burned += micro;
  const amount = formatAmount(micro);
  return [unlocked, draft('mic_burn', 'TREASURY', { amount, reason: 'integrity_penalty' })];
}

/** `millionths` of an amount in 1e-6 MIC, rounded down to a hundredth of a MIC. */
export function partOf(micro: bigint, millionths: number): bigint {
  const part = (micro * BigInt(Math.floor(millionths * 1000))) / (MILLION * 1000n);
  return part > 0n ? part - (part % CENT) : 0n;
}
