import { meanOf } from '../formulas.ts';
import { activeSentinels, uptimeDays } from '../sentinel-status.ts';
import type { State } from '../state.ts';

export interface ScoredSentinel {
  id: string;
  cathedral: string;
  /** Coordination score s of the last attestation, in points. */
  score: number;
  gi_score: number;
  uptime_days: number | null;
}

/** Active sentinels that have attested, in order of registration. */
export function scoredSentinels(state: State): ScoredSentinel[] {
  return activeSentinels(state).flatMap((sentinel) => {
    const { id, cathedral, score, gi_score } = sentinel;
    if (score === null || gi_score === null) return [];
    return [{ id, cathedral, score, gi_score, uptime_days: uptimeDays(sentinel, state.asOf) }];
  });
}

/** Mean of s over the active sentinels that have attested. Null if none has. */
export function averageCoordination(state: State): number | null {
  return meanOf(scoredSentinels(state).map(({ score }) => score));
}
