import { influenceMatrix } from './influence.ts';
import { roundTo6 } from './round-to-6.ts';
import { innateOpinion } from './utility.ts';
import type { Position, Sentinel, World } from './world.ts';

/**
 * One exchange of views, after Friedkin and Johnsen (1990): x(t+1) = Λ·W·x(t) + (I − Λ)·u, where Λ is diagonal with 1 −
 * stubbornness, W is the influence matrix and u are the innate opinions, which follow the current proposal. Offline sentinels
 * keep their opinion.
 */
export function exchangeViews(world: World): World {
  const { sentinels, conditions } = world;
  const matrix = influenceMatrix(sentinels, world.levers);
  const before = conditions.opinion;
  const opinion = before.slice();
  let movement = 0;
  for (let i = 0; i < sentinels.length; i += 1) {
    const sentinel = sentinels[i]!;
    if (!sentinel.isOnline) continue;
    const own = innateOpinion(sentinel, conditions.drift[i]!, world);
    const stubbornness = stubbornnessOf(sentinel, world.levers);
    const moved = roundTo6((1 - stubbornness) * heardBy(i, matrix, before) + stubbornness * own);
    movement = Math.max(movement, Math.abs(moved - before[i]!));
    opinion[i] = moved;
  }
  return { ...world, conditions: { ...conditions, opinion, previous: before }, movement: roundTo6(movement) };
}

/** The own opinion of each sentinel, u, of the proposal as it stands now. */
export function ownOpinions(world: World): number[] {
  const { drift } = world.conditions;
  return world.sentinels.map((sentinel, i) => innateOpinion(sentinel, drift[i]!, world));
}

/** The weight of a sentinel’s own judgement, in [0, 1]. */
export function stubbornnessOf({ stubbornness }: Sentinel, levers: World['levers']): number {
  return Math.min(1, roundTo6(stubbornness * levers.stubbornness));
}

/** W·x of sentinel i. A function of its own, so that the engine compiles this hot loop separately. */
function heardBy(i: number, matrix: Float64Array, opinions: readonly number[]): number {
  const size = opinions.length;
  const row = i * size;
  let heard = 0;
  for (let j = 0; j < size; j += 1) heard += matrix[row + j]! * opinions[j]!;
  return heard;
}

/** The lowest opinion for each position. */
export const POSITIONS_FROM = {
  support: 0.7,
  support_with_conditions: 0.55,
  abstain: 0.45,
  oppose: 0,
} as const;

export function positionOf(opinion: number): Position {
  if (opinion >= POSITIONS_FROM.support) return 'support';
  if (opinion >= POSITIONS_FROM.support_with_conditions) return 'support_with_conditions';
  return opinion > POSITIONS_FROM.abstain ? 'abstain' : 'oppose';
}

/** Mean over the online sentinels; 0 if none is online. */
export function meanOpinion(world: Assembly): number {
  return roundTo6(exactMean(world));
}

/** 4 × variance of the opinions: 0 if all agree, 1 if one half is at 0 and the other at 1. */
export function polarisation(world: Assembly): number {
  const { sentinels, conditions } = world;
  const { opinion } = conditions;
  const mean = exactMean(world);
  let [squares, count] = [0, 0];
  for (let i = 0; i < opinion.length; i += 1) {
    if (!sentinels[i]!.isOnline) continue;
    const gap = opinion[i]! - mean;
    squares += gap * gap;
    count += 1;
  }
  return count === 0 ? 0 : roundTo6((4 * squares) / count);
}

type Assembly = Pick<World, 'sentinels' | 'conditions'>;

function exactMean({ sentinels, conditions }: Assembly): number {
  const { opinion } = conditions;
  let [sum, count] = [0, 0];
  for (let i = 0; i < opinion.length; i += 1) {
    if (!sentinels[i]!.isOnline) continue;
    sum += opinion[i]!;
    count += 1;
  }
  return count === 0 ? 0 : sum / count;
}
