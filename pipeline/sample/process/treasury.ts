import { formatAmount } from '../../model/amount.ts';
import { HOUR_MS } from '../../model/window.ts';
import { Random } from '../../random.ts';
import { DAY_MS } from '../../words/day.ts';
import { type Draft, draft } from '../agenda.ts';
import { circulating, type Process, randomOf, type Slot, type World } from '../world.ts';

/** One MIC and a hundredth of it, in 1e-6 MIC. Shares are rounded down to hundredths. */
const MIC = 1_000_000n;
const CENT = 10_000n;
const MILLION = 1_000_000n;
const BOND_CONTRACT = 'sentinel_bond';

interface Contract {
  name: string;
  /** Days from genesis to the first lock, and its amount in MIC. Later movements are shares. */
  day: number;
  first: number;
  /** Days between two movements. */
  every: readonly [number, number];
  /** Share of the movements that lock; the others unlock. */
  locks: number;
  /** Amount of one lock, in millionths of the circulating supply. */
  lock: readonly [number, number];
  /** Amount of one unlock, in millionths of the contract's balance. */
  unlock: readonly [number, number];
}

const CONTRACTS: readonly Contract[] = [
  {
    name: 'treasury_vesting',
    day: 0,
    first: 240_000,
    every: [14, 17],
    locks: 0.3,
    lock: [4000, 9000],
    unlock: [20_000, 50_000],
  },
  {
    name: BOND_CONTRACT,
    day: 0,
    first: 12_000,
    every: [18, 30],
    locks: 0.8,
    lock: [300, 700],
    unlock: [5000, 20_000],
  },
  {
    name: 'liquidity_reserve',
    day: 6,
    first: 25_000,
    every: [4, 8],
    locks: 0.55,
    lock: [3000, 9000],
    unlock: [60_000, 200_000],
  },
  {
    name: 'audit_escrow',
    day: 20,
    first: 4000,
    every: [9, 16],
    locks: 0.5,
    lock: [400, 1200],
    unlock: [200_000, 600_000],
  },
  {
    name: 'civic_consultation_fund',
    day: 33,
    first: 8000,
    every: [7, 13],
    locks: 0.5,
    lock: [600, 2000],
    unlock: [80_000, 250_000],
  },
  {
    name: 'treaty_deposit',
    day: 64,
    first: 15_000,
    every: [20, 33],
    locks: 0.6,
    lock: [500, 1500],
    unlock: [50_000, 150_000],
  },
  {
    name: 'research_grant_2026',
    day: 96,
    first: 40_000,
    every: [6, 12],
    locks: 0.45,
    lock: [1500, 5000],
    unlock: [80_000, 220_000],
  },
];

/** Burns; shares are millionths of the circulating supply. Fees: up to `most` in a slot. */
const FEES = { most: 3, share: [0.4, 7] } as const;
/** The weekly sink. */
const SINK = { weekday: 1, hour: 12, share: [400, 1300] } as const;
const EXPIRED = { chance: 1 / 150, share: [60, 250] } as const;

/** Burns, locks and unlocks. None exceeds the circulating supply or the balance of its contract. */
export function treasury(world: World): Process {
  return (slot) => {
    const random = randomOf(world, 'treasury', slot);
    const length = slot.end - slot.start;
    if (slot.start === world.genesis) for (const contract of CONTRACTS) openContract(world, contract);
    for (let fees = random.whole(0, FEES.most); fees > 0; fees -= 1) {
      const share = random.between(...FEES.share);
      world.agenda.add(slot.start + random.between(0.02, 1) * length, () =>
        burn(world, share, 'transaction_fee'),
      );
    }
    if (isSinkSlot(slot)) {
      const share = random.between(...SINK.share);
      world.agenda.add(slot.start + random.between(0.05, 0.2) * length, () =>
        burn(world, share, 'treasury_sink'),
      );
    }
    if (random.chance(EXPIRED.chance)) {
      const share = random.between(...EXPIRED.share);
      world.agenda.add(slot.start + random.between(0.2, 0.9) * length, () =>
        burn(world, share, 'expired_grant'),
      );
    }
  };
}

function isSinkSlot({ start }: Slot): boolean {
  const date = new Date(start);
  return date.getUTCDay() === SINK.weekday && date.getUTCHours() === SINK.hour;
}

/** Burns a share of the circulating supply, in millionths; null if that is nothing. */
export function burn({ facts }: World, share: number, reason: string): Draft | null {
  const micro = partOf(circulating(facts), share);
  if (micro === 0n) return null;
  facts.burned += micro;
  return draft('mic_burn', 'TREASURY', { amount: formatAmount(micro), reason });
}

function openContract(world: World, contract: Contract): void {
  const random = new Random(world.seed, 'contract', contract.name);
  const at = world.genesis + contract.day * DAY_MS + random.between(0.3, 5) * HOUR_MS;
  world.agenda.add(at, (now) => {
    follow(world, contract, random, now);
    return lock(world, contract.name, BigInt(contract.first) * MIC);
  });
}

function follow(world: World, contract: Contract, random: Random, at: number): void {
  const next = at + random.between(...contract.every) * DAY_MS + random.between(-5, 5) * HOUR_MS;
  const isLock = random.chance(contract.locks);
  const share = random.between(...(isLock ? contract.lock : contract.unlock));
  world.agenda.add(next, (now) => {
    follow(world, contract, random, now);
    return isLock
      ? lock(world, contract.name, partOf(circulating(world.facts), share))
      : unlock(world, contract.name, partOf(world.facts.contracts.get(contract.name) ?? 0n, share));
  });
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

/** `millionths` of an amount in 1e-6 MIC, rounded down to a hundredth of a MIC. */
export function partOf(micro: bigint, millionths: number): bigint {
  const part = (micro * BigInt(Math.floor(millionths * 1000))) / (MILLION * 1000n);
  return part > 0n ? part - (part % CENT) : 0n;
}
