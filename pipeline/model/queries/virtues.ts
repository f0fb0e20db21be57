import type { Virtue } from '../../ledger/events/vocabulary.ts';
import { gini, share } from '../formulas.ts';
import { activeSentinels } from '../sentinel-status.ts';
import type { State } from '../state.ts';
import { HOUR_MS, newestWithin, windowStart } from '../window.ts';
import { recentlyClosed } from './consensus-rate.ts';

/** Each virtue and its definition, in order of publication. */
export const VIRTUE_MEASURES: Record<Virtue, { measure: string; score: (state: State) => number | null }> = {
  integrity: {
    measure: 'the latest MII reading',
    score: (state) => state.mii,
  },
  temperance: {
    measure: 'deliberations closed in the cycle they were opened in ÷ deliberations closed, last 30 days',
    score: temperance,
  },
  justice: {
    measure: '1 − Gini coefficient of (minted MIC ÷ multiplier) per active sentinel, last 30 days',
    score: justice,
  },
  prudence: {
    measure:
      '(projected risks with a mitigation + decisions with lessons learned) ÷ (projected risks + decisions), last 30 days; from the first mitigation and the first lesson on',
    score: prudence,
  },
  courage: {
    measure:
      'opposing or abstaining positions taken with reasoning ÷ those taken, last 30 days; from the first reasoning on',
    score: courage,
  },
};

const COMPLIANT_FROM = 0.8;
const AT_RISK_FROM = 0.6;

export const VIRTUE_STATUSES = ['compliant', 'at_risk', 'breached', 'not_measured'] as const;
export type VirtueStatus = (typeof VIRTUE_STATUSES)[number];

export function virtueStatus(score: number | null): VirtueStatus {
  if (score === null) return 'not_measured';
  if (score >= COMPLIANT_FROM) return 'compliant';
  return score >= AT_RISK_FROM ? 'at_risk' : 'breached';
}

/** Scores in [0, 1] of the five virtues over the last thirty days of the ledger. Null if there was nothing to measure. */
export function virtueScores(state: State): Record<Virtue, number | null> {
  const scores = Object.entries(VIRTUE_MEASURES).map(([virtue, { score }]) => [virtue, score(state)]);
  return Object.fromEntries(scores);
}

function temperance(state: State): number | null {
  const closed = recentlyClosed(state);
  return share(closed.filter((one) => one.closed_cycle === one.opened_cycle).length, closed.length);
}

/**
 * Active sentinels without mints count as zero; retired sentinels do not count. Null if no active sentinel minted, because nothing was
 * distributed, and with fewer than two, because there is nobody to compare with.
 */
function justice(state: State): number | null {
  const minted = new Map(activeSentinels(state).map(({ id }) => [id, 0]));
  const start = windowStart(state.asOf) / HOUR_MS;
  for (const { hour, normalised } of state.hours) {
    if (hour < start) continue;
    for (const id of Object.keys(normalised)) {
      const sum = minted.get(id);
      if (sum !== undefined) minted.set(id, sum + normalised[id]!);
    }
  }
  const amounts = [...minted.values()];
  return amounts.length > 1 && amounts.some((amount) => amount > 0) ? 1 - gini(amounts) : null;
}

/** A ledger that has never stated a mitigation, or a lesson, has none to measure by: its source may not have them. */
function prudence(state: State): number | null {
  const { mitigation, lessons } = state.stated;
  const decisions = lessons
    ? newestWithin(state.decisions, state.asOf, (decision) => decision.timestamp)
    : [];
  const projections = mitigation
    ? newestWithin(state.risks, state.asOf, (projection) => projection.timestamp)
    : [];
  const risks = projections.reduce((sum, projection) => sum + projection.risks, 0);
  const mitigated = projections.reduce((sum, projection) => sum + projection.mitigated, 0);
  const learned = decisions.filter((decision) => decision.has_lessons).length;
  return share(mitigated + learned, risks + decisions.length);
}

function courage(state: State): number | null {
  if (!state.stated.reasoning) return null;
  const contrary = newestWithin(state.contrary, state.asOf, (position) => position.timestamp);
  return share(contrary.filter(({ has_reasoning }) => has_reasoning).length, contrary.length);
}
