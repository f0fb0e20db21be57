import { VIRTUES } from '../../ledger/events/vocabulary.ts';
import { meanOf, share } from '../formulas.ts';
import { ownMember } from '../own-member.ts';
import type { State } from '../state.ts';
import { newestWithin } from '../window.ts';
import { GOOD_STANDING } from './compliance.ts';
import { metrics } from './metrics.ts';

/** Smaller changes count as stable. */
const NOTICEABLE = 0.01;
const WATCH_FROM = 0.05;
const DRIFTING_FROM = 0.1;

export const DRIFT_STATUSES = ['stable', 'watch', 'drifting', 'not_measured'] as const;
export const DIRECTIONS = ['improving', 'worsening', 'stable', 'not_measured'] as const;

/** A member is null if there was nothing to measure, and then so is the drift. */
interface Trend {
  metric: string;
  /** First thirty days of the ledger. Null until they are over. */
  baseline: number | null;
  /** Last thirty days. */
  current: number | null;
  drift: number | null;
  direction: (typeof DIRECTIONS)[number];
}

export interface Drift {
  drift_score: number | null;
  status: (typeof DRIFT_STATUSES)[number];
  analysis: Record<'virtue_alignment' | 'principle_adherence' | 'charter_compliance', number | null>;
  trends: Trend[];
}

/** For every metric, higher is better. There is no drift until the baseline, the first thirty days, is complete. */
export function drift(state: State): Drift {
  const trends = Object.entries(metrics(state)).map(([metric, now]) =>
    trend(metric, ownMember(state.baseline ?? {}, metric) ?? null, now),
  );
  const drift_score = meanSize(trends);
  const virtues = meanSize(trends.filter(({ metric }) => (VIRTUES as readonly string[]).includes(metric)));
  return {
    drift_score,
    status: driftStatus(drift_score),
    analysis: {
      virtue_alignment: virtues === null ? null : 1 - virtues,
      principle_adherence: principleAdherence(state),
      charter_compliance: charterCompliance(state),
    },
    trends,
  };
}

function driftStatus(score: number | null): Drift['status'] {
  if (score === null) return 'not_measured';
  return score < WATCH_FROM ? 'stable' : score < DRIFTING_FROM ? 'watch' : 'drifting';
}

function trend(metric: string, baseline: number | null, current: number | null): Trend {
  if (baseline === null || current === null)
    return { metric, baseline, current, drift: null, direction: 'not_measured' };
  const change = current - baseline;
  const direction = Math.abs(change) < NOTICEABLE ? 'stable' : change > 0 ? 'improving' : 'worsening';
  return { metric, baseline, current, drift: change, direction };
}

function meanSize(trends: Trend[]): number | null {
  return meanOf(trends.map(({ drift }) => (drift === null ? null : Math.abs(drift))));
}

/** Share of the decisions in the last thirty days that name a framework and a sentinel. Null until the ledger has named both. */
function principleAdherence(state: State): number | null {
  if (!state.stated.frameworks || !state.stated.sentinels) return null;
  const decisions = newestWithin(state.decisions, state.asOf, (decision) => decision.timestamp);
  return share(decisions.filter((decision) => decision.is_principled).length, decisions.length);
}

/** Share of the audited regimes that are in good standing. */
function charterCompliance(state: State): number | null {
  const statuses = Object.values(state.audits).flatMap((audit) => Object.values(audit.statuses));
  return share(statuses.filter((status) => GOOD_STANDING.has(status)).length, statuses.length);
}
