import type { DaySums, State, YearSums } from './state.ts';

/** The state of an empty ledger. */
export function emptyState(): State {
  return {
    format: 'cathedral-state/2',
    asOf: '',
    since: '',
    cycle: '',
    events: 0,
    events_by_type: {},
    charter: null,
    supply: { total: 0n, locked: 0n, burned: 0n },
    contracts: {},
    mii: null,
    mii_baseline: null,
    readings: [],
    sentinels: {},
    rewards: {},
    multipliers: {},
    hours: [],
    apps: {},
    packages: {},
    deliberations: [],
    decisions: [],
    contrary: [],
    risks: [],
    projections: [],
    audits: {},
    scheduled_audits: {},
    alerts: [],
    findings: { total: 0, recent: [] },
    stated: { reasoning: false, lessons: false, mitigation: false, frameworks: false, sentinels: false },
    companions: {},
    unattested: {},
    remembered: {},
    baseline: null,
    year: emptyYear(0, '', 0n),
    day: emptyDay(''),
  };
}

export function emptyYear(year: number, from: string, openingSupply: bigint): YearSums {
  return {
    year,
    from,
    opening_supply: openingSupply,
    events: 0,
    attestations: 0,
    alerts_raised: 0,
    outages: 0,
    deliberations_opened: 0,
    deliberations_closed: 0,
    consensus_reached: 0,
    decided: {},
    recent_decisions: [],
    by_cathedral: {},
    by_sentinel: {},
    months: [],
  };
}

export function emptyDay(date: string): DaySums {
  return {
    date,
    events: {},
    minted: {},
    readings: 0,
    mii_sum: 0,
    mii_min: null,
    mii_max: null,
    heartbeats: {},
    silences: {},
  };
}
