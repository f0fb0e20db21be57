import { cycleNumber } from '../../ledger/events/slot.ts';
import type { Virtue } from '../../ledger/events/vocabulary.ts';
import type { SentinelId } from '../../model/sentinel-profiles.ts';
import { HOUR_MS } from '../../model/window.ts';
import type { Random } from '../../random.ts';
import { DAY_MS } from '../../words/day.ts';
import { draft } from '../agenda.ts';
import type { Topic } from '../texts.ts';
import { isActing, type Position, type World } from '../world.ts';
import { drawSpeakers, formatTally, type Speaker, tallyOf, type Verdict, verdictOf } from './positions.ts';
import {
  composeGrounds,
  composeReasoning,
  composeYielding,
  type Debate,
  fill,
  virtueTags,
} from './speech.ts';

export interface Proposal {
  topic: Topic;
  subject: Readonly<Record<string, string>>;
  /** Unix ms. */
  openedAt: number;
  /** Called when the deliberation has closed. */
  onClosed?: (verdict: Verdict, at: number) => void;
}

/** An ongoing deliberation. */
interface Session extends Debate {
  world: World;
  random: Random;
  /** `151-1`: the cycle, and the number of the deliberation in that cycle. */
  name: string;
  /** `deliberation-151-1` */
  id: string;
  question: string;
  proposal: Proposal;
}

const MINUTE_MS = 60_000;
/** Probabilities: a deliberation closes on its first day, an opponent gives in, a decision states a lesson, a refusal is recorded. */
const SAME_DAY = 0.85;
const SECOND_THOUGHTS = 0.12;
const WITH_LESSON = 0.84;
const REFUSAL_RECORDED = 0.7;
/** Nobody repeats words from this period while other words are available. */
const REMEMBERED_MS = 150 * DAY_MS;
/** Shortly before midnight, for deliberations that close on their first day. */
const LAST_MINUTE_MS = DAY_MS - 4 * MINUTE_MS;

/**
 * Adds a whole deliberation to the agenda: opening, positions, close, and decision. It draws speakers and positions now,
 * but composes each speech at its time, because a speech can answer earlier ones.
 */
export function conduct(world: World, random: Random, number: number, proposal: Proposal): void {
  const { topic, subject, openedAt } = proposal;
  const session = createSession(world, random, number, proposal);
  world.agenda.add(openedAt, () => {
    world.facts.deliberations.set(session.id, new Map());
    return draft('deliberation_opened', 'COUNCIL', { deliberation: session.id, topic: session.question });
  });
  const speakers = drawSpeakers(topic, subject, random);
  const closesAt = closingTime(openedAt, speakers.length, random);
  const spread = (closesAt - openedAt) / (speakers.length + 1.5);
  speakers.forEach((speaker, index) => {
    const at = openedAt + spread * (index + random.between(0.55, 1.35));
    world.agenda.add(at, () => takePosition(session, speaker, at));
  });
  const opponent = speakers.find(({ position }) => position === 'oppose');
  if (opponent && random.chance(SECOND_THOUGHTS)) {
    world.agenda.add(closesAt - spread / 8, (at) => reconsider(session, opponent.sentinel, at));
  }
  world.agenda.add(closesAt, (at) => close(session, at));
}

function createSession(world: World, random: Random, number: number, proposal: Proposal): Session {
  const { topic, subject, openedAt } = proposal;
  const words = { ...subject, ...wordsOfDay(openedAt) };
  const name = `${cycleNumber(openedAt)}-${number}`;
  const id = `deliberation-${name}`;
  const question = fill(topic.question, words);
  const previous = world.asked.get(question);
  world.asked.set(question, id);
  return {
    ...{ world, random, name, id, proposal, topic, words, voices: world.texts.voices },
    question:
      previous === undefined
        ? question
        : `Review of ${previous}: ${question[0]!.toLowerCase()}${question.slice(1)}`,
    ...{ conditions: [], objections: [], supporters: [] },
    isNew: (text) => isNew(world.spoken, text, openedAt),
  };
}

function wordsOfDay(at: number): Record<'quarter' | 'nextQuarter' | 'horizon', string> {
  return {
    quarter: formatQuarter(at),
    nextQuarter: formatNextQuarter(at),
    horizon: String(Math.ceil((cycleNumber(at) + 60) / 10) * 10),
  };
}

/** `Q4 2025` */
function formatQuarter(ms: number): string {
  const date = new Date(ms);
  return `Q${Math.floor(date.getUTCMonth() / 3) + 1} ${date.getUTCFullYear()}`;
}

/** The quarter after that of `ms`. */
function formatNextQuarter(ms: number): string {
  const date = new Date(ms);
  const quarter = Math.floor(date.getUTCMonth() / 3) + 1;
  return formatQuarter(Date.UTC(date.getUTCFullYear(), quarter * 3, 1));
}

function isNew(spoken: Map<string, number>, text: string, at: number): boolean {
  for (const [old, saidAt] of spoken) {
    if (saidAt > at - REMEMBERED_MS) break;
    spoken.delete(old);
  }
  if (spoken.has(text)) return false;
  spoken.set(text, at);
  return true;
}

function closingTime(openedAt: number, voices: number, random: Random): number {
  const midnight = Math.floor(openedAt / DAY_MS) * DAY_MS;
  const length = voices * random.between(35, 75) * MINUTE_MS + HOUR_MS;
  if (random.chance(SAME_DAY)) return Math.min(openedAt + length, midnight + LAST_MINUTE_MS);
  return midnight + DAY_MS * random.whole(1, 5) + random.between(9, 18) * HOUR_MS;
}

function takePosition(session: Session, { sentinel, position, silent }: Speaker, at: number) {
  const positions = session.world.facts.deliberations.get(session.id);
  if (!positions || !isActing(session.world, sentinel, at)) return null;
  const reasoning = silent ? '' : composeReasoning(session, sentinel, position, session.random);
  positions.set(sentinel, position);
  const virtues = silent ? [] : virtueTags(session, sentinel, position, session.random);
  return positionTaken(session, sentinel, position, reasoning, virtues);
}

function reconsider(session: Session, sentinel: SentinelId, at: number) {
  const positions = session.world.facts.deliberations.get(session.id);
  const reasoning = composeYielding(session, sentinel);
  if (positions?.get(sentinel) !== 'oppose' || !reasoning || !isActing(session.world, sentinel, at))
    return null;
  const position = 'support_with_conditions';
  positions.set(sentinel, position);
  const virtues = virtueTags(session, sentinel, position, session.random);
  return positionTaken(session, sentinel, position, reasoning, virtues);
}

function positionTaken(
  { id }: Session,
  sentinel: SentinelId,
  position: Position,
  reasoning: string,
  virtue_tags: Virtue[],
) {
  return draft('position_taken', sentinel, { deliberation: id, position, reasoning, virtue_tags });
}

function close(session: Session, at: number) {
  const { world, proposal, random } = session;
  const positions = world.facts.deliberations.get(session.id);
  if (!positions) return null;
  world.facts.deliberations.delete(session.id);
  const tally = tallyOf(positions.values());
  const verdict = verdictOf(tally);
  const outcome = outcomeOf(session, verdict);
  if (verdict === 'adopted' || (verdict === 'declined' && random.chance(REFUSAL_RECORDED))) {
    const decision = decide(session, verdict, [...positions.keys()], outcome);
    if (decision) world.agenda.add(at + random.between(6, 80) * MINUTE_MS, () => decision);
  }
  proposal.onClosed?.(verdict, at);
  return draft('deliberation_closed', 'COUNCIL', {
    deliberation: session.id,
    consensus: verdict === 'open' ? 'not_reached' : 'reached',
    outcome: `${formatTally(tally)} ${outcome}`,
  });
}

function outcomeOf({ topic, words, conditions }: Session, verdict: Verdict): string {
  const outcome = fill(topic[verdict], words);
  if (verdict !== 'adopted' || conditions.length === 0) return outcome;
  return `${outcome} It is adopted on condition ${conditions.map(({ text }) => text).join('; and ')}.`;
}

function decide(session: Session, verdict: 'adopted' | 'declined', sentinels: string[], outcome: string) {
  const { random, topic, name } = session;
  const grounds = composeGrounds(session, verdict, random);
  if (!grounds) return null;
  return draft('decision_recorded', 'ARCHIVE', {
    decision: `decision-${name}`,
    topic: session.question,
    frameworks_applied: random.shuffled(topic.frameworks).slice(0, random.whole(2, 3)),
    sentinels_involved: sentinels,
    reasoning: grounds.reasoning,
    outcome,
    lessons_learned: random.chance(WITH_LESSON) ? grounds.lesson : '',
    deliberation: session.id,
  });
}
