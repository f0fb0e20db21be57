import { z } from 'zod';
import { formatAmount } from '../../model/amount.ts';
import * as report from '../../model/queries/transparency.ts';
import type { State } from '../../model/state.ts';
import type { View, YearlyArtifact } from '../artifact.ts';
import { decimal, formatJson } from '../format/json.ts';

const Mic = z.number().meta({ unit: 'MIC' });
const Share = z.number().min(0).max(1);
const Count = z.int().min(0);

const Month = z.strictObject({
  month: z.string().meta({ description: 'Calendar month, UTC', example: '2026-01' }),
  minted: Mic,
  burned: Mic,
  total_supply: Mic.meta({ description: 'At the month’s end' }),
  mints: Count,
  attestations: Count,
  mii_mean: Share.nullable().meta({ description: 'Mean of the month’s readings; null without a reading' }),
  mii_min: Share.nullable(),
  threshold: Share.meta({ description: 'At the month’s end' }),
});

const SentinelRow = z.strictObject({
  id: z.string(),
  cathedral: z.string(),
  status: z.string(),
  uptime_days: z.int().min(0),
  gi_score: Share.nullable(),
  coordination: z.number().nullable(),
  minted: Mic.meta({ description: 'In the year' }),
});

/** The numbers behind the transparency report: everything that the page and the PDF show is in this file. */
export const TransparencyReport = z.strictObject({
  timestamp: z.string().meta({ description: 'Time of the last event that the report counts' }),
  year: z.int(),
  closed: z.boolean().meta({ description: 'True: the year is over and the report is final' }),
  period: z.strictObject({ from: z.string(), to: z.string() }),
  summary: z.strictObject({
    total_supply: Mic,
    circulating: Mic,
    locked: Mic,
    burned: Mic,
    mii: Share.nullable(),
    threshold: Share,
    minting_active: z.boolean(),
    sentinel_count: Count,
    system_health: z.string(),
    compliance_status: z.string(),
    deliberations_closed: Count,
    consensus_rate: Share,
  }),
  operations: z.strictObject({
    events: Count.meta({ description: 'Ledger events in the year' }),
    attestations: Count,
    alerts_raised: Count,
    outages: Count.meta({
      description: 'Times a sentinel came back after more than 24 h without a heartbeat',
    }),
    apps: Count,
    packages: Count,
    average_coordination: z.number(),
    sentinels: z.array(SentinelRow),
  }),
  governance: z.strictObject({
    deliberations_opened: Count,
    deliberations_closed: Count,
    consensus_reached: Count,
    decisions_recorded: Count,
    recent_decisions: z.array(
      z.strictObject({ id: z.string(), date: z.string(), topic: z.string(), outcome: z.string() }),
    ),
    multipliers: z.record(z.string(), z.number()),
    virtues: z.record(z.string(), z.strictObject({ score: Share, status: z.string() })),
  }),
  financial: z.strictObject({
    opening_supply: Mic,
    minted: Mic,
    burned: Mic,
    closing_supply: Mic,
    by_cathedral: z.array(
      z.strictObject({ cathedral: z.string(), multiplier: z.number(), mints: Count, minted: Mic }),
    ),
    months: z.array(Month),
  }),
  compliance: z.strictObject({
    status: z.string(),
    jurisdictions: z.record(
      z.string(),
      z.strictObject({ status: z.string(), last_audit: z.iso.date().nullable() }),
    ),
  }),
  outlook: z.strictObject({
    next_audits: z.array(z.strictObject({ jurisdiction: z.string(), date: z.iso.date() })),
    open_deliberations: z.array(z.strictObject({ id: z.string(), topic: z.string() })),
    projected_supply: Mic.meta({
      description: 'Total supply 365 days on, if minting goes on at the year’s mean daily rate',
    }),
    projected_threshold: Share.meta({ description: 'The MII threshold at the projected supply' }),
  }),
});
export type TransparencyReport = z.infer<typeof TransparencyReport>;

const path = 'government/transparency.json';

export const transparency: YearlyArtifact = {
  kind: 'yearly',
  path,
  area: 'government',
  title: 'Transparency report, the numbers',
  description:
    'Every number of the transparency report, for the year so far; a closed year has a file of its own.',
  mediaType: 'application/json',
  restricted: false,
  refresh: 'release',
  schema: TransparencyReport,
  render: (view, closed) => formatJson(TransparencyReport, transparencyReport(view, closed), path),
  closedPath: (year) => `government/transparency-${year}.json`,
};

function transparencyReport({ state }: View, closed: boolean) {
  const { asOf, year } = state;
  return {
    timestamp: asOf,
    year: year.year,
    closed,
    period: { from: year.from, to: asOf },
    summary: summary(state),
    operations: operations(state),
    governance: report.governance(state),
    financial: financial(state),
    compliance: report.compliance(state),
    outlook: outlook(state),
  };
}

const exact = (micro: bigint) => decimal(formatAmount(micro));

function summary(state: State) {
  const { supply, ...rest } = report.summary(state);
  return {
    total_supply: exact(supply.total),
    circulating: exact(supply.circulating),
    locked: exact(supply.locked),
    burned: exact(supply.burned),
    ...rest,
  };
}

function operations(state: State) {
  const { sentinels, ...rest } = report.operations(state);
  return { ...rest, sentinels: sentinels.map(({ minted, ...row }) => ({ ...row, minted: exact(minted) })) };
}

function financial(state: State) {
  const { opening_supply, minted, burned, closing_supply, by_cathedral, months } = report.finance(state);
  return {
    opening_supply: exact(opening_supply),
    minted: exact(minted),
    burned: exact(burned),
    closing_supply: exact(closing_supply),
    by_cathedral: by_cathedral.map(({ minted, ...row }) => ({ ...row, minted: exact(minted) })),
    months: months.map(({ minted, burned, total_supply, ...row }) => ({
      ...row,
      minted: exact(minted),
      burned: exact(burned),
      total_supply: exact(total_supply),
    })),
  };
}

function outlook(state: State) {
  const { projected_supply, ...rest } = report.outlook(state);
  return { ...rest, projected_supply: exact(projected_supply) };
}
