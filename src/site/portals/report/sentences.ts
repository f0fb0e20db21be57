import type { TransparencyReport } from '../../../../pipeline/artifacts/government/transparency.ts';
import { formatDay, formatMoment, formatPeriod } from '../../../../pipeline/words/moment.ts';
import { formatCount, formatIndex, formatMic, formatNumber } from '../../../../pipeline/words/number.ts';
import { capitalise, formatList, formatToken } from '../../../../pipeline/words/phrase.ts';

/**
 * The paragraphs of the transparency report. Every figure is a member of the report's file; nothing is computed here. The
 * past tense fits both a closed year and the current one.
 */
type Paragraphs = (report: TransparencyReport) => string[];

const executiveSummary: Paragraphs = ({ period, summary, financial, governance }) => [
  `${capitalise(formatPeriod(period))} the ledger minted ${flow(financial.minted)} and burned ` +
    `${flow(financial.burned)}. At the end of the period total supply stood at ` +
    `${formatMic(summary.total_supply)}: ${formatMic(summary.circulating)} in circulation, ` +
    `${formatMic(summary.locked)} locked in contracts and ${formatMic(summary.burned)} burned since genesis.`,
  integrity(summary),
  `${capitalise(formatCount(summary.sentinel_count, 'sentinel was', 'sentinels were'))} active. ` +
    `The health of the system was rated “${formatToken(summary.system_health)}”, and the compliance status ` +
    `“${formatToken(summary.compliance_status)}”.`,
  `${deliberations(governance)} The ledger records ${formatCount(governance.decisions_recorded, 'decision')} of the period.`,
];

/** An amount minted or burned in the period. */
function flow(amount: number): string {
  return amount === 0 ? 'no MIC' : formatMic(amount);
}

function integrity({ mii, threshold, minting_active }: TransparencyReport['summary']): string {
  const bar =
    threshold === null
      ? 'without a supply there was no threshold'
      : `its threshold was ${formatIndex(threshold)}`;
  if (mii === null) return `The ledger holds no reading of the integrity index (MII) yet, and ${bar}.`;
  if (minting_active === null) return `The integrity index (MII) stood at ${formatIndex(mii)}, and ${bar}.`;
  return `The integrity index (MII) stood at ${formatIndex(mii)}, and ${bar}, so minting was ${minting_active ? 'active' : 'paused'}.`;
}

function deliberations({
  deliberations_opened,
  deliberations_closed,
  consensus_reached,
}: TransparencyReport['governance']): string {
  const opened = `In the period ${formatCount(deliberations_opened, 'deliberation was', 'deliberations were')} opened`;
  if (deliberations_closed === 0) return `${opened} and none was closed.`;
  if (deliberations_closed === 1)
    return `${opened} and 1 closed, ${consensus_reached === 1 ? 'with' : 'without'} consensus.`;
  return `${opened} and ${formatNumber(deliberations_closed)} closed, ${consensus_reached === 0 ? 'none' : formatNumber(consensus_reached)} of them with consensus.`;
}

const operationsOverview: Paragraphs = ({ operations, period }) => [
  `The ledger recorded ${formatCount(operations.events, 'event')} in the period, among them ` +
    `${formatCount(operations.attestations, 'attestation')}. ` +
    `${capitalise(formatCount(operations.alerts_raised, 'alert was', 'alerts were'))} raised, and ` +
    (operations.outages === null
      ? 'no sentinel has sent a heartbeat yet, so outages were not measured.'
      : `${formatCount(operations.outages, 'outage')} ended: an outage is more than 24 hours without a heartbeat.`),
  `At the end of the period ${formatCount(operations.apps, 'app')} and ${formatCount(operations.packages, 'package')} ` +
    `were registered${coordination(operations)}.`,
  ...(operations.sentinels.length > 0
    ? [
        `The table gives each sentinel as it stood on ${formatMoment(period.to)}, with what it minted in the year.`,
      ]
    : []),
];

function coordination({ average_coordination: mean }: TransparencyReport['operations']): string {
  return mean === null
    ? ', and no active sentinel had attested a coordination score'
    : `, and the mean coordination score of the active sentinels was ${formatNumber(mean, 1)} points; a score of 50 earns half of the highest reward`;
}

const governanceStructure: Paragraphs = ({ governance }) => [
  `Sentinels deliberate, take positions with their reasons, and close a deliberation with or without consensus. ${deliberations(governance)}`,
  'Each cathedral has a multiplier between 1.0 and 2.0 that scales the rewards of its sentinels. A change of a ' +
    'multiplier is an event of the ledger with its reason. At the end of the period the multipliers were ' +
    `${formatList(Object.entries(governance.multipliers).map(([name, value]) => `${formatFactor(value)} for ${name}`))}.`,
];

/** A multiplier: `1.50`. */
export function formatFactor(value: number): string {
  return formatNumber(value, { min: 2, max: 6 });
}

const financialTransparency: Paragraphs = ({ financial }) => [
  `The period opened with a total supply of ${formatMic(financial.opening_supply)} and closed with ` +
    `${formatMic(financial.closing_supply)}. Total supply counts everything ever minted; burning and locking lower ` +
    'what circulates, not the total.',
];

const complianceStatus: Paragraphs = ({ compliance }) => {
  const unaudited = Object.entries(compliance.jurisdictions)
    .filter(([, { last_audit }]) => last_audit === null)
    .map(([name]) => name);
  return [
    unaudited.length === Object.keys(compliance.jurisdictions).length
      ? 'The ledger records no audit yet; until there is one, each status is not audited.'
      : `The overall status was “${formatToken(compliance.status)}”, the least favourable of the statuses below.`,
    ...(unaudited.length > 0 && unaudited.length < Object.keys(compliance.jurisdictions).length
      ? [
          `The ledger records no audit yet for ${formatList(unaudited)}; until there is one, the status is not audited.`,
        ]
      : []),
  ];
};

const futureOutlook: Paragraphs = ({ outlook, period }) => [
  outlook.projected_supply === null || outlook.projected_threshold === null
    ? 'No MIC was minted in the period, so no growth is projected.'
    : `If minting goes on at the year’s mean daily rate, total supply will reach ${formatMic(outlook.projected_supply)} ` +
      `365 days after ${formatDay(period.to)}, and the threshold of the integrity index will then be ` +
      `${formatIndex(outlook.projected_threshold)}. This is arithmetic, not a forecast: minting stops while the index is below its threshold.`,
  ...(outlook.next_audits.length === 0 ? ['No audit is scheduled in the ledger.'] : []),
  ...(outlook.open_deliberations.length === 0 ? ['No deliberation was open at the end of the period.'] : []),
];

/** The sections of the transparency report, named and ordered as the specification has them. */
export const SECTIONS = [
  { id: 'executive-summary', title: 'Executive summary', paragraphs: executiveSummary },
  { id: 'system-operations', title: 'System operations overview', paragraphs: operationsOverview },
  { id: 'governance', title: 'Governance structure', paragraphs: governanceStructure },
  { id: 'finance', title: 'Financial transparency', paragraphs: financialTransparency },
  { id: 'compliance', title: 'Compliance status', paragraphs: complianceStatus },
  { id: 'outlook', title: 'Future outlook', paragraphs: futureOutlook },
] as const;
