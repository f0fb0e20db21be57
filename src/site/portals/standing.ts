import { papers as papersIndex } from '../../../pipeline/artifacts/academics/papers.ts';
import { sentinelCoordination } from '../../../pipeline/artifacts/academics/sentinel-coordination.ts';
import type { Area } from '../../../pipeline/artifacts/artifact.ts';
import { treatyFramework } from '../../../pipeline/artifacts/diplomacy/treaty-framework.ts';
import { mii as miiFile } from '../../../pipeline/artifacts/economy/mii.ts';
import { supply } from '../../../pipeline/artifacts/economy/supply.ts';
import { sentinelStatus } from '../../../pipeline/artifacts/government/sentinel-status.ts';
import { transparency } from '../../../pipeline/artifacts/government/transparency.ts';
import { driftAnalysis } from '../../../pipeline/artifacts/philosophy/drift-analysis.ts';
import { virtues as virtuesFile } from '../../../pipeline/artifacts/philosophy/virtues.ts';
import { isOverdue } from '../../../pipeline/charts/drawing/days.ts';
import { NO_HEARTBEAT_YET } from '../../../pipeline/model/sentinel-status.ts';
import { formatDay } from '../../../pipeline/words/moment.ts';
import {
  formatCount,
  formatIndex,
  formatMic,
  formatNumber,
  formatScore,
} from '../../../pipeline/words/number.ts';
import { formatList, formatToken } from '../../../pipeline/words/phrase.ts';
import type { SiteRelease } from '../layout/release.ts';

/** The current state of each area in a few sentences, from its files. */
export const AREA_SUMMARY: Readonly<Record<Area, (release: SiteRelease) => string>> = {
  government(release) {
    const { sentinels, system_health } = release.read(sentinelStatus);
    const { compliance, outlook } = release.read(transparency);
    const active = sentinels.filter(({ status }) => status !== 'retired');
    const health =
      system_health === 'not_measured'
        ? 'the system’s health has not been measured yet'
        : `the system is ${formatToken(system_health)}`;
    const isAudited = Object.values(compliance.jurisdictions).some(({ last_audit }) => last_audit !== null);
    const audits =
      compliance.status === 'not_audited'
        ? `${isAudited ? 'Not every' : 'No'} regime has been audited yet.`
        : `The worst audit result is “${formatToken(compliance.status)}”.`;
    return `${operating(active)}, and ${health}. ${audits} ${nextAuditWords(outlook.next_audits[0], release.draft.timestamp)}`;
  },
  economy(release) {
    const { total_supply, circulating } = release.read(supply);
    const amounts =
      total_supply === 0
        ? 'There are no MIC yet.'
        : total_supply === circulating
          ? `There are ${formatMic(total_supply)}, all in circulation.`
          : `There are ${formatMic(total_supply)}, of which ${formatNumber(circulating)} circulate.`;
    return `${amounts} ${gate(release)}`;
  },
  academics(release) {
    const coordination = release.read(sentinelCoordination);
    const { average_coordination, consensus_rate } = coordination;
    const { papers } = release.read(papersIndex);
    const mean =
      average_coordination === null
        ? 'No active sentinel has attested a coordination score yet'
        : `Mean coordination is ${formatNumber(average_coordination, 1)} points`;
    const rate =
      consensus_rate === null
        ? 'no deliberation closed in the last thirty days'
        : `the consensus rate of the last thirty days is ${formatScore(consensus_rate)}`;
    const { size } = release.draft.ledger;
    const listed =
      papers.length === 0
        ? 'no paper has been published yet'
        : `${formatCount(papers.length, 'paper')} ${papers.length === 1 ? 'is' : 'are'} listed`;
    return `${formatCount(size, 'event')} ${size === 1 ? 'is' : 'are'} on record, and ${listed}. ${mean}, and ${rate}.`;
  },
  philosophy(release) {
    const { virtues, overall_compliance } = release.read(virtuesFile);
    const { drift_score, status } = release.read(driftAnalysis);
    return `${virtueStanding(Object.entries(virtues), overall_compliance)} ${
      drift_score === null
        ? 'There is no drift score yet. It compares the last thirty days with the ledger’s first thirty.'
        : `The drift score is ${formatScore(drift_score)}, which is classified as “${formatToken(status)}”.`
    }`;
  },
  diplomacy: (release) =>
    release.read(treatyFramework).parties?.statement ?? 'No treaty framework has been published yet.',
};

function operating(all: readonly { id: string; status: string }[]): string {
  const active = all.filter(({ status }) => status !== NO_HEARTBEAT_YET);
  const down = active.filter(({ status }) => status !== 'operational').map(({ id }) => id);
  if (all.length === 0) return 'No sentinel is active';
  const silent = all.length - active.length;
  const have = silent === 1 ? 'has' : 'have';
  if (active.length === 0)
    return `${silent === 1 ? 'One sentinel is' : `${formatNumber(silent)} sentinels are`} registered but ${have} sent no heartbeat yet`;
  if (silent > 0)
    return `Of ${formatNumber(all.length)} sentinels, ${formatNumber(active.length - down.length)} ${active.length - down.length === 1 ? 'is' : 'are'} operational and ${formatNumber(silent)} ${have} sent no heartbeat yet`;
  if (active.length === 1) return `The one sentinel is ${formatToken(active[0]!.status)}`;
  if (down.length === active.length)
    return `None of the ${formatNumber(active.length)} sentinels is operational`;
  if (down.length === 0) return `All ${formatNumber(active.length)} sentinels are operational`;
  return `${formatNumber(active.length - down.length)} of ${formatNumber(active.length)} sentinels are operational, all but ${formatList(down)}`;
}

function nextAuditWords(audit: { date: string; jurisdiction: string } | undefined, asOf: string): string {
  if (!audit) return 'No audit is scheduled.';
  const day = formatDay(audit.date);
  return isOverdue(audit.date, asOf)
    ? `The ${audit.jurisdiction} audit is overdue: it was scheduled for ${day}.`
    : `The next audit (${audit.jurisdiction}) is on ${day}.`;
}

/** Judges measured virtues only. */
function virtueStanding(virtues: readonly [string, { status: string }][], overall: number | null): string {
  if (overall === null) return 'None of the five virtues has been measured yet.';
  const isMeasured = ({ status }: { status: string }) => status !== 'not_measured';
  const unmeasured = virtues.filter(([, virtue]) => !isMeasured(virtue)).map(([name]) => name);
  const [only] = virtues.filter(([, virtue]) => isMeasured(virtue));
  if (only && unmeasured.length === virtues.length - 1)
    return `Of the five virtues only ${only[0]} has been measured: ${formatScore(overall)} of 1, ${formatToken(only[1].status)}.`;
  const short = virtues.filter(([, { status }]) => status === 'at_risk' || status === 'breached');
  const named = short.map(([name, { status }]) => `${name} (${formatToken(status)})`);
  const which = unmeasured.length === 0 ? 'The five virtues have' : `The measured virtues have`;
  const lacking =
    short.length === 0 ? 'all in good standing' : `all in good standing except ${formatList(named)}`;
  const missing = unmeasured.length === 0 ? '' : ` There were no data to measure ${formatList(unmeasured)}.`;
  return `${which} a mean of ${formatScore(overall)} of 1, ${lacking}.${missing}`;
}

function gate(release: SiteRelease): string {
  const { mii, threshold, minting_active } = release.read(miiFile);
  if (mii === null) return 'The integrity index has no reading yet.';
  if (threshold === null)
    return `The integrity index is ${formatIndex(mii)}. Without a supply it has no threshold.`;
  const minting = `minting is ${minting_active ? 'on' : 'off'}`;
  const side = mii >= threshold ? 'at or above' : 'below';
  return `The integrity index is ${formatIndex(mii)}, ${side} its threshold of ${formatIndex(threshold)}, so ${minting}.`;
}
