import { VIRTUES } from '../../ledger/event.ts';
import { own } from '../own.ts';
import type { State } from '../state.ts';
import { within } from '../window.ts';
import { GOOD_STANDING } from './compliance.ts';
import { share } from './consensus-rate.ts';
import { metrics } from './metrics.ts';

/** A change smaller than this is called stable. */
const NOTICEABLE = 0.01;
const WATCH_FROM = 0.05;
const DRIFTING_FROM = 0.1;

export interface Trend {
  metric: string;
  /** First thirty days of the ledger. */
  baseline: number;
  /** Last thirty days. */
  current: number;
  drift: number;
  direction: 'improving' | 'worsening' | 'stable';
}

export interface Drift {
  drift_score: number;
  status: 'stable' | 'watch' | 'drifting';
  analysis: { virtue_alignment: number; principle_adherence: number; charter_compliance: number };
  trends: Trend[];
}

/** Every metric is better when it is higher. In the first thirty days nothing has drifted. */
export function drift(state: State): Drift {
  const current = metrics(state);
  const baseline = state.baseline ?? current;
  const trends = Object.entries(current).map(([metric, now]) =>
    trend(metric, own(baseline, metric) ?? now, now),
  );
  const drift_score = meanSize(trends);
  return {
    drift_score,
    status: drift_score < WATCH_FROM ? 'stable' : drift_score < DRIFTING_FROM ? 'watch' : 'drifting',
    analysis: {
      virtue_alignment:
        1 - meanSize(trends.filter(({ metric }) => (VIRTUES as readonly string[]).includes(metric))),
      principle_adherence: principleAdherence(state),
      charter_compliance: charterCompliance(state),
    },
    trends,
  };
}

function trend(metric: string, baseline: number, current: number): Trend {
  const change = current - baseline;
  const direction = Math.abs(change) < NOTICEABLE ? 'stable' : change > 0 ? 'improving' : 'worsening';
  return { metric, baseline, current, drift: change, direction };
}

function meanSize(trends: Trend[]): number {
  return trends.reduce((sum, trend) => sum + Math.abs(trend.drift), 0) / trends.length;
}

/** Share of the decisions of the last thirty days that name a framework and a sentinel. */
function principleAdherence(state: State): number {
  const decisions = within(state.decisions, state.asOf, (decision) => decision.timestamp);
  return share(decisions.filter((decision) => decision.is_principled).length, decisions.length);
}

/** Share of the audited regimes whose status is one of good standing. */
function charterCompliance(state: State): number {
  const statuses = Object.values(state.audits).flatMap((audit) => Object.values(audit.statuses));
  return share(statuses.filter((status) => GOOD_STANDING.has(status)).length, statuses.length);
}
