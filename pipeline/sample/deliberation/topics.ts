import { SENTINEL_IDS, SENTINEL_PROFILES, type SentinelId } from '../../model/sentinel-profiles.ts';
import { HOUR_MS } from '../../model/window.ts';
import { Random } from '../../random.ts';
import { DAY_MS } from '../../words/day.ts';
import type { RecurringTopic, SampleTexts } from '../texts.ts';
import type { Plan, World } from '../world.ts';
import { conduct } from './conduct.ts';

const WORKING_HOURS = [6, 15] as const;

/** A deliberation every two to four days, opened by day. */
export function deliberations(world: World): Plan {
  const pace = new Random(world.seed, 'deliberations');
  const topics = topicsOf(world.seed, world.texts.topics);
  let day = Math.floor(world.genesis / DAY_MS);
  let next = openingTime(day, pace);
  return ({ end }) => {
    while (next < end) {
      const { topic, subject } = topics.next().value!;
      const proposal = { topic, subject: withWorstSentinel(world, subject), openedAt: next };
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

/** Every topic in turn, endlessly, in the order of the seed; each time with its next subject. */
function* topicsOf(
  seed: number,
  halves: SampleTexts['topics'],
): Generator<{ topic: RecurringTopic; subject: Subject }> {
  for (let round = 0; ; round += 1) {
    const random = new Random(seed, 'topics', round);
    for (const topic of halves.flatMap((half) => random.shuffled(half))) {
      const first = new Random(seed, 'subject', topic.question).whole(0, topic.subjects.length - 1);
      yield { topic, subject: topic.subjects[(first + round) % topic.subjects.length]! };
    }
  }
}

/** A topic about a sentinel's drift is about the one that currently drifts most. */
function withWorstSentinel({ conditions }: World, subject: Subject): Subject {
  if (subject.sentinel === undefined) return subject;
  const excess = (id: SentinelId) => conditions[id].drift - SENTINEL_PROFILES[id].drift;
  const worst = SENTINEL_IDS.reduce((worst, id) => (excess(id) > excess(worst) ? id : worst));
  return { ...subject, sentinel: worst };
}
