import * as z from 'zod/mini';
import { yearText } from '../../model/period.ts';
import { supply as supplyOf } from '../../model/queries/supply.ts';
import * as report from '../../model/queries/transparency.ts';
import { annotated, described, listOf } from '../../words/described.ts';
import type { PrintedArtifact, View, YearlyArtifact } from '../artifact.ts';
import {
  asOf,
  averageCoordination,
  calendarDate,
  cathedral,
  coordination,
  count,
  dateTime,
  giScore,
  mic,
  mintingActive,
  multiplier,
  sentinelId,
  share,
  text,
  uptimeDays,
} from '../fields.ts';
import { formatJson } from '../format/json.ts';

export const transparencyPdf: PrintedArtifact = {
  kind: 'printed',
  path: 'government/transparency.pdf',
  area: 'government',
  title: 'Transparency report',
  description:
    'The report of the year so far, printed from its page; the final report of a closed year is transparency-<year>.pdf.',
  limits: [
    'The year so far is not a whole year: compare rates with earlier years, not totals.',
    'It rounds. The exact numbers are in transparency.json.',
  ],
  mediaType: 'application/pdf',
  restricted: false,
  refresh: 'release',
  page: '/government/transparency/',
  closedPage: (year) => `/government/transparency/${yearText(year)}/`,
  closedPath: (year) => `government/transparency-${yearText(year)}.pdf`,
};

const yearly = 'in the period';

const Month = z.strictObject({
  month: annotated(text('Calendar month, UTC'), { unit: 'YYYY-MM', example: '2026-01' }),
  minted: mic('MIC minted in the month'),
  burned: mic('MIC burned in the month'),
  total_supply: mic('All MIC ever minted, at the month’s last event'),
  mints: count('Mints in the month'),
  attestations: count('Attestations in the month'),
  mii_mean: z.nullable(share('Mean of the month’s readings of the integrity index; null without a reading')),
  mii_min: z.nullable(share('Lowest reading of the month; null without a reading')),
  threshold: z.nullable(
    share('MII threshold at the month’s last event; null while the supply was 0', 'see /economy/mii'),
  ),
});

const SentinelRow = z.strictObject({
  id: sentinelId,
  cathedral,
  status: text('Status at the end of the period, see /government/sentinel-status.json'),
  uptime_days: uptimeDays,
  gi_score: z.nullable(giScore),
  coordination: z.nullable(coordination),
  minted: mic(`MIC minted for the sentinel ${yearly}`),
});

const summarySchema = z.strictObject({
  total_supply: mic('All MIC ever minted, at the end of the period'),
  circulating: mic('MIC that can be spent', 'total_supply − locked − burned'),
  locked: mic('MIC locked in contracts'),
  burned: mic('MIC burned since genesis'),
  mii: z.nullable(share('Latest reading of the integrity index; null before the first')),
  threshold: z.nullable(
    share('Index below which minting pauses; null while the supply is 0', 'see /economy/mii'),
  ),
  minting_active: mintingActive,
  sentinel_count: count('Sentinels registered and not retired'),
  system_health: text('healthy, degraded, critical or not_measured, see /government/sentinel-status.json'),
  compliance_status: text('The worst of all regimes’ statuses, see /government/compliance-report.json'),
  deliberations_closed: count(
    `Deliberations closed ${yearly}; one that was opened again counts for each closing`,
  ),
  consensus_rate: z.nullable(
    share(
      'Share of the deliberations closed in the last 30 days that reached consensus; null where none was closed',
    ),
  ),
});

const operationsSchema = z.strictObject({
  events: count(`Ledger events ${yearly}`),
  attestations: count(`Attestations ${yearly}`),
  alerts_raised: count(`Alerts raised ${yearly}`),
  outages: z.nullable(
    count(
      'Times a sentinel came back after more than 24 h without a heartbeat; null before the ledger’s first heartbeat',
    ),
  ),
  apps: count('Applications registered'),
  packages: count('Packages registered'),
  average_coordination: averageCoordination,
  sentinels: z.array(SentinelRow),
});

const governanceSchema = z.strictObject({
  deliberations_opened: count(`Deliberations opened ${yearly}`),
  deliberations_closed: count(
    `Deliberations closed ${yearly}; one that was opened again counts for each closing`,
  ),
  consensus_reached: count('Of those, the ones that reached consensus'),
  decisions_recorded: count(`Decisions recorded ${yearly}, by id: one that was recorded again counts once`),
  recent_decisions: listOf('The twelve newest records of the period, newest first', {
    id: text('Decision, by its id in the ledger'),
    date: calendarDate('Day on which it was recorded, UTC'),
    topic: text('What was decided on'),
    outcome: text('What was decided'),
    replaced: described(
      z.boolean(),
      `Whether a later record ${yearly} has the same id and so corrects this one`,
    ),
  }),
  multipliers: described(
    z.record(z.string(), multiplier),
    'Multiplier at the end of the period, by cathedral',
  ),
  virtues: described(
    z.record(
      z.string(),
      z.strictObject({
        score: z.nullable(
          share(
            'Score over the last 30 days of the period; null where there was nothing to measure',
            'see /philosophy/virtues.json',
          ),
        ),
        status: text('compliant, at_risk, breached or not_measured'),
      }),
    ),
    'By virtue',
  ),
});

const financialSchema = z.strictObject({
  opening_supply: mic('All MIC ever minted before the period'),
  minted: mic(`MIC minted ${yearly}; the genesis allocation is not a mint`),
  burned: mic(`MIC burned ${yearly}`),
  closing_supply: mic('All MIC ever minted, at the end of the period'),
  by_cathedral: z.array(
    z.strictObject({
      cathedral,
      multiplier,
      mints: count(`Mints for its sentinels ${yearly}`),
      minted: mic(`MIC minted for its sentinels ${yearly}`),
    }),
  ),
  months: described(z.array(Month), 'Months with an event that minted, burned, attested or measured'),
});

const complianceSchema = z.strictObject({
  status: text('The worst of all regimes’ statuses: compliant, not_audited, under_review or non_compliant'),
  jurisdictions: described(
    z.record(
      z.string(),
      z.strictObject({
        status: text('The worst status of the jurisdiction’s regimes'),
        last_audit: z.nullable(calendarDate('Day of the last audit; null before the first')),
      }),
    ),
    'By jurisdiction',
  ),
});

const outlookSchema = z.strictObject({
  next_audits: listOf(
    'Scheduled audits that have not taken place, earliest first; those before the day of timestamp are overdue',
    { jurisdiction: text('Jurisdiction'), date: calendarDate('Day it is scheduled for') },
  ),
  open_deliberations: listOf('Deliberations that are open at the end of the period', {
    id: text('Deliberation, by its id in the ledger'),
    topic: text('What is deliberated'),
  }),
  projected_supply: z.nullable(
    mic(
      'Total supply 365 days later, if minting continues at the period’s mean daily rate; null where nothing was minted',
      'closing_supply + minted × 365 ÷ days of the period; of a day that has begun, the whole day counts',
    ),
  ),
  projected_threshold: z.nullable(
    share('MII threshold at the projected supply; null without one', 'see /economy/mii'),
  ),
});

/** Every number that the page and the PDF of the transparency report show. */
export const TransparencyReport = z.strictObject({
  timestamp: asOf,
  year: described(z.int(), 'Calendar year, UTC'),
  closed: described(z.boolean(), 'True: the year is over and the report is final'),
  period: z.strictObject({
    from: dateTime('The year’s first event'),
    to: dateTime('The last event that is counted'),
  }),
  summary: summarySchema,
  operations: operationsSchema,
  governance: governanceSchema,
  financial: financialSchema,
  compliance: complianceSchema,
  outlook: outlookSchema,
});
export type TransparencyReport = z.infer<typeof TransparencyReport>;

const path = 'government/transparency.json';

export const transparency = {
  kind: 'yearly',
  path,
  area: 'government',
  title: 'Transparency report, the numbers',
  description:
    'Every number of the transparency report, for the year so far; a closed year has a file of its own.',
  limits: [
    'The year so far is not a whole year, and its last month is not a whole month: compare rates, not totals.',
    'The projected supply continues the mean daily rate of the period. It is not a forecast.',
  ],
  // All but the opening of a cycle, and what companions attest.
  followsFrom: [
    'genesis',
    'sentinel_registered',
    'sentinel_retired',
    'heartbeat',
    'attestation',
    'mic_mint',
    'mic_burn',
    'mic_lock',
    'mic_unlock',
    'multiplier_set',
    'mii_reading',
    'deliberation_opened',
    'position_taken',
    'deliberation_closed',
    'decision_recorded',
    'compliance_audited',
    'audit_scheduled',
    'policy_projected',
    'alert_raised',
    'alert_cleared',
    'app_registered',
    'package_registered',
  ],
  mediaType: 'application/json',
  restricted: false,
  refresh: 'release',
  schema: TransparencyReport,
  /** Its lists repeat numbers from other files, which have tables of their own. */
  tables: [],
  render: (view, closed) => formatJson(TransparencyReport, transparencyReport(view, closed), path),
  closedPath: (year) => `government/transparency-${yearText(year)}.json`,
} satisfies YearlyArtifact;

function transparencyReport({ state }: View, closed: boolean) {
  const { asOf, year } = state;
  const { total: total_supply, ...supply } = supplyOf(state);
  return {
    timestamp: asOf,
    year: year.year,
    closed,
    period: { from: year.from, to: asOf },
    summary: { total_supply, ...supply, ...report.summary(state) },
    operations: report.operations(state),
    governance: report.governance(state),
    financial: report.finance(state),
    compliance: report.compliance(state),
    outlook: report.outlook(state),
  };
}
