import { share } from '../formulas.ts';
import type { HourSums, Metrics, State } from '../state.ts';
import { HOUR_MS, windowStart } from '../window.ts';
import { consensusRate } from './consensus-rate.ts';
import { virtueScores } from './virtues.ts';

/**
 * The metrics from which drift is computed, over the thirty days up to the state's time: the five virtues, the means of gi_score and
 * s/100 over the attestations, and the consensus rate. Null if there was nothing to measure.
 */
export function metrics(state: State): Metrics {
  const start = windowStart(state.asOf) / HOUR_MS;
  const hours = state.hours.filter(({ hour }) => hour >= start);
  const attestations = sumOf(hours, 'attestations');
  const score = share(sumOf(hours, 'score'), attestations);
  return {
    ...virtueScores(state),
    mean_gi_score: share(sumOf(hours, 'gi_score'), attestations),
    mean_coordination: score === null ? null : score / 100,
    consensus_rate: consensusRate(state),
  };
}

function sumOf(hours: readonly HourSums[], member: 'attestations' | 'gi_score' | 'score'): number {
  return hours.reduce((sum, hour) => sum + hour[member], 0);
}
