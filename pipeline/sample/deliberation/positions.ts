import { SENTINEL_IDS, SENTINEL_PROFILES, type SentinelId } from '../../model/sentinel-profiles.ts';
import type { Random } from '../../random.ts';
import { capitalise } from '../../words/phrase.ts';
import type { Topic } from '../texts.ts';
import type { Position } from '../world.ts';

/** A sentinel that will speak, and its position. */
export interface Speaker {
  sentinel: SentinelId;
  position: Position;
  /** Whether it gives no reasons. */
  silent: boolean;
}

export interface Tally {
  favour: number;
  /** Those of `favour` that set conditions. */
  conditional: number;
  against: number;
  abstaining: number;
}

export type Verdict = 'adopted' | 'declined' | 'open';

const LEAST_SPEAKERS = 4;
/** Probability that a supporter sets a condition. */
const CONDITIONAL = 0.28;
/** Probability that an opponent or an abstainer gives no reasons. */
const WITHOUT_REASONS = 0.17;

const NUMBERS = ['none', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten'];
/** How to write “all” of one or two. */
const ALL: Readonly<Record<number, string>> = { 1: 'one', 2: 'both' };

/** Four to ten sentinels in speaking order. A sentinel that the subject names takes no part. */
export function drawSpeakers(
  topic: Topic,
  subject: Readonly<Record<string, string>>,
  random: Random,
): Speaker[] {
  const concerned = new Set(Object.values(subject));
  const able = random.shuffled(SENTINEL_IDS.filter((id) => !concerned.has(id)));
  const mood = Math.max(0.04, topic.contested + 0.03 + random.bell() * 0.14);
  return able.slice(0, random.whole(LEAST_SPEAKERS, able.length)).map((sentinel) => {
    const position = drawPosition(topic, sentinel, mood, random);
    const isContrary = position === 'oppose' || position === 'abstain';
    return { sentinel, position, silent: isContrary && random.chance(WITHOUT_REASONS) };
  });
}

function drawPosition(topic: Topic, sentinel: SentinelId, mood: number, random: Random): Position {
  const disagreement = mood * SENTINEL_PROFILES[sentinel].dissent;
  const draw = random.share();
  if (draw < disagreement)
    return topic.against[sentinel] === undefined ? 'support_with_conditions' : 'oppose';
  if (draw < disagreement + 0.05 + mood / 8) return 'abstain';
  return random.chance(CONDITIONAL) ? 'support_with_conditions' : 'support';
}

export function tallyOf(positions: Iterable<Position>): Tally {
  const all = [...positions];
  const count = (position: Position) => all.filter((one) => one === position).length;
  const conditional = count('support_with_conditions');
  return {
    favour: count('support') + conditional,
    conditional,
    against: count('oppose'),
    abstaining: count('abstain'),
  };
}

/** Consensus needs two thirds of those who took a side, and at least three. */
export function verdictOf({ favour, against }: Tally): Verdict {
  const needed = Math.max(3, ((favour + against) * 2) / 3);
  if (favour >= needed) return 'adopted';
  return against >= needed ? 'declined' : 'open';
}

/** `Six in favour, two of them with conditions; one against, one abstaining.` */
export function formatTally({ favour, conditional, against, abstaining }: Tally): string {
  const inFavour = `${word(favour)} in favour`;
  const conditions =
    conditional === 0
      ? ''
      : `, ${conditional === favour ? (ALL[favour] ?? 'all') : word(conditional)} of them with conditions`;
  const others = [
    ...(against > 0 ? [`${word(against)} against`] : []),
    ...(abstaining > 0 ? [`${word(abstaining)} abstaining`] : []),
  ].join(', ');
  return `${capitalise(inFavour)}${conditions}${others && `; ${others}`}.`;
}

function word(count: number): string {
  return NUMBERS[count]!;
}
