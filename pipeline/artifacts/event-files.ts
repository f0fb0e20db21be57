import { EVENT_DATA, type KnownType } from '../ledger/events/event.ts';

/** Files that an event of any type changes, even of one without an effect: they list or count all events. */
export const FILES_OF_EVERY_EVENT: readonly string[] = [
  'government/ledger/export',
  'government/transparency.json',
  'academics/events-by-day.csv',
];

/**
 * The files whose numbers follow from the events of a type, by path, beyond the list and the counts of all events. A test computes them:
 * it compares the files of a ledger with those of the same ledger without what the events of the type say. An event that contradicts
 * others may change government/sentinel-status.json as well, whatever its type.
 */
export const FILES_BY_TYPE: Readonly<Record<KnownType, readonly string[]>> = {
  genesis: [
    'government/transparency.json',
    'government/sentinel-status.json',
    'economy/supply',
    'economy/mii',
    'economy/roi',
    'economy/sentinel-roi.json',
    'economy/cathedral-multipliers.csv',
    'economy/supply-by-day.csv',
    'economy/mii-by-day.csv',
    'diplomacy/charter.json',
  ],
  cycle_opened: [],
  sentinel_registered: [
    'government/transparency.json',
    'government/sentinel-status.json',
    'economy/coordination',
    'economy/roi',
    'economy/sentinel-roi.json',
    'academics/dataset.json',
    'academics/mii-timeline.csv',
    'academics/sentinel-coordination.json',
    'academics/sentinels-by-day.csv',
    'philosophy/virtues.json',
    'philosophy/drift-analysis.json',
    'philosophy/metrics-by-day.csv',
  ],
  sentinel_retired: [
    'government/transparency.json',
    'government/sentinel-status.json',
    'economy/coordination',
    'economy/roi',
    'academics/dataset.json',
    'academics/mii-timeline.csv',
    'academics/sentinel-coordination.json',
    'academics/sentinels-by-day.csv',
    'philosophy/virtues.json',
    'philosophy/drift-analysis.json',
    'philosophy/metrics-by-day.csv',
  ],
  heartbeat: [
    'government/transparency.json',
    'government/sentinel-status.json',
    'academics/sentinel-coordination.json',
    'academics/sentinels-by-day.csv',
  ],
  attestation: [
    'government/transparency.json',
    'government/sentinel-status.json',
    'economy/coordination',
    'economy/sentinel-roi.json',
    'academics/dataset.json',
    'academics/sentinel-coordination.json',
    'academics/sentinels-by-day.csv',
    'philosophy/drift-analysis.json',
    'philosophy/metrics-by-day.csv',
  ],
  mic_mint: [
    'government/transparency.json',
    'government/sentinel-status.json',
    'economy/supply',
    'economy/mii',
    'economy/roi',
    'economy/mic-history.csv',
    'economy/sentinel-roi.json',
    'economy/supply-by-day.csv',
    'economy/minting-by-day.csv',
    'economy/mii-by-day.csv',
    'philosophy/virtues.json',
    'philosophy/drift-analysis.json',
    'philosophy/metrics-by-day.csv',
  ],
  mic_burn: ['government/transparency.json', 'economy/supply', 'economy/supply-by-day.csv'],
  mic_lock: ['government/transparency.json', 'economy/supply', 'economy/supply-by-day.csv'],
  mic_unlock: ['government/transparency.json', 'economy/supply', 'economy/supply-by-day.csv'],
  multiplier_set: [
    'government/transparency.json',
    'economy/roi',
    'economy/sentinel-roi.json',
    'economy/cathedral-multipliers.csv',
  ],
  mii_reading: [
    'government/transparency.json',
    'government/sentinel-status.json',
    'economy/mii',
    'economy/mii-by-day.csv',
    'academics/dataset.json',
    'academics/mii-timeline.csv',
    'philosophy/virtues.json',
    'philosophy/drift-analysis.json',
    'philosophy/metrics-by-day.csv',
  ],
  deliberation_opened: [
    'government/transparency.json',
    'academics/sentinel-coordination.json',
    'philosophy/deliberations.json',
    'philosophy/deliberation-archive.json',
    'philosophy/virtues.json',
    'philosophy/drift-analysis.json',
    'philosophy/metrics-by-day.csv',
  ],
  position_taken: [
    'government/transparency.json',
    'philosophy/deliberations.json',
    'philosophy/deliberation-archive.json',
    'philosophy/virtues.json',
    'philosophy/drift-analysis.json',
    'philosophy/metrics-by-day.csv',
  ],
  deliberation_closed: [
    'government/transparency.json',
    'academics/sentinel-coordination.json',
    'philosophy/deliberations.json',
    'philosophy/deliberation-archive.json',
    'philosophy/virtues.json',
    'philosophy/drift-analysis.json',
    'philosophy/metrics-by-day.csv',
  ],
  decision_recorded: [
    'government/transparency.json',
    'philosophy/virtues.json',
    'philosophy/decisions.json',
    'philosophy/drift-analysis.json',
    'philosophy/metrics-by-day.csv',
  ],
  compliance_audited: [
    'government/compliance-report.json',
    'government/transparency.json',
    'philosophy/drift-analysis.json',
  ],
  audit_scheduled: ['government/compliance-report.json', 'government/transparency.json'],
  policy_projected: [
    'government/transparency.json',
    'government/policy-impact.json',
    'philosophy/virtues.json',
    'philosophy/drift-analysis.json',
    'philosophy/metrics-by-day.csv',
  ],
  alert_raised: [
    'government/transparency.json',
    'government/sentinel-status.json',
    'philosophy/drift-analysis.json',
  ],
  alert_cleared: [
    'government/transparency.json',
    'government/sentinel-status.json',
    'philosophy/drift-analysis.json',
  ],
  app_registered: ['government/transparency.json', 'academics/dataset.json'],
  package_registered: ['government/transparency.json', 'academics/dataset.json'],
  companion_attested: ['philosophy/companions.json'],
  companion_drift: ['philosophy/companions.json'],
  companion_revoked: ['philosophy/companions.json'],
};

/** The event types that a file's content follows from, in the order of the schemas. */
export function typesOf(path: string): KnownType[] {
  return (Object.keys(EVENT_DATA) as KnownType[]).filter((type) => FILES_BY_TYPE[type].includes(path));
}
