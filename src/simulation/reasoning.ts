import { influenceMatrix } from './influence.ts';
import { positionOf } from './opinions.ts';
import { virtueParts } from './utility.ts';
import type { ByVirtue, Virtue } from './virtues.ts';
import type { Sentinel, World } from './world.ts';

/** Below this a part of the utility is not worth a word. */
const NOTICEABLE = 0.01;

/** What a text is said to, part by part. */
export interface Listener {
  text: (part: string) => unknown;
}

/** Why a sentinel stands where it does, out of the terms of its own equation. */
export function reasoningOf(world: World, i: number): { reasoning: string; virtue_tags: readonly Virtue[] } {
  let reasoning = '';
  const text = (part: string) => {
    reasoning += part;
  };
  formatReasoning(world.conditions, standingsOf(world)[i]!, i, { text });
  return { reasoning, virtue_tags: standingsOf(world)[i]!.tags };
}

/** The reasoning in parts, in ASCII: to be heard by who would only write it elsewhere. */
export function formatReasoning(
  conditions: World['conditions'],
  { text, loudest }: Standing,
  i: number,
  to: Listener,
): void {
  const opinion = conditions.opinion[i]!;
  to.text(OWN[hundredth(conditions.innate[i]!)]!);
  to.text(text);
  to.text(loudest >= 0 ? HEARD[hundredth(conditions.opinion[loudest]!)]! : ' So I am at ');
  to.text(SAID[positionOf(opinion)][hundredth(opinion)]!);
}

/** What of a reasoning stays the same from tick to tick. */
export interface Standing {
  /** What stands between the two opinions: its own and that of the one it listens to most. */
  text: string;
  /** Whom it goes by most, besides itself; −1: nobody. */
  loudest: number;
  tags: readonly Virtue[];
}

interface Known {
  effects: ByVirtue;
  matrix: Float64Array;
  all: readonly Standing[];
}

/** By the list of sentinels, what they weigh and whom they hear: only events change that, and it is asked each tick. */
const STANDINGS = new WeakMap<World['sentinels'], Known>();

export function standingsOf({ sentinels, effects, levers }: World): readonly Standing[] {
  const matrix = influenceMatrix(sentinels, levers);
  const known = STANDINGS.get(sentinels);
  if (known?.effects === effects && known.matrix === matrix) return known.all;
  const all = sentinels.map((sentinel, i) => {
    const loudest = sentinel.isOnline ? loudestFor(i, matrix, sentinels.length) : -1;
    const { text, tags } = weigh(sentinel, effects);
    return { text: `${text}. ${heardPhrase(sentinels, i, loudest, matrix)}`, loudest, tags };
  });
  STANDINGS.set(sentinels, { effects, matrix, all });
  return all;
}

/** The two virtues that decide most, and what they say. */
function weigh(sentinel: Sentinel, effects: ByVirtue): Pick<Standing, 'text' | 'tags'> {
  const parts = virtueParts(sentinel, { effects })
    .filter(([, part]) => Math.abs(part) >= NOTICEABLE)
    .slice(0, 2);
  const said = parts.map(
    ([virtue, part]) => `${virtue} ${part > 0 ? 'speaks for it' : 'against it'} (${signed(part)})`,
  );
  return { text: said.length > 0 ? `: ${said.join(', ')}` : '', tags: parts.map(([virtue]) => virtue) };
}

/** Whom it goes by most, up to the opinion of that one. */
function heardPhrase(
  sentinels: readonly Sentinel[],
  i: number,
  loudest: number,
  matrix: Float64Array,
): string {
  if (!sentinels[i]!.isOnline) return 'I am offline.';
  if (loudest < 0) return 'There is nobody I could hear.';
  const weight = hundredths(matrix[i * sentinels.length + loudest]!);
  return `I listen most to ${sentinels[loudest]!.id} (${weight}), who is at `;
}

/** The other that it goes by most; −1 where there is none. */
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

/** `0.00` to `1.00`: an update has forty of them, and toFixed would take a fifth of its time. */
const HUNDREDTHS = Array.from({ length: 101 }, (_, hundredth) => (hundredth / 100).toFixed(2));

/** Phrases with each of them, since a tick of thousands of runs says them by the ten thousand. */
const OWN = HUNDREDTHS.map((share) => `By my own lights ${share}`);
const HEARD = HUNDREDTHS.map((share) => `${share}. So I am at `);
const SAID = {
  support: HUNDREDTHS.map((share) => `${share}: I support it.`),
  support_with_conditions: HUNDREDTHS.map((share) => `${share}: I support it with conditions.`),
  oppose: HUNDREDTHS.map((share) => `${share}: I oppose it.`),
  abstain: HUNDREDTHS.map((share) => `${share}: I do not take a side.`),
} as const;

/** Of a share in [0, 1]. */
function hundredth(share: number): number {
  return Math.round(share * 100);
}

function hundredths(share: number): string {
  return HUNDREDTHS[hundredth(share)]!;
}

/** A part of a utility, in [−1, 1]. */
function signed(value: number): string {
  // ASCII, as all that comes with every tick: one other letter makes the JSON of the whole update slower.
  return `${value < 0 ? '-' : '+'}${hundredths(Math.abs(value))}`;
}
