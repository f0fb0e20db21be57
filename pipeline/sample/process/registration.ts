import type { Cathedral } from '../../ledger/events/event.ts';
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
import { type Course, type Draft, draft } from '../agenda.ts';
import { isActing, type Plan, type World } from '../world.ts';

/** MIC before the first mint. */
const ALLOCATION = '1000000';

/** Genesis, the registration of the sentinels, and the opening of each cycle. */
export function registration(world: World): Plan {
  const { agenda, genesis } = world;
  agenda.add(genesis, () => begin(world));
  for (const [index, id] of SENTINEL_IDS.entries())
    agenda.add(genesis + (3 + 2 * index) * 1000, (at) => register(world, id, at));
  return ({ start }) => {
    if (start % DAY_MS === 0) agenda.add(start, () => draft('cycle_opened', 'LEDGER', {}));
  };
}

function begin({ facts, texts: { charter } }: World): Draft {
  const multipliers = { ...GENESIS_MULTIPLIERS };
  facts.total = parseAmount(ALLOCATION);
  facts.multipliers = new Map(Object.entries(multipliers) as [Cathedral, number][]);
  return draft('genesis', 'LEDGER', { allocation: ALLOCATION, multipliers, charter });
}

/** Retires a sentinel about twice a year; it returns a day or two later with a new key. */
export function rotation(world: World): undefined {
  world.agenda.follow(retirements(world));
}

function* retirements(world: World): Course {
  const random = new Random(world.seed, 'rotation');
  let leaves = world.genesis + random.between(36, 46) * DAY_MS;
  for (;;) {
    const sentinel = random.pick(SENTINEL_IDS);
    const reason = random.pick(world.texts.reasons.retirement);
    const returns = leaves + random.between(18, 44) * HOUR_MS;
    let now = yield leaves;
    if (isActing(world, sentinel, now)) {
      world.facts.sentinels[sentinel].registered = false;
      yield draft('sentinel_retired', 'LEDGER', { sentinel, reason });
    }
    now = yield returns;
    if (!world.facts.sentinels[sentinel].registered) yield register(world, sentinel, now);
    leaves += random.between(140, 210) * DAY_MS;
  }
}

function register(world: World, sentinel: SentinelId, at: number) {
  world.facts.sentinels[sentinel] = { registered: true, lastHeartbeat: at, upSince: at };
  const { cathedral, role } = SENTINEL_PROFILES[sentinel];
  return draft('sentinel_registered', 'LEDGER', { sentinel, cathedral, role });
}
