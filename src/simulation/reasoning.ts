import { influenceMatrix } from './influence.ts';
import { POSITIONS_FROM, positionOf } from './opinions.ts';
import { virtueParts } from './utility.ts';
import type { ByVirtue, Virtue } from './virtues.ts';
import type { Position, Sentinel, World } from './world.ts';

/** Smaller shares of weight × effect are not mentioned. */
const NOTICEABLE = 0.01;
/** Smaller terms of the utility other than the virtues are not mentioned. */
const NOTICEABLE_TERM = 0.1;
/** A change of opinion within a tick that is mentioned. */
const MOVED = 0.02;
/** The distance from another position that is mentioned, and the leeway for “between two opinions”. */
const CLOSE = 0.015;

/**
 * Explains a sentinel’s position from the terms of its own equation. `own`: its own opinion. ASCII, like everything in each tick: a
 * single other character slows down encoding the whole update.
 */
export function reasoningOf(
  world: World,
  i: number,
  own: number,
): { reasoning: string; virtue_tags: readonly Virtue[] } {
  const { merits, heard, loudest, tags, voice } = standingsOf(world)[i]!;
  const { isOnline, isRecused } = world.sentinels[i]!;
  const opinion = world.conditions.opinion[i]!;
  const position = positionOf(opinion);
  if (!isOnline) return { reasoning: OFFLINE[position], virtue_tags: tags };
  const lean = leanOf(own);
  const alone = `${voice.own} ${lean.words}${merits[lean.side]}${lured(world, i)}`;
  if (isRecused) return { reasoning: `${RECUSED} ${alone}`, virtue_tags: tags };
  const said = loudest < 0 ? opinion : world.conditions.opinion[loudest]!;
  const listened = loudest < 0 ? heard : `${heard} ${WHO[positionOf(said)]}.`;
  const isBetween = opinion >= Math.min(own, said) - CLOSE && opinion <= Math.max(own, said) + CLOSE;
  const follows = isBetween || position === positionOf(own) || position === positionOf(said);
  const end = `${follows ? voice.so : voice.yet} ${I[position]}.`;
  return {
    reasoning: `${alone} ${listened} ${end}${movedSince(world.conditions.previous[i]!, opinion) || closeTo(opinion, position)}`,
    virtue_tags: tags,
  };
}

/** A virtue, and whether it speaks for the proposal. */
type Weighed = readonly [virtue: Virtue, isFor: boolean];

/** One way to say the same. The sentinels take turns, so that ten of them do not speak in one pattern. */
interface Voice {
  /** Before its lean. */
  own: string;
  /** Its one or two decisive virtues. */
  virtues: (said: readonly Weighed[]) => string;
  gains: string;
  loses: string;
  /** Up to the position of the strongest influence. */
  hears: (id: string) => string;
  /** Before its position, where that follows from its own opinion or that of its strongest influence, and where it does not. */
  so: string;
  yet: string;
}

const VOICES: readonly Voice[] = [
  {
    own: 'On its merits I',
    virtues: (said) => eachOf(said, ['speaks', 'speak', 'for it', 'against it']),
    gains: 'My cathedral would gain by it, and that counts with me.',
    loses: 'My cathedral would lose by it, and that counts with me.',
    hears: (id) => `I listen most to ${id}, who`,
    so: 'So I',
    yet: 'But the rest of the assembly and my own earlier view weigh more: I',
  },
  {
    own: 'By my own judgement I',
    virtues: (said) => eachOf(said, ['counts', 'count', 'in its favour', 'against it']),
    gains: 'I cannot overlook what my cathedral would gain.',
    loses: 'I cannot overlook what my cathedral would lose.',
    hears: (id) => `Nobody sways me more than ${id}, who`,
    so: 'Taking both together, I',
    yet: 'Still, there are other voices, and what I thought before: I',
  },
  {
    own: 'For my part I',
    virtues: ([first, second]) => {
      const [virtue, isFor] = first!;
      const one = `it ${isFor ? 'serves' : 'harms'} ${virtue}`;
      if (!second) return one;
      return isFor === second[1]
        ? `${one} and ${second[0]}`
        : `${one} but ${second[1] ? 'serves' : 'harms'} ${second[0]}`;
    },
    gains: 'It would pay my cathedral, too.',
    loses: 'It would also cost my cathedral.',
    hears: (id) => `Of the others, ${id} has most weight with me and`,
    so: 'In the end I',
    yet: 'That is not all that I hear, and I change slowly: I',
  },
  {
    own: 'Thinking for myself, I',
    virtues: (said) => eachOf(said, ['weighs', 'weigh', 'in its favour', 'against it']),
    gains: 'My cathedral stands to gain.',
    loses: 'My cathedral stands to lose.',
    hears: (id) => `The one I hear best, ${id},`,
    so: 'For now I',
    yet: 'The others, and my own earlier opinion, hold me elsewhere: I',
  },
  {
    own: 'Before I hear the others I',
    virtues: (said) => {
      const [first, second] = said;
      const side = ([, isFor]: Weighed) => (isFor ? 'for it' : 'against it');
      if (second && first![1] === second[1])
        return `what counts is ${first![0]} and ${second[0]}, both ${side(second)}`;
      const [one, other] = said.map((each) => `${each[0]}, which is ${side(each)}`);
      return `what counts is ${one}${other ? `, and then ${other}` : ''}`;
    },
    gains: 'There is a gain in it for my cathedral.',
    loses: 'There is a loss in it for my cathedral.',
    hears: (id) => `${id} carries most weight with me and`,
    so: 'On balance I',
    yet: 'Other voices and habit outweigh both: I',
  },
];

/** `justice and courage speak for it` or `justice speaks for it, courage against it`. */
function eachOf(
  said: readonly Weighed[],
  [one, both, pro, contra]: readonly [one: string, both: string, pro: string, contra: string],
): string {
  const [first, second] = said;
  const side = ([, isFor]: Weighed) => (isFor ? pro : contra);
  if (!second) return `${first![0]} ${one} ${side(first!)}`;
  if (first![1] === second[1]) return `${first![0]} and ${second[0]} ${both} ${side(second)}`;
  return `${first![0]} ${one} ${side(first!)}, ${second[0]} ${side(second)}`;
}

/** The parts of a reasoning that stay the same from tick to tick. */
interface Standing {
  voice: Voice;
  /** From after the lean up to the influences, by the side of the lean. */
  merits: Readonly<Record<Side, string>>;
  /** The strongest influence, up to its position. */
  heard: string;
  /** Index of the strongest influence besides itself; −1: none. */
  loudest: number;
  tags: readonly Virtue[];
}

interface Known extends Pick<World, 'effects' | 'stakes' | 'levers'> {
  all: readonly Standing[];
}

/** Cached by what they follow from, which only events and choices change. Every tick asks for them. */
const STANDINGS = new WeakMap<World['sentinels'], Known>();

function standingsOf({ sentinels, effects, stakes, levers }: World): readonly Standing[] {
  const known = STANDINGS.get(sentinels);
  if (known?.effects === effects && known.stakes === stakes && known.levers === levers) return known.all;
  const matrix = influenceMatrix(sentinels, levers);
  const all = sentinels.map((sentinel, i): Standing => {
    const voice = VOICES[i % VOICES.length]!;
    const loudest = loudestFor(i, matrix, sentinels.length);
    const tags = decisiveVirtues(sentinel, effects);
    const said = tags.map((virtue): Weighed => [virtue, effects[virtue] > 0]);
    const interest = interestPhrase(levers.interest * (stakes[sentinel.cathedral] ?? 0), voice);
    const merits = (side: Side) => `${virtuesPhrase(said, side, voice)}.${interest}`;
    return {
      voice,
      merits: { pro: merits('pro'), contra: merits('contra'), none: merits('none') },
      heard: loudest < 0 ? 'I hear nobody but myself.' : voice.hears(sentinels[loudest]!.id),
      loudest,
      tags,
    };
  });
  STANDINGS.set(sentinels, { effects, stakes, levers, all });
  return all;
}

function decisiveVirtues(sentinel: Sentinel, effects: ByVirtue): Virtue[] {
  return virtueParts(sentinel, { effects })
    .filter(([, part]) => Math.abs(part) >= NOTICEABLE)
    .slice(0, 2)
    .map(([virtue]) => virtue);
}

type Side = 'pro' | 'contra' | 'none';

/** `although` where every virtue that it names speaks against its lean: then something else has decided. */
function virtuesPhrase(said: readonly Weighed[], side: Side, voice: Voice): string {
  if (said.length === 0) return '. It hardly touches what I weigh';
  if (side === 'none' || said.some(([, isFor]) => isFor === (side === 'pro')))
    return `: ${voice.virtues(said)}`;
  return `, although ${eachOf(said, ['is', 'are', 'for it', 'against it'])}`;
}

function interestPhrase(stake: number, { gains, loses }: Voice): string {
  if (Math.abs(stake) < NOTICEABLE_TERM) return '';
  return ` ${stake > 0 ? gains : loses}`;
}

/** The index of the strongest other influence; −1 if there is none. */
function loudestFor(i: number, matrix: Float64Array, size: number): number {
  let loudest = -1;
  let most = 0;
  for (let j = 0; j < size; j += 1) {
    const weight = j === i ? 0 : matrix[i * size + j]!;
    if (weight <= most) continue;
    most = weight;
    loudest = j;
  }
  return loudest;
}

interface Lean {
  /** The lowest own opinion that is called so. */
  least: number;
  words: string;
  side: Side;
}

/** The highest first; the steps at 0.45, 0.55 and 0.7 are those of positions. */
const LEANS: readonly Lean[] = [
  { least: 0.85, words: 'am firmly for it', side: 'pro' },
  { least: POSITIONS_FROM.support, words: 'am for it', side: 'pro' },
  { least: POSITIONS_FROM.support_with_conditions, words: 'lean towards it', side: 'pro' },
  { least: POSITIONS_FROM.abstain, words: 'am undecided', side: 'none' },
  { least: 0.3, words: 'lean against it', side: 'contra' },
  { least: 0.15, words: 'am against it', side: 'contra' },
  { least: 0, words: 'am firmly against it', side: 'contra' },
];

function leanOf(own: number): Lean {
  return LEANS.find(({ least }) => own >= least)!;
}

/** By position: of the strongest influence, of the sentinel itself, and how it left. */
const WHO: Readonly<Record<Position, string>> = {
  support: 'supports it',
  support_with_conditions: 'supports it with conditions',
  abstain: 'takes no side',
  oppose: 'opposes it',
};
const I: Readonly<Record<Position, string>> = {
  support: 'support it',
  support_with_conditions: 'support it with conditions',
  abstain: 'take no side',
  oppose: 'oppose it',
};
const OFFLINE: Readonly<Record<Position, string>> = {
  support: 'I am offline. When I left I supported it.',
  support_with_conditions: 'I am offline. When I left I supported it with conditions.',
  abstain: 'I am offline. When I left I had taken no side.',
  oppose: 'I am offline. When I left I opposed it.',
};
const RECUSED = 'I am recused: I neither speak nor vote.';

/** What a little more support, or a little less, would make of a position. */
const MORE: Readonly<Record<Position, string>> = {
  support: '',
  support_with_conditions: ' It would take little for me to drop my conditions.',
  abstain: ' It would take little for me to support it with conditions.',
  oppose: ' It would take little for me to take no side.',
};
const LESS: Readonly<Record<Position, string>> = {
  support: ' It would take little for me to make conditions.',
  support_with_conditions: ' It would take little for me to take no side.',
  abstain: ' It would take little for me to oppose it.',
  oppose: '',
};

function closeTo(opinion: number, position: Position): string {
  if (positionOf(opinion + CLOSE) !== position) return MORE[position];
  return positionOf(opinion - CLOSE) === position ? '' : LESS[position];
}

function movedSince(before: number, now: number): string {
  if (Math.abs(now - before) < MOVED) return '';
  return now > before
    ? ' Since yesterday I have moved towards it.'
    : ' Since yesterday I have moved away from it.';
}

function lured({ levers, conditions }: World, i: number): string {
  const pull = (levers.lure * conditions.drift[i]!) / 10;
  if (Math.abs(pull) < NOTICEABLE_TERM) return '';
  return pull > 0 ? ' My drift draws me towards it.' : ' My drift draws me away from it.';
}
