import type { Virtue } from '../../ledger/event.ts';
import type { SentinelId } from '../../model/sentinel-profiles.ts';
import type { Random } from '../../random.ts';
import type { Position } from '../facts.ts';
import type { Topic } from '../prose/topic.ts';
import { VOICES } from '../prose/voices.ts';
import { fill } from './fill.ts';

/** What has been said so far, so that a sentinel can answer it and no condition is set twice. */
export interface Debate {
  topic: Topic;
  /** For the places in its texts. */
  words: Readonly<Record<string, string>>;
  /** Conditions and objections, filled in, in the order in which they were put. */
  conditions: Said[];
  objections: Said[];
  /** Who has given reasons in favour, in order. */
  supporters: SentinelId[];
  /** Whether nobody has said these words for a long while; notes that they are being said. */
  isNew: (text: string) => boolean;
}

interface Said {
  sentinel: SentinelId;
  text: string;
}

const WITHOUT_LAST_WORDS = 0.45;

/** A sentinel's reasons, in prose; takes note of them in the debate. */
export function composeReasoning(
  debate: Debate,
  sentinel: SentinelId,
  position: Position,
  random: Random,
): string {
  const text = SPEECHES[position](debate, sentinel, random);
  if (position === 'support' || position === 'support_with_conditions') debate.supporters.push(sentinel);
  return text;
}

/** Why it gives up its opposition: the condition of another. None where nobody has set one. */
export function composeYielding({ conditions }: Debate, sentinel: SentinelId): string | undefined {
  const condition = conditions.findLast((said) => said.sentinel !== sentinel);
  if (!condition) return undefined;
  const { sentinel: other, text } = condition;
  return `On condition ${text}, as ${other} asks, I change my position. ${fill(VOICES[sentinel].yields, { other })}`;
}

/** Why the council decided as it did, and what it learnt; undefined where nobody gave a reason. */
export function composeGrounds(debate: Debate, verdict: 'adopted' | 'declined', random: Random) {
  const { topic, words, objections } = debate;
  if (verdict === 'adopted') {
    return {
      reasoning: fill(random.pick(topic.reasoning), words),
      lesson: fill(random.pick(topic.lessons), words),
    };
  }
  const objection = objections.at(-1);
  if (!objection) return undefined;
  const question = fill(random.pick(topic.questions), words);
  return {
    reasoning: `The council followed ${objection.sentinel}, whose objection stands in the deliberation: “${objection.text}”`,
    lesson: `Before the question comes back it should be established ${question}.`,
  };
}

export function virtueTags(
  { topic }: Debate,
  sentinel: SentinelId,
  position: Position,
  random: Random,
): Virtue[] {
  const mark = MARKS[position];
  const own = random.chance(0.5) ? [VOICES[sentinel].virtue] : [];
  const stake = random.pick(topic.virtues);
  return [...new Set([stake, ...own, ...(mark && random.chance(0.7) ? [mark] : [])])];
}

/** The virtue that taking such a position shows. */
const MARKS: Readonly<Record<Position, Virtue | null>> = {
  support: null,
  support_with_conditions: 'prudence',
  oppose: 'courage',
  abstain: 'temperance',
};

type Speech = (debate: Debate, sentinel: SentinelId, random: Random) => string;

const SPEECHES: Readonly<Record<Position, Speech>> = {
  support: ({ topic, ...debate }, sentinel, random) =>
    withLastWords(
      debate,
      fill(topic.for[sentinel], debate.words),
      sentinel,
      VOICES[sentinel].supports,
      random,
    ),
  support_with_conditions({ topic, words, conditions, isNew }, sentinel, random) {
    const argument = fill(topic.for[sentinel], words);
    const all = topic.conditions.map((text) => fill(text, words));
    const free = all.filter((text) => !conditions.some((said) => said.text === text));
    if (free.length === 0) {
      const { sentinel: other, text } = random.pick(conditions);
      return `${argument} I join ${other} in asking ${text}.`;
    }
    const condition = random.pick(free);
    conditions.push({ sentinel, text: condition });
    const frames = random.shuffled(VOICES[sentinel].conditions);
    return firstNew(
      frames.map((frame) => `${argument} ${fill(frame, { condition })}`),
      isNew,
    );
  },
  oppose({ topic, ...debate }, sentinel, random) {
    const text = fill(topic.against[sentinel]!, debate.words);
    debate.objections.push({ sentinel, text });
    return withLastWords(debate, text, sentinel, VOICES[sentinel].opposes, random);
  },
  abstain({ topic, words, isNew }, sentinel, random) {
    const texts = topic.questions.flatMap((question) =>
      VOICES[sentinel].abstentions.map((text) => fill(text, { question: fill(question, words) })),
    );
    return firstNew(random.shuffled(texts), isNew);
  },
};

function withLastWords(
  { supporters, isNew }: Pick<Debate, 'supporters' | 'isNew'>,
  argument: string,
  sentinel: SentinelId,
  all: readonly string[],
  random: Random,
): string {
  const other = supporters.findLast((id) => id !== sentinel);
  const fitting = other ? all : all.filter((text) => !text.includes('{other}'));
  const words = random.shuffled(fitting).map((text) => `${argument} ${fill(text, other ? { other } : {})}`);
  return firstNew(random.chance(WITHOUT_LAST_WORDS) ? [argument, ...words] : [...words, argument], isNew);
}

function firstNew(texts: readonly string[], isNew: Debate['isNew']): string {
  return texts.find(isNew) ?? texts[0]!;
}
