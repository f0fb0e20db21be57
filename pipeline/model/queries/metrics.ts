import type { Metrics, State } from '../state.ts';
import { HOUR_MS, windowStart } from '../window.ts';
import { consensusRate } from './consensus-rate.ts';
import { virtueScores } from './virtues.ts';

/**
 * The numbers whose change is drift, over the thirty days that end at the state's time: the five virtues, the means of
 * gi_score and of s/100 over the attestations, and the consensus rate. A mean of no attestations is 0.
 */
export function metrics(state: State): Metrics {
  const start = windowStart(state.asOf) / HOUR_MS;
  const hours = state.hours.filter(({ hour }) => hour >= start);
  const attestations = hours.reduce((sum, { attestations }) => sum + attestations, 0);
  const mean = (sum: number) => (attestations === 0 ? 0 : sum / attestations);
  return {
    ...virtueScores(state),
    mean_gi_score: mean(hours.reduce((sum, { gi_score }) => sum + gi_score, 0)),
    mean_coordination: mean(hours.reduce((sum, { score }) => sum + score, 0)) / 100,
    consensus_rate: consensusRate(state),
  };
}
