/** One version of a file's schema, as its page tells of it. */
export interface SchemaChange {
  /** Of the software that brought it. */
  version: string;
  /** YYYY-MM-DD. */
  date: string;
  /** The first 16 hex digits of `schemaDigest`, which a test compares with the schema. */
  digest: string;
  /** What a reader's program has to know. */
  words: string;
}

/** Every schema that each file has had, newest first, by the file's path; files without fields are not here. */
export const SCHEMA_CHANGES: Readonly<Record<string, readonly SchemaChange[]>> = {
  'government/compliance-report.json': [
    unmeasured(
      'db82f38fb713c963',
      'A regime without an audit is not_audited, no longer under_review; so is compliance_status where none is worse.',
    ),
    first('1c4a4edb02ddb285'),
  ],
  'government/ledger/export': [first('a3f6f764ff6e6ffa')],
  'government/transparency.json': [
    unmeasured(
      '1c1990f924948737',
      'Null where nothing was measured: threshold without a supply, consensus_rate, average_coordination, scores of virtues. Statuses not_measured and not_audited.',
    ),
    first('ea5848285d155808'),
  ],
  'government/sentinel-status.json': [
    unmeasured(
      '9c836f1084707dfd',
      'The member system_health is not_measured without an active sentinel and an index that has a threshold.',
    ),
    first('bf2ad13f024fee5e'),
  ],
  'government/policy-impact.json': [first('887a6ce3cf870965')],
  'economy/supply': [first('c87d07c492e2d3ce')],
  'economy/mii': [
    unmeasured(
      'a730c48f0ef326e4',
      'The member threshold is null while the supply is 0, where its formula has no value; it was 1.',
    ),
    first('bf6407c65c9865c6'),
  ],
  'economy/coordination': [
    unmeasured(
      '50bbc0fa83832079',
      'The mean, average_coordination, is null, no longer 0, where no active sentinel has attested.',
    ),
    first('aad04a64325654fc'),
  ],
  'economy/roi': [
    unmeasured(
      'ddea192ba292069a',
      'The mean, average_roi, is null, no longer 0, where no sentinel of the cathedral has minted.',
    ),
    first('ce04919080f71696'),
  ],
  'economy/mic-history.csv': [first('c05e57d8b6235a22')],
  'economy/sentinel-roi.json': [
    unmeasured('48dcb6caa7dcb6f8', 'The member roi is null, no longer 0, without a mint.'),
    first('ab5a8ad80cb7d439'),
  ],
  'economy/cathedral-multipliers.csv': [first('49f9049724da89a1')],
  'economy/supply-by-day.csv': [first('1e0e4ddc3d571965')],
  'economy/minting-by-day.csv': [first('ed6ed048ee5ea14a')],
  'economy/mii-by-day.csv': [
    unmeasured('c7e6236c99002e8d', 'The member threshold is empty while the supply is 0; it was 1.'),
    first('e0e8f7f6a22185fd'),
  ],
  'academics/dataset.json': [first('e9934067baaf1a02')],
  'academics/mii-timeline.csv': [first('fcfaa5cffacfbbe8')],
  'academics/sentinel-coordination.json': [
    unmeasured(
      '15a7a3bb7a8403fd',
      'The rate, consensus_rate, is null, no longer 1, where no deliberation was closed; average_coordination null, no longer 0, where no active sentinel has attested.',
    ),
    first('d82dcaf1d4192787'),
  ],
  'academics/papers.json': [first('150aab2b6a705098')],
  'academics/sentinels-by-day.csv': [first('fb3b7ccc60f81b79')],
  'academics/events-by-day.csv': [first('176d95afb01e06a6')],
  'philosophy/deliberations.json': [first('893cce1678a7bc82')],
  'philosophy/deliberation-archive.json': [first('ac3581b7ff3789a7')],
  'philosophy/virtues.json': [
    unmeasured(
      '7ff847c4bce87c80',
      'A score is null, no longer 1 or 0, where there was nothing to measure, with the status not_measured; overall_compliance is the mean of the scores that there are.',
    ),
    first('1f7dc2bfa791f90c'),
  ],
  'philosophy/decisions.json': [first('89cc4e45816d5fe4')],
  'philosophy/drift-analysis.json': [
    unmeasured(
      '70da4457e0ae539a',
      'Null where there was nothing to measure, and before the first 30 days are over; status and direction are not_measured then.',
    ),
    first('d694068f5ad071e9'),
  ],
  'philosophy/metrics-by-day.csv': [
    unmeasured(
      '8be494bad3d5eec2',
      'A cell is empty, no longer 1 or 0, where there was nothing to measure; so is drift_score until the first 30 days are over.',
    ),
    first('9799e01e8f470a6f'),
  ],
  'philosophy/companions.json': [first('130028550086f011')],
  'diplomacy/treaty-framework.json': [first('64961276ecc8369b')],
  'diplomacy/standards.json': [first('9de22a81da89b608')],
  'diplomacy/protocols.json': [first('9ab41df2489e2dc6')],
};

function first(digest: string): SchemaChange {
  return { version: '0.1.0', date: '2026-11-21', digest, words: 'First published.' };
}

/** What was published as 1 or 0 although nothing had been measured. */
function unmeasured(digest: string, words: string): SchemaChange {
  return { version: '0.1.0', date: '2026-11-22', digest, words };
}
