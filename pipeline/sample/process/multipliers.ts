import { SENTINEL_CATHEDRALS } from '../../model/sentinel-profiles.ts';
import { HOUR_MS } from '../../model/window.ts';
import { Random } from '../../random.ts';
import { DAY_MS } from '../../words/day.ts';
import { draft } from '../agenda.ts';
import { conduct } from '../deliberation/conduct.ts';
import type { Plan, World } from '../world.ts';

type Cathedral = (typeof SENTINEL_CATHEDRALS)[number];

const STEPS = [0.05, 0.05, 0.05, 0.1, 0.1, 0.15] as const;
const [LEAST, MOST] = [1, 2];
const FIRST_DAYS = [24, 40] as const;
const AFTER_CHANGE_DAYS = [28, 72] as const;
const AFTER_REFUSAL_DAYS = [9, 18] as const;
/** Time for the archive to record the decision before the multiplier changes. */
const DECIDED_WITHIN_MS = 1.5 * HOUR_MS;

/** A deliberation about the multiplier of one cathedral every one to three months; adopted ones change it. */
export function multipliers(world: World): Plan {
  const random = new Random(world.seed, 'multipliers');
  let next = world.genesis + random.between(...FIRST_DAYS) * DAY_MS;
  let last: Cathedral | null = null;
  return ({ start, end }) => {
    if (next >= end) return;
    const openedAt = Math.floor(next / DAY_MS) * DAY_MS + random.between(6, 12) * HOUR_MS;
    const cathedral = random.pick(SENTINEL_CATHEDRALS.filter((one) => one !== last));
    last = cathedral;
    // No second proposal before this one has closed.
    next = Number.POSITIVE_INFINITY;
    propose(world, random, cathedral, Math.max(openedAt, start), (closedAt, isChanged) => {
      const [least, most] = isChanged ? AFTER_CHANGE_DAYS : AFTER_REFUSAL_DAYS;
      next = closedAt + random.between(least, most) * DAY_MS;
    });
  };
}

function propose(
  world: World,
  random: Random,
  cathedral: Cathedral,
  openedAt: number,
  onSettled: (at: number, isChanged: boolean) => void,
): void {
  const before = world.facts.multipliers.get(cathedral) ?? LEAST;
  const after = nextMultiplier(before, random);
  const { raise_multiplier: raising, lower_multiplier: lowering } = world.texts.reasons;
  const reason = random.pick(after > before ? raising : lowering);
  conduct(world, random, 2, {
    topic: after > before ? world.texts.raiseMultiplier : world.texts.lowerMultiplier,
    subject: { cathedral, before: before.toFixed(2), after: after.toFixed(2) },
    openedAt,
    onClosed(verdict, at) {
      onSettled(at, verdict === 'adopted');
      if (verdict !== 'adopted') return;
      const midnight = Math.ceil((at + DECIDED_WITHIN_MS) / DAY_MS) * DAY_MS;
      world.agenda.add(midnight + random.between(5, 50) * 1000, () => {
        world.facts.multipliers.set(cathedral, after);
        return draft('multiplier_set', 'COUNCIL', { cathedral, multiplier: after, reason });
      });
    },
  });
}

function nextMultiplier(before: number, random: Random): number {
  const step = random.pick(STEPS);
  const up = Math.round((before + step) * 100) / 100;
  const down = Math.round((before - step) * 100) / 100;
  if (up > MOST) return down;
  if (down < LEAST) return up;
  return random.chance(0.5) ? up : down;
}
