import type { Area } from '../../artifacts/artifact.ts';

/** A figure that has a value at the end of each day. */
interface Level {
  label: string;
  unit: string;
  /** Decimals that are shown. */
  places: number;
  /** The portals that it is about. */
  areas: readonly Area[];
  /** The public file that it follows from. */
  path: string;
}

/** The figures at the end of a day, in the order in which they are shown. */
export const LEVELS = {
  total_supply: level('Total supply', 'MIC', 0, ['economy'], 'economy/supply-by-day.csv'),
  circulating: level('In circulation', 'MIC', 0, ['economy'], 'economy/supply-by-day.csv'),
  locked: level('Locked', 'MIC', 0, ['economy'], 'economy/supply-by-day.csv'),
  burned: level('Burned', 'MIC', 0, ['economy'], 'economy/supply-by-day.csv'),
  mii: level('Integrity index', 'of 1', 4, ['economy', 'academics'], 'economy/mii-by-day.csv'),
  threshold: level('Minting threshold', 'of 1', 4, ['economy'], 'economy/mii-by-day.csv'),
  sentinels: level('Sentinels', '', 0, ['government', 'academics'], 'academics/sentinels-by-day.csv'),
  up: level(
    'Sentinels up for the whole day',
    '',
    0,
    ['government', 'academics'],
    'academics/sentinels-by-day.csv',
  ),
  coordination: level('Mean coordination', 'points', 1, ['academics'], 'academics/sentinels-by-day.csv'),
  consensus_rate: level(
    'Consensus rate, 30 days',
    'of 1',
    3,
    ['academics', 'philosophy'],
    'philosophy/metrics-by-day.csv',
  ),
  integrity: level('Integrity', 'of 1', 3, ['philosophy'], 'philosophy/metrics-by-day.csv'),
  temperance: level('Temperance', 'of 1', 3, ['philosophy'], 'philosophy/metrics-by-day.csv'),
  justice: level('Justice', 'of 1', 3, ['philosophy'], 'philosophy/metrics-by-day.csv'),
  prudence: level('Prudence', 'of 1', 3, ['philosophy'], 'philosophy/metrics-by-day.csv'),
  courage: level('Courage', 'of 1', 3, ['philosophy'], 'philosophy/metrics-by-day.csv'),
  drift_score: level('Drift score', 'of 1', 3, ['philosophy'], 'philosophy/metrics-by-day.csv'),
} satisfies Record<string, Level>;

export type LevelName = keyof typeof LEVELS;

const EVENTS = 'academics/events-by-day.csv';

/** What is counted by day, and summed up over a period. */
export const FLOWS = {
  minted: level('Minted', 'MIC', 0, ['economy'], 'economy/minting-by-day.csv'),
  mints: level('Mints', '', 0, ['economy'], 'economy/minting-by-day.csv'),
  minting_off: level('Days that ended with minting off', '', 0, ['economy'], 'economy/mii-by-day.csv'),
  offline: level(
    'Sentinel-days with an outage',
    '',
    0,
    ['government', 'academics'],
    'academics/sentinels-by-day.csv',
  ),
  events: level('Events of the ledger', '', 0, ['government', 'academics'], EVENTS),
  attestations: level('Attestations', '', 0, ['academics'], EVENTS),
  alerts_raised: level('Alerts raised', '', 0, ['government'], EVENTS),
  alerts_cleared: level('Alerts cleared', '', 0, ['government'], EVENTS),
  audits: level('Audits', '', 0, ['government'], EVENTS),
  audits_scheduled: level('Audits scheduled', '', 0, ['government'], EVENTS),
  deliberations_opened: level('Deliberations opened', '', 0, ['philosophy'], EVENTS),
  deliberations_closed: level('Deliberations closed', '', 0, ['philosophy', 'academics'], EVENTS),
  decisions: level('Decisions recorded', '', 0, ['philosophy'], EVENTS),
  companions_attested: level('Companions attested', '', 0, ['philosophy'], EVENTS),
  companions_revoked: level('Companions revoked', '', 0, ['philosophy'], EVENTS),
} satisfies Record<string, Level>;

export type FlowName = keyof typeof FLOWS;

/** The flows that count events of a type. */
export const COUNTED: Readonly<Partial<Record<FlowName, string>>> = {
  attestations: 'attestation',
  alerts_raised: 'alert_raised',
  alerts_cleared: 'alert_cleared',
  audits: 'compliance_audited',
  audits_scheduled: 'audit_scheduled',
  deliberations_opened: 'deliberation_opened',
  deliberations_closed: 'deliberation_closed',
  decisions: 'decision_recorded',
  companions_attested: 'companion_attested',
  companions_revoked: 'companion_revoked',
};

function level(label: string, unit: string, places: number, areas: readonly Area[], path: string): Level {
  return { label, unit, places, areas, path };
}

/** Something that happened on a day, with the page about it. */
interface Dated {
  date: string;
  href: string;
}

export interface DecisionMade extends Dated {
  id: string;
  topic: string;
}

export interface DeliberationClosed extends Dated {
  id: string;
  topic: string;
  consensus: 'reached' | 'not_reached';
}

export interface MultiplierSet extends Dated {
  cathedral: string;
  multiplier: number;
  /** Null for the first one of the cathedral. */
  before: number | null;
  reason: string;
}

/** Days in a row on which a sentinel was offline: it had been silent for more than 24 hours. */
export interface Outage extends Dated {
  sentinel: string;
  /** The last of the days; `date` is the first. */
  to: string;
}

/** The last audit of a jurisdiction in a year. */
export interface Audit extends Dated {
  jurisdiction: string;
  status: string;
}

export interface OpenAlert extends Dated {
  id: string;
  severity: string;
  message: string;
}

export interface SchemaChange extends Dated {
  path: string;
  version: string;
  change: string;
}

/** Lists of what happened, oldest first. */
export interface Happened {
  decisions: readonly DecisionMade[];
  deliberations: readonly DeliberationClosed[];
  multipliers: readonly MultiplierSet[];
  outages: readonly Outage[];
  audits: readonly Audit[];
  /** Those that were open at the time of the release. */
  alerts: readonly OpenAlert[];
  schemas: readonly SchemaChange[];
}

export const YEAR_FORMAT = 'cathedral-year-of-days/1';

/**
 * The file `changes/<year>.json`: what is needed to compare any two days of a year, from the public files by day and the archives.
 * Lists of numbers have a value for each of `days`.
 */
export interface YearOfDays extends Happened {
  format: typeof YEAR_FORMAT;
  year: string;
  /**
   * The finished days with an event, oldest first. The last such day of an earlier year comes first, because its values hold until the first
   * day of this one.
   */
  days: readonly string[];
  /** Null: nothing to measure. */
  levels: Readonly<Record<LevelName, readonly (number | null)[]>>;
  flows: Readonly<Record<FlowName, readonly number[]>>;
  /** By path of a public file: the rows that it got for each day. */
  rows: Readonly<Record<string, readonly number[]>>;
}

/** `2026` → `changes/2026.json`. */
export function yearPath(year: string): string {
  return `changes/${year}.json`;
}
