import { DAY_MS } from '../../words/day.ts';
import { share } from '../formulas.ts';
import { ownMember } from '../own-member.ts';
import { activeSentinels, allSentinels, sentinelStatus, uptimeDays } from '../sentinel-status.ts';
import type { Month, State } from '../state.ts';
import { timeOf } from '../window.ts';
import { complianceStatus, nextAudits, standings, worstStatus } from './compliance.ts';
import { consensusRate } from './consensus-rate.ts';
import { averageCoordination } from './coordination.ts';
import { systemHealth } from './health.ts';
import { multiplierOf } from './roi.ts';
import { minting, thresholdOf } from './supply.ts';
import { virtueScores, virtueStatus } from './virtues.ts';

const PROJECTION_DAYS = 365;

/** Summary of the year so far, besides the supply. MIC amounts in this file are bigints of 1e-6 MIC. */
export function summary(state: State) {
  return {
    ...minting(state),
    sentinel_count: activeSentinels(state).length,
    system_health: systemHealth(state),
    compliance_status: complianceStatus(state),
    deliberations_closed: state.year.deliberations_closed,
    consensus_rate: consensusRate(state),
  };
}

export function operations(state: State) {
  const { events, attestations, alerts_raised } = state.year;
  const outages = 'heartbeat' in state.events_by_type ? state.year.outages : null;
  const sentinels = allSentinels(state).map((sentinel) => ({
    id: sentinel.id,
    cathedral: sentinel.cathedral,
    status: sentinelStatus(sentinel, state.asOf),
    uptime_days: uptimeDays(sentinel, state.asOf),
    gi_score: sentinel.gi_score,
    coordination: sentinel.score,
    minted: ownMember(state.year.by_sentinel, sentinel.id) ?? 0n,
  }));
  const [apps, packages] = [Object.keys(state.apps).length, Object.keys(state.packages).length];
  const average_coordination = averageCoordination(state);
  return { events, attestations, alerts_raised, outages, apps, packages, average_coordination, sentinels };
}

export function governance(state: State) {
  const { deliberations_opened, deliberations_closed, consensus_reached, decided } = state.year;
  const virtues = Object.entries(virtueScores(state)).map(([name, score]) => [
    name,
    { score, status: virtueStatus(score) },
  ]);
  return {
    deliberations_opened,
    deliberations_closed,
    consensus_reached,
    decisions_recorded: Object.keys(decided).length,
    recent_decisions: state.year.recent_decisions,
    multipliers: { ...state.multipliers },
    virtues: Object.fromEntries(virtues) as Record<string, { score: number | null; status: string }>,
  };
}

export function finance(state: State) {
  const { year } = state;
  const cathedrals = new Set([...Object.keys(state.multipliers), ...Object.keys(year.by_cathedral)]);
  return {
    opening_supply: year.opening_supply,
    minted: sum(year.months.map(({ minted }) => minted)),
    burned: sum(year.months.map(({ burned }) => burned)),
    closing_supply: state.supply.total,
    by_cathedral: [...cathedrals].map((cathedral) => ({
      cathedral,
      multiplier: multiplierOf(state, cathedral),
      ...(ownMember(year.by_cathedral, cathedral) ?? { mints: 0, minted: 0n }),
    })),
    months: year.months.map(monthRow),
  };
}

function monthRow({ month, minted, burned, total_supply, mints, attestations, ...mii }: Month) {
  return {
    month,
    minted,
    burned,
    total_supply,
    mints,
    attestations,
    mii_mean: share(mii.mii_sum, mii.mii_readings),
    mii_min: mii.mii_min,
    threshold: thresholdOf(total_supply),
  };
}

export function compliance(state: State) {
  const jurisdictions = standings(state).map(({ jurisdiction, statuses, last_audit }) => [
    jurisdiction as string,
    { status: worstStatus(Object.values(statuses)), last_audit },
  ]);
  return {
    status: complianceStatus(state),
    jurisdictions: Object.fromEntries(jurisdictions) as Record<
      string,
      { status: string; last_audit: string | null }
    >,
  };
}

/** Scheduled audits, open deliberations, and the supply one year from now at this year's mean daily minting rate; null without a mint. */
export function outlook(state: State) {
  const days = Math.max(1, Math.ceil((timeOf(state.asOf) - timeOf(state.year.from)) / DAY_MS));
  const minted = sum(state.year.months.map((month) => month.minted));
  const growth = minted > 0n ? (minted * BigInt(PROJECTION_DAYS)) / BigInt(days) : null;
  const projected_supply = growth === null ? null : state.supply.total + growth;
  return {
    next_audits: nextAudits(state),
    open_deliberations: state.deliberations
      .filter(({ closed_at }) => closed_at === null)
      .map(({ id, topic }) => ({ id, topic })),
    projected_supply,
    projected_threshold: projected_supply === null ? null : thresholdOf(projected_supply),
  };
}

function sum(amounts: bigint[]): bigint {
  return amounts.reduce((total, amount) => total + amount, 0n);
}
