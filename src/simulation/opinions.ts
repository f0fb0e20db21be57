import { influenceMatrix } from './influence.ts';
import { sixPlaces } from './six-places.ts';
import { innateOpinion } from './utility.ts';
import type { Condition, Position, World } from './world.ts';

/**
 * One exchange of views, after Friedkin and Johnsen (1990): x(t+1) = Λ·W·x(t) + (I − Λ)·u, where Λ is diagonal with
 * 1 − stubbornness, W the influence matrix and u the innate opinions, which follow what the proposal has become. Who is
 * offline keeps its opinion.
 */
export function exchangeViews(world: World): World {
  const { sentinels, conditions } = world;
  const matrix = influenceMatrix(sentinels, world.levers);
  const size = sentinels.length;
  const before = conditions.map(({ opinion }) => opinion);
  const after: Condition[] = [];
  let movement = 0;
  for (let i = 0; i < size; i += 1) {
    const moved = listen(world, i, heardBy(i, matrix, before));
    movement = Math.max(movement, Math.abs(moved.opinion - before[i]!));
    after.push(moved);
  }
  return { ...world, conditions: after, movement: sixPlaces(movement) };
}

/** W·x of sentinel i: alone, so that the loop which all the pairs go through is compiled by itself. */
function heardBy(i: number, matrix: Float64Array, opinions: readonly number[]): number {
  const size = opinions.length;
  const row = i * size;
  let heard = 0;
  for (let j = 0; j < size; j += 1) heard += matrix[row + j]! * opinions[j]!;
  return heard;
}

function listen(world: World, i: number, heard: number): Condition {
  const sentinel = world.sentinels[i]!;
  const condition = world.conditions[i]!;
  if (!sentinel.isOnline) return condition;
  const innate = innateOpinion(sentinel, condition.drift, world);
  const opinion = sixPlaces((1 - sentinel.stubbornness) * heard + sentinel.stubbornness * innate);
  // Spelt out: a copy with `...` takes several times as long.
  const { drift, uptime, gi, score, reward, minted, unpaid } = condition;
  return { opinion, innate, drift, uptime, gi, score, reward, minted, unpaid };
}

/** From which opinion on each position is taken. */
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

/** Of those who are online; 0 where nobody is. */
export function meanOpinion(world: Assembly): number {
  return sixPlaces(exactMean(world));
}

/** 4 × variance of the opinions: 0 all agree, 1 one half stands at 0 and the other at 1. */
export function polarisation(world: Assembly): number {
  const { sentinels, conditions } = world;
  const mean = exactMean(world);
  let [squares, count] = [0, 0];
  for (let i = 0; i < conditions.length; i += 1) {
    if (!sentinels[i]!.isOnline) continue;
    const gap = conditions[i]!.opinion - mean;
    squares += gap * gap;
    count += 1;
  }
  return count === 0 ? 0 : sixPlaces((4 * squares) / count);
}

type Assembly = Pick<World, 'sentinels' | 'conditions'>;

function exactMean({ sentinels, conditions }: Assembly): number {
  let [sum, count] = [0, 0];
  for (let i = 0; i < conditions.length; i += 1) {
    if (!sentinels[i]!.isOnline) continue;
    sum += conditions[i]!.opinion;
    count += 1;
  }
  return count === 0 ? 0 : sum / count;
}
