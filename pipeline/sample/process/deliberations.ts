import { SENTINEL_IDS, SENTINEL_PROFILES, type SentinelId } from '../../model/sentinel-profiles.ts';
import { DAY_MS, HOUR_MS } from '../../model/window.ts';
import { Random } from '../../random.ts';
import { conduct } from '../deliberation/conduct.ts';
import { topicsOf } from '../deliberation/topics.ts';
import type { Process, World } from '../world.ts';

const WORKING_HOURS = [6, 15] as const;

/** A question is opened every two to four days, by day. */
export function deliberations(world: World): Process {
  const pace = new Random(world.seed, 'deliberations');
  const topics = topicsOf(world.seed);
  let day = Math.floor(world.genesis / DAY_MS);
  let next = openingTime(day, pace);
  return ({ end }) => {
    while (next < end) {
      const { topic, subject } = topics.next().value!;
      const proposal = { topic, subject: inHand(world, subject), openedAt: next };
      conduct(world, new Random(world.seed, 'deliberation', day), 1, proposal);
      day += pace.pick([2, 2, 2, 3, 3, 4]);
      next = openingTime(day, pace);
    }
  };
}

function openingTime(day: number, random: Random): number {
  return day * DAY_MS + random.between(...WORKING_HOURS) * HOUR_MS;
}

type Subject = Readonly<Record<string, string>>;

/** A question about a sentinel's drift is asked about the one that drifts most. */
function inHand({ conditions }: World, subject: Subject): Subject {
  if (subject.sentinel === undefined) return subject;
  const excess = (id: SentinelId) => conditions[id].drift - SENTINEL_PROFILES[id].drift;
  return {
    ...subject,
    sentinel: SENTINEL_IDS.reduce((worst, id) => (excess(id) > excess(worst) ? id : worst)),
  };
}
