import type { Levers } from './levers.ts';
import { type ByVirtue, VIRTUES } from './virtues.ts';
import type { Sentinel } from './world.ts';

type Ties = Pick<Levers, 'kinship' | 'reach'>;
interface Remembered extends Ties {
  matrix: Float64Array;
}

/** Cached by the list of sentinels, which only events change. Otherwise a tick would spend most of its time here. */
const MATRICES = new WeakMap<readonly Sentinel[], Remembered>();

/**
 * The matrix W of the model, n × n in row order: the influence of sentinel j's opinion on sentinel i. Before normalisation, an
 * entry is trust_j × (1 + kinship if both belong to one cathedral) ÷ (1 + (distance of their virtue weights ÷ reach)²). Offline
 * and recused sentinels have no influence, and each sentinel has weight 1 on itself. Each row sums to 1.
 */
export function influenceMatrix(sentinels: readonly Sentinel[], ties: Ties): Float64Array {
  const known = MATRICES.get(sentinels);
  if (known?.kinship === ties.kinship && known.reach === ties.reach) return known.matrix;
  const { kinship, reach } = ties;
  const matrix = computeMatrix(sentinels, ties);
  MATRICES.set(sentinels, { kinship, reach, matrix });
  return matrix;
}

function computeMatrix(sentinels: readonly Sentinel[], ties: Ties): Float64Array {
  const size = sentinels.length;
  const matrix = new Float64Array(size * size);
  for (let i = 0; i < size; i += 1) {
    let sum = 0;
    for (let j = 0; j < size; j += 1) {
      const entry = i === j ? 1 : influence(sentinels[i]!, sentinels[j]!, ties);
      matrix[i * size + j] = entry;
      sum += entry;
    }
    for (let j = 0; j < size; j += 1) matrix[i * size + j]! /= sum;
  }
  return matrix;
}

function influence(listener: Sentinel, speaker: Sentinel, { kinship, reach }: Ties): number {
  if (!hasVoice(speaker)) return 0;
  const kin = listener.cathedral === speaker.cathedral ? 1 + kinship : 1;
  const far = virtueDistance(listener.weights, speaker.weights) / reach;
  return (speaker.trust * kin) / (1 + far * far);
}

export function hasVoice({ isOnline, isRecused }: Sentinel): boolean {
  return isOnline && !isRecused;
}

export function statusOf({ isOnline, isRecused }: Sentinel): 'operational' | 'offline' | 'recused' {
  if (!isOnline) return 'offline';
  return isRecused ? 'recused' : 'operational';
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
