import { SENTINEL_IDS } from '../../model/sentinel-profiles.ts';
import { DAY_MS, HOUR_MS } from '../../model/window.ts';
import { Random } from '../../random.ts';
import { draft } from '../agenda.ts';
import { isActing, type Process, type World } from '../world.ts';
import { register } from './opening.ts';

const REASONS = [
  'Moves to a new host under a new key, and registers again under its name.',
  'Its attestation key has reached the end of its term; it registers again with the next one.',
  'Handed to another operator, as its cathedral asked; it registers again from there.',
];

/** Now and then a sentinel is retired and comes back a day or two later under a new key. */
export function rotation(world: World): Process {
  const random = new Random(world.seed, 'rotation');
  let next = world.genesis + random.between(36, 46) * DAY_MS;
  return ({ end }) => {
    if (next >= end) return;
    const sentinel = random.pick(SENTINEL_IDS);
    const reason = random.pick(REASONS);
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
