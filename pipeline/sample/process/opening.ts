import { parseAmount } from '../../model/amount.ts';
import {
  GENESIS_MULTIPLIERS,
  SENTINEL_IDS,
  SENTINEL_PROFILES,
  type SentinelId,
} from '../../model/sentinel-profiles.ts';
import { DAY_MS } from '../../model/window.ts';
import { draft } from '../agenda.ts';
import { CHARTER } from '../prose/charter.ts';
import type { Process, Slot, World } from '../world.ts';

/** MIC that exists before the first mint. */
const ALLOCATION = '1000000';

/** Genesis with the sentinels' registration, and the opening of each cycle. */
export function opening(world: World): Process {
  return ({ start }: Slot) => {
    if (start === world.genesis) begin(world, start);
    if (start % DAY_MS === 0) world.agenda.add(start, () => draft('cycle_opened', 'LEDGER', {}));
  };
}

function begin(world: World, start: number): void {
  const { agenda } = world;
  agenda.add(start, () => {
    world.facts.total = parseAmount(ALLOCATION);
    for (const [cathedral, multiplier] of Object.entries(GENESIS_MULTIPLIERS)) {
      world.facts.multipliers.set(cathedral as keyof typeof GENESIS_MULTIPLIERS, multiplier);
    }
    return draft('genesis', 'LEDGER', {
      allocation: ALLOCATION,
      multipliers: { ...GENESIS_MULTIPLIERS },
      charter: CHARTER,
    });
  });
  SENTINEL_IDS.forEach((id, place) => {
    agenda.add(start + (3 + 2 * place) * 1000, (at) => register(world, id, at));
  });
}

export function register(world: World, sentinel: SentinelId, at: number) {
  world.facts.sentinels[sentinel] = { registered: true, lastHeartbeat: at, upSince: at };
  const { cathedral, role } = SENTINEL_PROFILES[sentinel];
  return draft('sentinel_registered', 'LEDGER', { sentinel, cathedral, role });
}
