import { SENTINEL_IDS, SENTINEL_PROFILES, type SentinelId } from '../../model/sentinel-profiles.ts';
import type { Random } from '../../random.ts';
import type { Position } from '../facts.ts';
import type { Topic } from '../prose/topic.ts';

export interface Stance {
  sentinel: SentinelId;
  position: Position;
  /** Whether it keeps its reasons to itself. */
  silent: boolean;
}

const LEAST = 4;
const CONDITIONAL = 0.28;
/** Of those who oppose or abstain. */
const WITHOUT_REASONS = 0.17;

/** Four to ten sentinels in the order in which they speak. Nobody sits in its own case. */
export function castStances(
  topic: Topic,
  subject: Readonly<Record<string, string>>,
  random: Random,
): Stance[] {
  const concerned = new Set(Object.values(subject));
  const able = random.shuffled(SENTINEL_IDS.filter((id) => !concerned.has(id)));
  const mood = Math.max(0.04, topic.contested + 0.03 + random.bell() * 0.14);
  return able.slice(0, random.whole(LEAST, able.length)).map((sentinel) => {
    const position = positionOf(topic, sentinel, mood, random);
    const contrary = position === 'oppose' || position === 'abstain';
    return { sentinel, position, silent: contrary && random.chance(WITHOUT_REASONS) };
  });
}

function positionOf(topic: Topic, sentinel: SentinelId, mood: number, random: Random): Position {
  const disagreement = mood * SENTINEL_PROFILES[sentinel].dissent;
  const draw = random.share();
  if (draw < disagreement)
    return topic.against[sentinel] === undefined ? 'support_with_conditions' : 'oppose';
  if (draw < disagreement + 0.05 + mood / 8) return 'abstain';
  return random.chance(CONDITIONAL) ? 'support_with_conditions' : 'support';
}
