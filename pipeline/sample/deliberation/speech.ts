import type { Virtue } from '../../ledger/events/vocabulary.ts';
import type { SentinelId } from '../../model/sentinel-profiles.ts';
import type { Random } from '../../random.ts';
import { capitalise } from '../../words/phrase.ts';
import type { SampleTexts, Topic } from '../texts.ts';
import type { Position } from '../world.ts';

/** The state of a debate, so that sentinels answer each other and no condition is set twice. */
export interface Debate {
  topic: Topic;
  voices: SampleTexts['voices'];
  /** Words for the places in the topic's texts. */
  words: Readonly<Record<string, string>>;
  /** Conditions and objections with their places filled, in speaking order. */
  conditions: Statement[];
  objections: Statement[];
  /** Sentinels that have argued in favour, in speaking order. */
  supporters: SentinelId[];
  /** Whether nobody has used these words for a long time. Marks them as used. */
  isNew: (text: string) => boolean;
}

interface Statement {
  sentinel: SentinelId;
  text: string;
}

const WITHOUT_LAST_WORDS = 0.45;
const PLACE = /([.?] |)\{([a-zA-Z]+)\}/g;
/** `ledger-client`, `ledger.read.export`: keeps its lower case at the beginning of a sentence. */
const IDENTIFIER = /^[a-z]+(?:[-._][a-z]+)+$/;

/** A sentinel's reasons. Records them in the debate. */
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

/** Why an opponent accepts the condition of another sentinel; undefined without such a condition. */
export function composeYielding({ conditions, voices }: Debate, sentinel: SentinelId): string | undefined {
  const condition = conditions.findLast((statement) => statement.sentinel !== sentinel);
  if (!condition) return undefined;
  const { sentinel: other, text } = condition;
  return `On condition ${text}, as ${other} asks, I change my position. ${fill(voices[sentinel].yields, { other })}`;
}

/** The council's reasons and its lesson; undefined if it declined and no opponent gave reasons. */
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
  const unknown = fill(random.pick(topic.unknowns), words);
  return {
    reasoning: `The council followed ${objection.sentinel}, whose objection stands in the deliberation: “${objection.text}”`,
    lesson: `Before the question comes back it should be established ${unknown}.`,
  };
}

export function virtueTags(
  { topic, voices }: Debate,
  sentinel: SentinelId,
  position: Position,
  random: Random,
): Virtue[] {
  const shown = VIRTUE_OF_POSITION[position];
  const own = random.chance(0.5) ? [voices[sentinel].virtue] : [];
  const stake = random.pick(topic.virtues);
  return [...new Set([stake, ...own, ...(shown && random.chance(0.7) ? [shown] : [])])];
}

/** The virtue that a position shows in itself. */
const VIRTUE_OF_POSITION: Readonly<Record<Position, Virtue | null>> = {
  support: null,
  support_with_conditions: 'prudence',
  oppose: 'courage',
  abstain: 'temperance',
};

type Speech = (debate: Debate, sentinel: SentinelId, random: Random) => string;

const SPEECHES: Readonly<Record<Position, Speech>> = {
  support(debate, sentinel, random) {
    const argument = fill(debate.topic.for[sentinel], debate.words);
    return withLastWords(debate, argument, sentinel, debate.voices[sentinel].supports, random);
  },
  support_with_conditions({ topic, voices, words, conditions, isNew }, sentinel, random) {
    const argument = fill(topic.for[sentinel], words);
    const all = topic.conditions.map((text) => fill(text, words));
    const free = all.filter((text) => !conditions.some((statement) => statement.text === text));
    if (free.length === 0) {
      const { sentinel: other, text } = random.pick(conditions);
      return `${argument} I join ${other} in asking ${text}.`;
    }
    const condition = random.pick(free);
    conditions.push({ sentinel, text: condition });
    const frames = random.shuffled(voices[sentinel].conditions);
    return firstNew(
      frames.map((frame) => `${argument} ${fill(frame, { condition })}`),
      isNew,
    );
  },
  oppose(debate, sentinel, random) {
    const text = fill(debate.topic.against[sentinel]!, debate.words);
    debate.objections.push({ sentinel, text });
    return withLastWords(debate, text, sentinel, debate.voices[sentinel].opposes, random);
  },
  abstain({ topic, voices, words, isNew }, sentinel, random) {
    const texts = topic.unknowns.flatMap((unknown) =>
      voices[sentinel].abstentions.map((text) => fill(text, { unknown: fill(unknown, words) })),
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

/** Fills the places of a text. A word that begins a sentence gets a capital. Throws for a place without a word. */
export function fill(text: string, words: Readonly<Record<string, string>>): string {
  return text.replace(PLACE, (_, before: string, name: string, offset: number) => {
    const word = words[name];
    if (word === undefined) throw new Error(`no word for {${name}} in: ${text}`);
    const isFirst = before !== '' || offset === 0;
    return before + (isFirst && !IDENTIFIER.test(word) ? capitalise(word) : word);
  });
}
