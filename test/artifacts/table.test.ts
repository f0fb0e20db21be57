import { describe, expect, test } from 'vitest';
import { fieldsOf } from '../../pipeline/artifacts/data-dictionary.ts';
import { ARTIFACTS } from '../../pipeline/artifacts/table.ts';

/** The files that were asked for, each with its fields or columns in order; what stands in brackets repeats. */
const SPECIFIED: Record<string, string[]> = {
  'government/compliance-report.json': ['timestamp', 'compliance_status', 'jurisdictions', 'next_audit'],
  'government/ledger/export': ['timestamp', 'event_type', 'agent', 'data', 'attestation_hash'],
  'government/transparency.pdf': [],
  'government/sentinel-status.json': ['timestamp', 'sentinels', 'system_health', 'alerts'],
  'government/policy-impact.json': ['timestamp', 'projections'],
  'economy/supply': ['timestamp', 'total_supply', 'circulating', 'locked', 'burned'],
  'economy/mii': ['timestamp', 'mii', 'threshold', 'minting_active', 'cycle'],
  'economy/coordination': ['timestamp', 'average_coordination', 'sentinels', 'formula'],
  'economy/roi': ['timestamp', 'by_cathedral'],
  'economy/mic-history.csv': ['timestamp', 'cycle', 'sentinel', 'amount', 'cathedral', 'coordination_score'],
  'economy/sentinel-roi.json': ['timestamp', 'sentinels'],
  'economy/cathedral-multipliers.csv': ['timestamp', 'cycle', 'cathedral', 'multiplier', 'reason'],
  'academics/dataset.json': ['cycle', 'mii_baseline', 'sentinels', 'apps', 'packages'],
  'academics/mii-timeline.csv': ['timestamp', 'mii_score', 'cycle', 'sentinel_count'],
  'academics/sentinel-coordination.json': [
    'timestamp',
    'sentinels',
    'average_coordination',
    'consensus_rate',
  ],
  'academics/papers.json': ['papers'],
  'academics/citations.bib': [],
  'philosophy/deliberations.json': ['timestamp', 'deliberations'],
  'philosophy/virtues.json': ['timestamp', 'virtues', 'overall_compliance'],
  'philosophy/decisions.json': ['timestamp', 'decisions'],
  'philosophy/drift-analysis.json': ['timestamp', 'drift_score', 'status', 'analysis', 'trends', 'alerts'],
};
const RESTRICTED = [
  'government/compliance-report.json',
  'government/ledger/export',
  'government/policy-impact.json',
];

describe('the table of files', () => {
  test.each(Object.entries(SPECIFIED))('%s has its fields in order', (path, fields) => {
    const artifact = ARTIFACTS.find((one) => one.path === path)!;
    const top = fieldsOf(artifact)
      .map(({ name }) => name)
      .filter((name) => !/[.[]/.test(name));
    expect(top).toEqual(fields);
  });

  test('has the three diplomacy documents', () => {
    const paths = ARTIFACTS.filter(({ area }) => area === 'diplomacy').map(({ path }) => path);
    expect(paths).toEqual([
      'diplomacy/treaty-framework.json',
      'diplomacy/standards.json',
      'diplomacy/protocols.json',
    ]);
  });

  test('restricts exactly the three files of the government tier', () => {
    expect(ARTIFACTS.filter(({ restricted }) => restricted).map(({ path }) => path)).toEqual(RESTRICTED);
  });

  test('has each path once, below the prefix of its area', () => {
    const paths = ARTIFACTS.map(({ path }) => path);
    expect(new Set(paths).size).toBe(paths.length);
    for (const { path, area } of ARTIFACTS) expect(path.startsWith(`${area}/`)).toBe(true);
  });

  test('describes every field of every file', () => {
    const silent = ARTIFACTS.flatMap((artifact) =>
      fieldsOf(artifact)
        .filter(({ description, type }) => description === '' && !/object/.test(type))
        .map(({ name }) => `${artifact.path}: ${name}`),
    );
    expect(silent).toEqual([]);
  });
});
