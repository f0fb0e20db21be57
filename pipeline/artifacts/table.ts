import { citations } from './academics/citations.ts';
import { dataset } from './academics/dataset.ts';
import { eventsByDay } from './academics/events-by-day.ts';
import { miiTimeline } from './academics/mii-timeline.ts';
import { papers } from './academics/papers.ts';
import { sentinelCoordination } from './academics/sentinel-coordination.ts';
import { sentinelsByDay } from './academics/sentinels-by-day.ts';
import type { Artifact } from './artifact.ts';
import { charter } from './diplomacy/charter.ts';
import { protocols } from './diplomacy/protocols.ts';
import { standards } from './diplomacy/standards.ts';
import { treatyFramework } from './diplomacy/treaty-framework.ts';
import { cathedralMultipliers } from './economy/cathedral-multipliers.ts';
import { coordination } from './economy/coordination.ts';
import { micHistory } from './economy/mic-history.ts';
import { mii } from './economy/mii.ts';
import { miiByDay } from './economy/mii-by-day.ts';
import { mintingByDay } from './economy/minting-by-day.ts';
import { roi } from './economy/roi.ts';
import { sentinelRoi } from './economy/sentinel-roi.ts';
import { supply } from './economy/supply.ts';
import { supplyByDay } from './economy/supply-by-day.ts';
import { complianceReport } from './government/compliance-report.ts';
import { ledgerExport } from './government/ledger-export.ts';
import { policyImpact } from './government/policy-impact.ts';
import { sentinelStatus } from './government/sentinel-status.ts';
import { transparency, transparencyPdf } from './government/transparency.ts';
import { companions } from './philosophy/companions.ts';
import { decisions } from './philosophy/decisions.ts';
import { deliberationArchive } from './philosophy/deliberation-archive.ts';
import { deliberations } from './philosophy/deliberations.ts';
import { driftAnalysis } from './philosophy/drift-analysis.ts';
import { metricsByDay } from './philosophy/metrics-by-day.ts';
import { virtues } from './philosophy/virtues.ts';

/** Every file that the service publishes. Paths, schemas, pages, citations and tests are derived from this table. */
export const ARTIFACTS: readonly Artifact[] = [
  complianceReport,
  ledgerExport,
  transparencyPdf,
  transparency,
  sentinelStatus,
  policyImpact,
  supply,
  mii,
  coordination,
  roi,
  micHistory,
  sentinelRoi,
  cathedralMultipliers,
  supplyByDay,
  mintingByDay,
  miiByDay,
  dataset,
  miiTimeline,
  sentinelCoordination,
  papers,
  citations(() => ARTIFACTS),
  sentinelsByDay,
  eventsByDay,
  deliberations,
  deliberationArchive,
  virtues,
  decisions,
  driftAnalysis,
  metricsByDay,
  companions,
  treatyFramework,
  standards,
  protocols,
  charter,
];

export const DOCUMENTS = ofKind('document');
export const HISTORIES = ofKind('history');
export const YEARLY = ofKind('yearly');
export const PRINTED = ofKind('printed');

/** The files that a running service answers from the newest event. A release holds them as of its own time. */
export const LIVE_ARTIFACTS = DOCUMENTS.filter(({ refresh }) => refresh === 'real-time');
/** `economy/supply` and the like, in the order of the table. */
export const LIVE_PATHS: readonly string[] = LIVE_ARTIFACTS.map(({ path }) => path);

function ofKind<K extends Artifact['kind']>(kind: K): Extract<Artifact, { kind: K }>[] {
  return ARTIFACTS.filter((artifact): artifact is Extract<Artifact, { kind: K }> => artifact.kind === kind);
}
