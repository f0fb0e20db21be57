import { parseAmount } from '../../model/amount.ts';
import {
  GENESIS_MULTIPLIERS,
  SENTINEL_IDS,
  SENTINEL_PROFILES,
  type SentinelId,
} from '../../model/sentinel-profiles.ts';
import { HOUR_MS } from '../../model/window.ts';
import { Random } from '../../random.ts';
import { DAY_MS } from '../../words/day.ts';
import { draft } from '../agenda.ts';
import { isActing, type Process, type World } from '../world.ts';

/** MIC before the first mint. */
const ALLOCATION = '1000000';

/** Genesis, the registration of the sentinels, and the opening of each cycle. */
export function registration(world: World): Process {
  return ({ start }) => {
    if (start === world.genesis) begin(world, start);
    if (start % DAY_MS === 0) world.agenda.add(start, () => draft('cycle_opened', 'LEDGER', {}));
  };
}

function begin(world: World, start: number): void {
  const { agenda, texts } = world;
  agenda.add(start, () => {
    world.facts.total = parseAmount(ALLOCATION);
    for (const [cathedral, multiplier] of Object.entries(GENESIS_MULTIPLIERS)) {
      world.facts.multipliers.set(cathedral as keyof typeof GENESIS_MULTIPLIERS, multiplier);
    }
    return draft('genesis', 'LEDGER', {
      allocation: ALLOCATION,
      multipliers: { ...GENESIS_MULTIPLIERS },
      charter: texts.charter,
    });
  });
  SENTINEL_IDS.forEach((id, index) => {
    agenda.add(start + (3 + 2 * index) * 1000, (at) => register(world, id, at));
  });
}

/** Retires a sentinel about twice a year; it returns a day or two later with a new key. */
export function rotation(world: World): Process {
  const random = new Random(world.seed, 'rotation');
  let next = world.genesis + random.between(36, 46) * DAY_MS;
  return ({ end }) => {
    if (next >= end) return;
    const sentinel = random.pick(SENTINEL_IDS);
    const reason = random.pick(world.texts.reasons.retirement);
    const [leaves, returns] = [next, next + random.between(18, 44) * HOUR_MS];
    next += random.between(140, 210) * DAY_MS;
    world.agenda.add(leaves, (at) => {
      if (!isActing(world, sentinel, at)) return null;
      world.facts.sentinels[sentinel].registered = false;
      return draft('sentinel_retired', 'LEDGER', { sentinel, reason });
    });
    world.agenda.add(returns, (at) =>
      world.facts.sentinels[sentinel].registered ? null : register(world, sentinel, at),
    );
  };
}

function register(world: World, sentinel: SentinelId, at: number) {
  world.facts.sentinels[sentinel] = { registered: true, lastHeartbeat: at, upSince: at };
  const { cathedral, role } = SENTINEL_PROFILES[sentinel];
  return draft('sentinel_registered', 'LEDGER', { sentinel, cathedral, role });
}
