import { influenceMatrix } from './influence.ts';
import { positionOf } from './opinions.ts';
import { virtueParts } from './utility.ts';
import type { ByVirtue, Virtue } from './virtues.ts';
import type { World } from './world.ts';

/** Below this a part of the utility is not worth a word. */
const NOTICEABLE = 0.01;

/** Why a sentinel stands where it does, out of the terms of its own equation. */
export function reasoningOf(world: World, i: number): { reasoning: string; virtue_tags: readonly Virtue[] } {
  const { opinion, innate } = world.conditions[i]!;
  const { text, tags } = weighed(world)[i]!;
  const own = `By my own lights ${hundredths(innate)}${text}.`;
  return {
    reasoning: `${own} ${heardSentence(world, i)} So I am at ${hundredths(opinion)}: ${SAID[positionOf(opinion)]}.`,
    virtue_tags: tags,
  };
}

interface Weighed {
  text: string;
  tags: readonly Virtue[];
}

/** By the list of sentinels and what it was weighed against: between events it does not change, and it is asked each tick. */
const WEIGHED = new WeakMap<World['sentinels'], { effects: ByVirtue; all: Weighed[] }>();

/** For each the two virtues that decide most, and what they say. */
function weighed({ sentinels, effects }: World): Weighed[] {
  const known = WEIGHED.get(sentinels);
  if (known?.effects === effects) return known.all;
  const all = sentinels.map((sentinel) => {
    const parts = virtueParts(sentinel, { effects }).filter(([, part]) => Math.abs(part) >= NOTICEABLE);
    const said = parts
      .slice(0, 2)
      .map(([virtue, part]) => `${virtue} ${part > 0 ? 'speaks for it' : 'against it'} (${signed(part)})`);
    const tags = parts.slice(0, 2).map(([virtue]) => virtue);
    return { text: said.length > 0 ? `: ${said.join(', ')}` : '', tags };
  });
  WEIGHED.set(sentinels, { effects, all });
  return all;
}

const SAID = {
  support: 'I support it',
  support_with_conditions: 'I support it with conditions',
  oppose: 'I oppose it',
  abstain: 'I do not take a side',
} as const;

/** Whom it goes by most, besides itself. */
function heardSentence(world: World, i: number): string {
  const { sentinels, conditions, levers } = world;
  if (!sentinels[i]!.isOnline) return 'I am offline.';
  const matrix = influenceMatrix(sentinels, levers);
  const loudest = loudestOf(matrix, sentinels.length)[i]!;
  if (loudest < 0) return 'There is nobody I could hear.';
  const weight = hundredths(matrix[i * sentinels.length + loudest]!);
  return `I listen most to ${sentinels[loudest]!.id} (${weight}), who is at ${hundredths(conditions[loudest]!.opinion)}.`;
}

const LOUDEST = new WeakMap<Float64Array, Int32Array>();

/** For each the other that it goes by most; −1 where there is none. By the matrix, which only events change. */
function loudestOf(matrix: Float64Array, size: number): Int32Array {
  const known = LOUDEST.get(matrix);
  if (known) return known;
  const loudest = new Int32Array(size).fill(-1);
  for (let i = 0; i < size; i += 1) {
    let most = 0;
    for (let j = 0; j < size; j += 1) {
      const weight = j === i ? 0 : matrix[i * size + j]!;
      if (weight <= most) continue;
      most = weight;
      loudest[i] = j;
    }
  }
  LOUDEST.set(matrix, loudest);
  return loudest;
}

/** `0.00` to `1.00`: an update has forty of them, and toFixed would take a fifth of its time. */
const HUNDREDTHS = Array.from({ length: 101 }, (_, hundredth) => (hundredth / 100).toFixed(2));

/** A share in [0, 1]. */
function hundredths(share: number): string {
  return HUNDREDTHS[Math.round(share * 100)]!;
}

/** A part of a utility, in [−1, 1]. */
function signed(value: number): string {
  // ASCII, as all that comes with every tick: one other letter makes the JSON of the whole update slower.
  return `${value < 0 ? '-' : '+'}${hundredths(Math.abs(value))}`;
}
