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
  'government/compliance-report.json': [first('1c4a4edb02ddb285')],
  'government/ledger/export': [first('a3f6f764ff6e6ffa')],
  'government/transparency.json': [first('ea5848285d155808')],
  'government/sentinel-status.json': [first('bf2ad13f024fee5e')],
  'government/policy-impact.json': [first('887a6ce3cf870965')],
  'economy/supply': [first('c87d07c492e2d3ce')],
  'economy/mii': [first('bf6407c65c9865c6')],
  'economy/coordination': [first('aad04a64325654fc')],
  'economy/roi': [first('ce04919080f71696')],
  'economy/mic-history.csv': [first('c05e57d8b6235a22')],
  'economy/sentinel-roi.json': [first('ab5a8ad80cb7d439')],
  'economy/cathedral-multipliers.csv': [first('49f9049724da89a1')],
  'economy/supply-by-day.csv': [first('1e0e4ddc3d571965')],
  'economy/minting-by-day.csv': [first('ed6ed048ee5ea14a')],
  'economy/mii-by-day.csv': [first('e0e8f7f6a22185fd')],
  'academics/dataset.json': [first('e9934067baaf1a02')],
  'academics/mii-timeline.csv': [first('fcfaa5cffacfbbe8')],
  'academics/sentinel-coordination.json': [first('d82dcaf1d4192787')],
  'academics/papers.json': [first('150aab2b6a705098')],
  'academics/sentinels-by-day.csv': [first('fb3b7ccc60f81b79')],
  'academics/events-by-day.csv': [first('176d95afb01e06a6')],
  'philosophy/deliberations.json': [first('893cce1678a7bc82')],
  'philosophy/deliberation-archive.json': [first('ac3581b7ff3789a7')],
  'philosophy/virtues.json': [first('1f7dc2bfa791f90c')],
  'philosophy/decisions.json': [first('89cc4e45816d5fe4')],
  'philosophy/drift-analysis.json': [first('d694068f5ad071e9')],
  'philosophy/metrics-by-day.csv': [first('9799e01e8f470a6f')],
  'philosophy/companions.json': [first('130028550086f011')],
  'diplomacy/treaty-framework.json': [first('64961276ecc8369b')],
  'diplomacy/standards.json': [first('9de22a81da89b608')],
  'diplomacy/protocols.json': [first('9ab41df2489e2dc6')],
};

function first(digest: string): SchemaChange {
  return { version: '0.1.0', date: '2026-11-21', digest, words: 'First published.' };
}
