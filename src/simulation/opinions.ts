import { clamp, roundTo6 } from './round-to-6.ts';
import { type ByVirtue, type Position, type Sentinel, VIRTUES, type World } from './world.ts';

/** Scales effects, which are mostly small, to distinct opinions. */
const GAIN = 3;

/** What speaks for or against the proposal in a sentinel’s own judgement: a virtue, the gain of its cathedral, its drift, its temper. */
export type Term = readonly [cause: (typeof VIRTUES)[number] | 'stake' | 'lure' | 'temper', value: number];

type Matter = Pick<World, 'effects' | 'stakes' | 'levers'>;

/** The terms of a sentinel’s utility. They sum to it as far as it does not exceed −1 and 1. */
export function termsOf(sentinel: Sentinel, drift: number, { effects, stakes, levers }: Matter): Term[] {
  return [
    ...VIRTUES.map((virtue): Term => [virtue, GAIN * sentinel.weights[virtue] * effects[virtue]]),
    ['stake', levers.interest * (stakes[sentinel.cathedral] ?? 0)],
    ['lure', (levers.lure * drift) / 10],
    ['temper', sentinel.temper],
  ];
}

/**
 * A sentinel’s own opinion of the proposal, in [0, 1]: (1 + utility) ÷ 2, where the utility, in [−1, 1], is GAIN × Σ weight × effect of
 * each virtue + interest × stake of its cathedral + lure × drift ÷ 10 + temper.
 */
function ownOpinion(sentinel: Sentinel, drift: number, { effects, stakes, levers }: Matter): number {
  const { weights } = sentinel;
  // Written out, because a loop over names costs as much as the rest of a tick.
  const sum =
    weights.integrity * effects.integrity +
    weights.temperance * effects.temperance +
    weights.justice * effects.justice +
    weights.prudence * effects.prudence +
    weights.courage * effects.courage;
  const stake = levers.interest * (stakes[sentinel.cathedral] ?? 0);
  const utility = GAIN * sum + stake + (levers.lure * drift) / 10 + sentinel.temper;
  return roundTo6((1 + clamp(utility, -1, 1)) / 2);
}

/** The own opinion of each sentinel, u, of the proposal as it stands now. */
export function ownOpinions(world: World): number[] {
  const { drift } = world.conditions;
  return world.sentinels.map((sentinel, i) => ownOpinion(sentinel, drift[i]!, world));
}

export function hasVoice({ isOnline, isRecused }: Sentinel): boolean {
  return isOnline && !isRecused;
}

export function statusOf({ isOnline, isRecused }: Sentinel): 'operational' | 'offline' | 'recused' {
  if (!isOnline) return 'offline';
  return isRecused ? 'recused' : 'operational';
}

type Ties = Pick<World['levers'], 'kinship' | 'reach'>;

/** Cached by the list of sentinels, which only events change. Otherwise a tick would spend most of its time here. */
const MATRICES = new WeakMap<readonly Sentinel[], Ties & { matrix: Float64Array }>();

/**
 * The matrix W of the model, n × n in row order: the influence of sentinel j's opinion on sentinel i. Before normalisation, an
 * entry is trust_j × (1 + kinship if both belong to one cathedral) ÷ (1 + (distance of their virtue weights ÷ reach)²). Offline
 * and recused sentinels have no influence, and each sentinel has weight 1 on itself. Each row sums to 1.
 */
export function influenceMatrix(sentinels: readonly Sentinel[], { kinship, reach }: Ties): Float64Array {
  const known = MATRICES.get(sentinels);
  if (known?.kinship === kinship && known.reach === reach) return known.matrix;
  const size = sentinels.length;
  const matrix = new Float64Array(size * size);
  for (let i = 0; i < size; i += 1) {
    let sum = 0;
    for (let j = 0; j < size; j += 1) {
      const entry = i === j ? 1 : influence(sentinels[i]!, sentinels[j]!, { kinship, reach });
      matrix[i * size + j] = entry;
      sum += entry;
    }
    for (let j = 0; j < size; j += 1) matrix[i * size + j]! /= sum;
  }
  MATRICES.set(sentinels, { kinship, reach, matrix });
  return matrix;
}

function influence(listener: Sentinel, speaker: Sentinel, { kinship, reach }: Ties): number {
  if (!hasVoice(speaker)) return 0;
  const kin = listener.cathedral === speaker.cathedral ? 1 + kinship : 1;
  const far = virtueDistance(listener.weights, speaker.weights) / reach;
  return (speaker.trust * kin) / (1 + far * far);
}

/** Euclidean; at most √2. */
function virtueDistance(a: ByVirtue, b: ByVirtue): number {
  let sum = 0;
  for (const virtue of VIRTUES) {
    const gap = a[virtue] - b[virtue];
    sum += gap * gap;
  }
  return Math.sqrt(sum);
}

/** W·x of sentinel i, for opinions or drifts. A function of its own, so that the engine compiles this hot loop separately. */
export function heardBy(i: number, matrix: Float64Array, values: readonly number[]): number {
  const size = values.length;
  const row = i * size;
  let heard = 0;
  for (let j = 0; j < size; j += 1) heard += matrix[row + j]! * values[j]!;
  return heard;
}

/** The index of the sentinel that another one hears most, besides itself; −1 if it hears nobody. */
export function loudestFor(i: number, { sentinels, levers }: Pick<World, 'sentinels' | 'levers'>): number {
  const matrix = influenceMatrix(sentinels, levers);
  let loudest = -1;
  let most = 0;
  for (let j = 0; j < sentinels.length; j += 1) {
    const weight = j === i ? 0 : matrix[i * sentinels.length + j]!;
    if (weight <= most) continue;
    most = weight;
    loudest = j;
  }
  return loudest;
}

/**
 * One exchange of views, after Friedkin and Johnsen (1990): x(t+1) = Λ·W·x(t) + (I − Λ)·u, where Λ is diagonal with 1 −
 * stubbornness, W is the influence matrix and u are the own opinions, which follow the current proposal. Offline sentinels
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
    const own = ownOpinion(sentinel, conditions.drift[i]!, world);
    const stubbornness = stubbornnessOf(sentinel, world.levers);
    const moved = roundTo6((1 - stubbornness) * heardBy(i, matrix, before) + stubbornness * own);
    movement = Math.max(movement, Math.abs(moved - before[i]!));
    opinion[i] = moved;
  }
  return { ...world, conditions: { ...conditions, opinion }, movement: roundTo6(movement) };
}

/** The weight of a sentinel’s own judgement, in [0, 1]. */
export function stubbornnessOf({ stubbornness }: Sentinel, levers: World['levers']): number {
  return Math.min(1, roundTo6(stubbornness * levers.stubbornness));
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

type Assembly = Pick<World, 'sentinels' | 'conditions'>;

/** Mean over the online sentinels; 0 if none is online. */
export function meanOpinion(world: Assembly): number {
  return roundTo6(meanOver(world, (opinion) => opinion));
}

/** 4 × variance of the opinions: 0 if all agree, 1 if one half is at 0 and the other at 1. */
export function polarisation(world: Assembly): number {
  const mean = meanOver(world, (opinion) => opinion);
  return roundTo6(4 * meanOver(world, (opinion) => (opinion - mean) * (opinion - mean)));
}

function meanOver({ sentinels, conditions: { opinion } }: Assembly, of: (opinion: number) => number): number {
  let [sum, count] = [0, 0];
  for (let i = 0; i < opinion.length; i += 1) {
    if (!sentinels[i]!.isOnline) continue;
    sum += of(opinion[i]!);
    count += 1;
  }
  return count === 0 ? 0 : sum / count;
}
