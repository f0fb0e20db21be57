import { describe, expect, test } from 'vitest';
import type { TransparencyReport } from '../../pipeline/artifacts/government/transparency.ts';
import { miiSummary, supplySummary } from '../../src/components/report/chart-summaries.ts';
import { SECTIONS } from '../../src/components/report/sections.ts';

const MONTH = {
  minted: 0,
  burned: 0,
  total_supply: 0,
  mints: 0,
  attestations: 0,
  mii_mean: null,
  mii_min: null,
};
/** A ledger that has only begun. */
const EMPTY: TransparencyReport = {
  timestamp: '2026-01-01T00:00:00Z',
  year: 2026,
  closed: false,
  period: { from: '2026-01-01T00:00:00Z', to: '2026-01-01T00:00:00Z' },
  summary: {
    total_supply: 0,
    circulating: 0,
    locked: 0,
    burned: 0,
    mii: null,
    threshold: 1,
    minting_active: false,
    sentinel_count: 0,
    system_health: 'critical',
    compliance_status: 'under_review',
    deliberations_closed: 0,
    consensus_rate: 1,
  },
  operations: {
    events: 1,
    attestations: 0,
    alerts_raised: 0,
    outages: 0,
    apps: 0,
    packages: 0,
    average_coordination: 0,
    sentinels: [],
  },
  governance: {
    deliberations_opened: 0,
    deliberations_closed: 0,
    consensus_reached: 0,
    decisions_recorded: 0,
    recent_decisions: [],
    multipliers: {},
    virtues: {},
  },
  financial: {
    opening_supply: 0,
    minted: 0,
    burned: 0,
    closing_supply: 0,
    by_cathedral: [],
    months: [{ month: '2026-01', threshold: 1, ...MONTH }],
  },
  compliance: { status: 'under_review', jurisdictions: { UK: { status: 'under_review', last_audit: null } } },
  outlook: { next_audits: [], open_deliberations: [], projected_supply: 0, projected_threshold: 1 },
};

const FULL: TransparencyReport = {
  ...EMPTY,
  period: { from: '2026-01-01T00:00:00Z', to: '2026-09-30T18:00:00Z' },
  summary: {
    ...EMPTY.summary,
    total_supply: 4_412_009.25,
    circulating: 4_000_000,
    locked: 400_000,
    burned: 12_009.25,
    mii: 0.9624,
    threshold: 0.9371,
    minting_active: true,
    sentinel_count: 10,
    system_health: 'healthy',
    compliance_status: 'high_risk_compliant',
    deliberations_closed: 9,
    consensus_rate: 0.925,
  },
  governance: {
    ...EMPTY.governance,
    deliberations_opened: 12,
    deliberations_closed: 9,
    consensus_reached: 8,
    decisions_recorded: 1,
  },
  financial: {
    ...EMPTY.financial,
    opening_supply: 1_000_000,
    minted: 3_412_009.25,
    burned: 12_009.25,
    closing_supply: 4_412_009.25,
    months: [
      { ...MONTH, month: '2026-01', minted: 12, burned: 1, threshold: 0.95, mii_mean: 0.94, mii_min: 0.9 },
      { ...MONTH, month: '2026-02', threshold: 0.949 },
      { ...MONTH, month: '2026-03', minted: 30, threshold: 0.948, mii_mean: 0.97, mii_min: 0.96 },
    ],
  },
  outlook: { ...EMPTY.outlook, projected_supply: 8_000_000, projected_threshold: 0.9319 },
};

const paragraphs = (report: TransparencyReport, id: string) =>
  SECTIONS.find((section) => section.id === id)!.paragraphs(report);

describe('the transparency report', () => {
  test('has the six sections of the specification in their order', () => {
    expect(SECTIONS.map(({ title }) => title.toLowerCase())).toEqual([
      'executive summary',
      'system operations overview',
      'governance structure',
      'financial transparency',
      'compliance status',
      'future outlook',
    ]);
  });

  test('says in its summary what was minted, burned and reached', () => {
    expect(paragraphs(FULL, 'executive-summary')).toEqual([
      'Between 1 January and 30 September 2026 the ledger minted 3,412,009 MIC and burned 12,009 MIC. At the end of ' +
        'the period total supply stood at 4,412,009 MIC: 4,000,000 MIC in circulation, 400,000 MIC locked in contracts ' +
        'and 12,009 MIC burned since genesis.',
      'The integrity index (MII) stood at 0.962, against a threshold of 0.937, so minting was active.',
      '10 sentinels were active. System health was healthy, and the compliance status was high risk compliant.',
      'In the period 12 deliberations were opened and 9 closed, 8 of them with consensus. The ledger records 1 decision ' +
        'of the period.',
    ]);
  });

  test('says so where there is nothing, and praises nothing for it', () => {
    expect(paragraphs(EMPTY, 'executive-summary')).toEqual([
      'On 1 January 2026 the ledger minted no MIC and burned no MIC. At the end of the period total supply stood at ' +
        '0 MIC: 0 MIC in circulation, 0 MIC locked in contracts and 0 MIC burned since genesis.',
      'The ledger holds no reading of the integrity index (MII) yet; its threshold was 1.000, so minting was paused.',
      'No sentinels were active. System health was critical, and the compliance status was under review.',
      'In the period no deliberations were opened and none was closed. The ledger records no decisions of the period.',
    ]);
    expect(paragraphs(EMPTY, 'outlook')).toEqual([
      'No MIC was minted in the period, so no growth is projected.',
    ]);
    expect(paragraphs(EMPTY, 'compliance')[1]).toBe(
      'The ledger records no audit yet for UK; until there is one, the status is under review.',
    );
  });

  test('projects, and says that it is arithmetic', () => {
    expect(paragraphs(FULL, 'outlook')[0]).toMatch(
      /^If minting goes on at the year’s mean daily rate, total supply will reach 8,000,000 MIC 365 days after 30 September 2026, .* 0\.932\. This is arithmetic/,
    );
  });

  test.each([
    ['an empty', EMPTY],
    ['a full', FULL],
  ])('of %s year has no hole in any sentence', (_, report) => {
    for (const { paragraphs } of SECTIONS) {
      for (const paragraph of paragraphs(report)) {
        expect(paragraph).not.toMatch(/NaN|null|undefined|\[object| {2}|\s$/);
        expect(paragraph).toMatch(/^[A-Z0-9].*[.:]$/);
      }
    }
  });
});

describe('the words beside a chart', () => {
  test('name the months that stand out', () => {
    expect(supplySummary(FULL)).toBe(
      'Total supply was 1,000,000 MIC when the period opened and 4,412,009 MIC at its end. Most was minted in March 2026 ' +
        '(30 MIC), least in January 2026 (12 MIC). Burns fell in January 2026.',
    );
    expect(miiSummary(FULL)).toBe(
      'The monthly mean of the index lay between 0.940 (January 2026) and 0.970 (March 2026). It was below the threshold ' +
        'in January 2026. The lowest single reading was 0.900, in January 2026.',
    );
  });

  test('say that there is nothing to see', () => {
    expect(supplySummary(EMPTY)).toMatch(/Nothing was minted in any month\.$/);
    expect(miiSummary(EMPTY)).toBe('No month has a reading of the integrity index.');
  });
});
