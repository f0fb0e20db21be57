import { influenceMatrix } from './influence.ts';
import { positionOf } from './opinions.ts';
import { virtueParts } from './utility.ts';
import type { ByVirtue, Virtue } from './virtues.ts';
import type { Sentinel, World } from './world.ts';

/** Smaller terms of the utility are not mentioned. */
const NOTICEABLE = 0.01;

/** A sink that receives a text part by part. */
export interface Listener {
  text: (part: string) => unknown;
}

/** Explains a sentinel's position from the terms of its own equation. */
export function reasoningOf(world: World, i: number): { reasoning: string; virtue_tags: readonly Virtue[] } {
  let reasoning = '';
  const text = (part: string) => {
    reasoning += part;
  };
  formatReasoning(world.conditions, standingsOf(world)[i]!, i, { text });
  return { reasoning, virtue_tags: standingsOf(world)[i]!.tags };
}

/** Writes the reasoning in parts, in ASCII, so that a caller can encode it directly. */
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

/** The parts of a reasoning that stay the same from tick to tick. */
export interface Standing {
  /** The text between the two opinions: the sentinel's own and that of its strongest influence. */
  text: string;
  /** Index of the strongest influence besides itself; −1: none. */
  loudest: number;
  tags: readonly Virtue[];
}

interface Known {
  effects: ByVirtue;
  matrix: Float64Array;
  all: readonly Standing[];
}

/** Cached by the list of sentinels, their weights and their influences, which only events change. Every tick asks for it. */
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

/** The two decisive virtues and their effect. */
function weigh(sentinel: Sentinel, effects: ByVirtue): Pick<Standing, 'text' | 'tags'> {
  const parts = virtueParts(sentinel, { effects })
    .filter(([, part]) => Math.abs(part) >= NOTICEABLE)
    .slice(0, 2);
  const said = parts.map(
    ([virtue, part]) => `${virtue} ${part > 0 ? 'speaks for it' : 'against it'} (${signed(part)})`,
  );
  return { text: said.length > 0 ? `: ${said.join(', ')}` : '', tags: parts.map(([virtue]) => virtue) };
}

/** The strongest influence, up to the opinion of that sentinel. */
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

/** `0.00` to `1.00`. An update has forty of them, and toFixed would take a fifth of its time. */
const HUNDREDTHS = Array.from({ length: 101 }, (_, hundredth) => (hundredth / 100).toFixed(2));

/** Precomputed phrases, because one tick of thousands of runs needs tens of thousands of them. */
const OWN = HUNDREDTHS.map((share) => `By my own lights ${share}`);
const HEARD = HUNDREDTHS.map((share) => `${share}. So I am at `);
const SAID = {
  support: HUNDREDTHS.map((share) => `${share}: I support it.`),
  support_with_conditions: HUNDREDTHS.map((share) => `${share}: I support it with conditions.`),
  oppose: HUNDREDTHS.map((share) => `${share}: I oppose it.`),
  abstain: HUNDREDTHS.map((share) => `${share}: I do not take a side.`),
} as const;

/** Formats a share in [0, 1]. */
function hundredth(share: number): number {
  return Math.round(share * 100);
}

function hundredths(share: number): string {
  return HUNDREDTHS[hundredth(share)]!;
}

/** Formats a term of the utility, in [−1, 1]. */
function signed(value: number): string {
  // ASCII, like everything in each tick: a single other character slows down encoding the whole update.
  return `${value < 0 ? '-' : '+'}${hundredths(Math.abs(value))}`;
}
