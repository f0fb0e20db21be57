import { papers as papersIndex } from '../../../pipeline/artifacts/academics/papers.ts';
import { sentinelCoordination } from '../../../pipeline/artifacts/academics/sentinel-coordination.ts';
import { sentinelsByDay } from '../../../pipeline/artifacts/academics/sentinels-by-day.ts';
import type { Area } from '../../../pipeline/artifacts/artifact.ts';
import { treatyFramework } from '../../../pipeline/artifacts/diplomacy/treaty-framework.ts';
import { mii } from '../../../pipeline/artifacts/economy/mii.ts';
import { miiByDay } from '../../../pipeline/artifacts/economy/mii-by-day.ts';
import { mintingByDay } from '../../../pipeline/artifacts/economy/minting-by-day.ts';
import { supply } from '../../../pipeline/artifacts/economy/supply.ts';
import { supplyByDay } from '../../../pipeline/artifacts/economy/supply-by-day.ts';
import { sentinelStatus } from '../../../pipeline/artifacts/government/sentinel-status.ts';
import { transparency } from '../../../pipeline/artifacts/government/transparency.ts';
import { driftAnalysis } from '../../../pipeline/artifacts/philosophy/drift-analysis.ts';
import { metricsByDay } from '../../../pipeline/artifacts/philosophy/metrics-by-day.ts';
import { virtues as virtuesFile } from '../../../pipeline/artifacts/philosophy/virtues.ts';
import { isOverdue } from '../../../pipeline/charts/drawing/days.ts';
import { meanOf } from '../../../pipeline/model/formulas.ts';
import { NO_HEARTBEAT_YET } from '../../../pipeline/model/sentinel-status.ts';
import { formatDay } from '../../../pipeline/words/moment.ts';
import { formatCount, formatNumber, NO_VALUE, NOT_MEASURED } from '../../../pipeline/words/number.ts';
import { capitalise, formatToken } from '../../../pipeline/words/phrase.ts';
import type { SiteRelease } from '../layout/release.ts';
import { daily, type FigureReader, measured, ofLastDay, stated } from './key-figure.ts';

/** As they are in the files. */
export const VIRTUES = ['integrity', 'temperance', 'justice', 'prudence', 'courage'] as const;

/** Of a text that the organisation has not published. It has no number, not even zero. */
const NOTHING = { value: NO_VALUE, note: 'nothing published yet' };

const obligations = stated(treatyFramework, ({ obligations, version }) => ({
  label: 'Obligations',
  ...(version === null
    ? NOTHING
    : {
        value: formatNumber(obligations.length),
        note: 'each with its proof: who owes what, by when, and how to verify it',
      }),
}));

const signatures = stated(treatyFramework, ({ parties, status }) => ({
  label: 'Signatures',
  ...(parties === null || status === null
    ? NOTHING
    : { value: formatNumber(parties.signatures.length), unit: 'deposited', note: formatToken(status) }),
}));

const virtues = measured({
  label: 'Five virtues',
  unit: 'mean, of 1',
  file: virtuesFile,
  now: ({ overall_compliance }) => overall_compliance,
  needs: ['mii_reading', 'mic_mint', 'deliberation_closed'],
  note: ({ virtues }) => {
    const all = Object.values(virtues);
    const measured = all.filter(({ score }) => score !== null);
    return measured.length < all.length
      ? `${formatNumber(measured.length)} of ${formatNumber(all.length)} measured, over the last 30 days`
      : 'over the last 30 days';
  },
  daily: daily(metricsByDay, ([row]) => meanOf(VIRTUES.map((name) => row![name]))),
  places: 3,
  better: 'higher',
});

const drift = measured({
  label: 'Drift score',
  unit: 'of 1',
  file: driftAnalysis,
  now: ({ drift_score }) => drift_score,
  needs: [],
  nothing: 'begins after the ledger’s first thirty days',
  note: ({ status }) => `mean change of the measures; status: ${formatToken(status)}`,
  daily: daily(metricsByDay, ([row]) => row!.drift_score),
  places: 3,
});

function closedWords(closed: number, reached: number): string {
  if (closed === 1) return reached === 1 ? 'with consensus' : 'without consensus';
  return `${reached === 0 ? 'none' : formatNumber(reached)} of them with consensus`;
}

const closed = stated(transparency, ({ year, governance: { deliberations_closed, consensus_reached } }) => ({
  label: 'Deliberations',
  value: formatNumber(deliberations_closed),
  unit: `closed in ${year}`,
  note: deliberations_closed === 0 ? 'none yet' : closedWords(deliberations_closed, consensus_reached),
  needs: deliberations_closed === 0 ? ['deliberation_closed'] : [],
}));

const decided = stated(transparency, ({ year, governance: { decisions_recorded } }) => ({
  label: 'Decisions',
  value: formatNumber(decisions_recorded),
  unit: `in ${year}`,
  note: decisions_recorded === 0 ? 'none yet' : 'each with its reasons',
  needs: decisions_recorded === 0 ? ['decision_recorded'] : [],
}));

const open = stated(transparency, ({ outlook: { open_deliberations } }) => ({
  label: 'Open now',
  value: formatNumber(open_deliberations.length),
  unit: open_deliberations.length === 1 ? 'deliberation' : 'deliberations',
  note: open_deliberations.length === 0 ? 'none is open' : 'not closed yet',
}));

const coordination = measured({
  label: 'Mean coordination',
  unit: 'points',
  file: sentinelCoordination,
  now: ({ average_coordination }) => average_coordination,
  needs: ['sentinel_registered', 'attestation'],
  note: () => 'of the active sentinels',
  daily: daily(sentinelsByDay, (rows) => meanOf(rows.map(({ coordination_score: score }) => score))),
  places: 1,
  better: 'higher',
});

const consensus = measured({
  label: 'Consensus rate',
  unit: 'of 1',
  file: sentinelCoordination,
  now: ({ consensus_rate }) => consensus_rate,
  needs: ['deliberation_closed'],
  note: () => 'deliberations closed in the last 30 days',
  daily: daily(metricsByDay, ([row]) => row!.consensus_rate),
  places: 3,
});

const papers = stated(papersIndex, ({ papers }) => ({
  label: 'Papers',
  ...(papers.length === 0 ? NOTHING : { value: formatNumber(papers.length), note: 'each with its status' }),
}));

const mic = (label: string, member: 'total_supply' | 'circulating' | 'burned', note: string): FigureReader =>
  measured({
    label,
    unit: 'MIC',
    file: supply,
    now: (now) => now[member],
    needs: [],
    note: () => note,
    daily: daily(supplyByDay, ([row]) => row![member]),
    places: 0,
  });

const totalSupply = mic('Total supply', 'total_supply', 'the allocation at genesis and all mints');
const circulating = mic('In circulation', 'circulating', 'neither locked nor burned');
const burned = mic('Burned', 'burned', 'permanently out of circulation');

/** A day without a mint has no row in the file of mints, and counts as 0. */
function mintedByDay(release: SiteRelease): ReadonlyMap<string, number> {
  const byDay = new Map(release.read(supplyByDay).map(({ date }) => [date, 0]));
  for (const { date, minted } of release.read(mintingByDay)) {
    const before = byDay.get(date);
    if (before !== undefined) byDay.set(date, before + minted);
  }
  return byDay;
}

const minted = ofLastDay({
  label: 'Minted in a day',
  unit: 'MIC',
  path: mintingByDay.path,
  note: 'on the last whole day',
  nothing: 'no day is over yet',
  needs: ['mic_mint'],
  daily: mintedByDay,
  places: 0,
});

const integrity = measured({
  label: 'Integrity index',
  unit: 'MII, from 0 to 1',
  file: mii,
  now: (index) => index.mii,
  needs: ['mii_reading'],
  note: ({ minting_active }) =>
    minting_active === null ? 'there is no threshold yet' : `minting is ${minting_active ? 'on' : 'off'}`,
  daily: daily(miiByDay, ([row]) => row!.mii),
  places: 4,
  better: 'higher',
});

const threshold = measured({
  label: 'Threshold',
  unit: 'MII, from 0 to 1',
  file: mii,
  now: ({ threshold }) => threshold,
  needs: ['genesis', 'mic_mint'],
  note: () => 'nothing is minted below it',
  daily: daily(miiByDay, ([row]) => row!.threshold),
  places: 4,
});

const operational = stated(sentinelStatus, ({ sentinels }) => {
  const active = sentinels.filter(({ status }) => status !== 'retired');
  const label = 'Operational';
  if (active.length === 0)
    return {
      label,
      value: NO_VALUE,
      note: 'no sentinel is active',
      needs: ['sentinel_registered'],
    };
  const heard = active.filter(({ status }) => status !== NO_HEARTBEAT_YET);
  if (heard.length === 0)
    return {
      label,
      value: NO_VALUE,
      unit: `of ${formatCount(active.length, 'sentinel')}`,
      note: 'there is no heartbeat yet',
      needs: ['heartbeat'],
    };
  const up = active.filter(({ status }) => status === 'operational');
  return {
    label,
    value: formatNumber(up.length),
    unit: `of ${formatCount(active.length, 'sentinel')}`,
    note: `heartbeat at most 12 hours old${heard.length < active.length ? `; ${formatNumber(active.length - heard.length)} without one yet` : ''}`,
  };
});

/** Sentinels that were up all day, on days after the first heartbeat of one that was not retired. */
const operationalByDay = daily(sentinelsByDay, (rows) => {
  const heard = rows.filter(({ status }) => status !== NO_HEARTBEAT_YET);
  return heard.length === 0 ? null : heard.filter(({ status }) => status === 'operational').length;
});

const upAllDay = ofLastDay({
  label: 'Up all day',
  unit: 'sentinels',
  path: sentinelsByDay.path,
  note: 'no silence over 12 hours on the last whole day',
  nothing: 'no whole day with a heartbeat yet',
  needs: ['sentinel_registered', 'heartbeat'],
  daily: operationalByDay,
  places: 0,
  better: 'higher',
});

const health = stated(sentinelStatus, ({ system_health, alerts }) => {
  const isMeasured = system_health !== 'not_measured';
  return {
    label: 'System health',
    value: isMeasured ? capitalise(formatToken(system_health)) : NO_VALUE,
    note: `${formatCount(alerts.length, 'open alert')}; ${isMeasured ? 'by heartbeats, index and alerts' : `${NOT_MEASURED} yet`}`,
    needs: isMeasured ? [] : ['heartbeat', 'mii_reading'],
  };
});

const compliance = stated(transparency, ({ compliance: { status, jurisdictions } }) => {
  const all = Object.values(jurisdictions);
  const audited = all.filter(({ last_audit }) => last_audit !== null);
  return {
    label: 'Compliance',
    value: capitalise(formatToken(status)),
    note:
      audited.length === all.length
        ? `the worst of ${formatCount(all.length, 'jurisdiction')}`
        : audited.length === 0
          ? `none of ${formatCount(all.length, 'jurisdiction')} audited yet`
          : `${formatNumber(audited.length)} of ${formatCount(all.length, 'jurisdiction')} audited`,
    needs: audited.length === 0 ? ['compliance_audited'] : [],
  };
});

const nextAudit = stated(transparency, ({ timestamp, outlook: { next_audits } }) => {
  const [next] = next_audits;
  if (!next)
    return {
      label: 'Next audit',
      value: 'None',
      note: 'none is scheduled',
      needs: ['audit_scheduled'],
    };
  const overdue = isOverdue(next.date, timestamp) ? ', overdue' : '';
  return {
    label: 'Next audit',
    // In a narrow column the year stands below the day.
    value: formatDay(next.date).slice(0, -' 2026'.length),
    unit: next.date.slice(0, '2026'.length),
    note: `${next.jurisdiction}${overdue}`,
  };
});

const recorded = stated(transparency, ({ year, operations: { events } }) => ({
  label: `Events in ${year}`,
  value: formatNumber(events),
  note: 'written to the ledger this year so far',
}));

/** The figures at the head of each portal. */
export const AREA_FIGURES: Readonly<Record<Area, readonly FigureReader[]>> = {
  government: [operational, upAllDay, health, compliance, nextAudit, recorded],
  economy: [totalSupply, circulating, burned, minted, integrity, threshold],
  academics: [integrity, coordination, consensus, upAllDay, papers],
  philosophy: [consensus, virtues, drift, closed, decided, open],
  diplomacy: [obligations, signatures],
};

/** The figure that stands for each portal on the home page. */
export const AREA_CARD_FIGURE: Readonly<Record<Area, FigureReader>> = {
  government: compliance,
  economy: minted,
  academics: papers,
  philosophy: decided,
  diplomacy: obligations,
};

/** The figures of the home page. */
export const HOME_FIGURES: readonly FigureReader[] = [
  totalSupply,
  integrity,
  operational,
  coordination,
  consensus,
  virtues,
];
