import { influenceMatrix } from './influence.ts';
import { sixPlaces } from './six-places.ts';
import { innateOpinion } from './utility.ts';
import type { Position, World } from './world.ts';

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
  let movement = 0;
  const after = conditions.map((condition, i) => {
    const sentinel = sentinels[i]!;
    if (!sentinel.isOnline) return condition;
    let heard = 0;
    for (let j = 0; j < size; j += 1) heard += matrix[i * size + j]! * before[j]!;
    const innate = innateOpinion(sentinel, condition.drift, world);
    const opinion = sixPlaces((1 - sentinel.stubbornness) * heard + sentinel.stubbornness * innate);
    movement = Math.max(movement, Math.abs(opinion - condition.opinion));
    return { ...condition, opinion, innate };
  });
  return { ...world, conditions: after, movement: sixPlaces(movement) };
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
export function meanOpinion(world: Pick<World, 'sentinels' | 'conditions'>): number {
  const opinions = opinionsOnline(world);
  return opinions.length === 0 ? 0 : sixPlaces(sum(opinions) / opinions.length);
}

/** 4 × variance of the opinions: 0 all agree, 1 one half stands at 0 and the other at 1. */
export function polarisation(world: Pick<World, 'sentinels' | 'conditions'>): number {
  const opinions = opinionsOnline(world);
  if (opinions.length === 0) return 0;
  const mean = sum(opinions) / opinions.length;
  return sixPlaces(
    (4 * sum(opinions.map((opinion) => (opinion - mean) * (opinion - mean)))) / opinions.length,
  );
}

function opinionsOnline({ sentinels, conditions }: Pick<World, 'sentinels' | 'conditions'>): number[] {
  return conditions.flatMap(({ opinion }, i) => (sentinels[i]!.isOnline ? [opinion] : []));
}

function sum(values: readonly number[]): number {
  let total = 0;
  for (const value of values) total += value;
  return total;
}
