import { describe, expect, test } from 'vitest';
import type { TransparencyReport } from '../../pipeline/artifacts/government/transparency.ts';
import { PublishedFiles } from '../../pipeline/artifacts/published-files.ts';
import { DEFAULT_STATE } from '../../pipeline/charts/chart-state.ts';
import {
  countedMonths,
  formatCountedMonth,
  reportCharts,
} from '../../pipeline/charts/kinds/report-months.ts';
import { SECTIONS } from '../../src/site/components/report/sections.ts';

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
    threshold: null,
    minting_active: null,
    sentinel_count: 0,
    system_health: 'not_measured',
    compliance_status: 'not_audited',
    deliberations_closed: 0,
    consensus_rate: null,
  },
  operations: {
    events: 1,
    attestations: 0,
    alerts_raised: 0,
    outages: null,
    apps: 0,
    packages: 0,
    average_coordination: null,
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
    months: [{ month: '2026-01', threshold: null, ...MONTH }],
  },
  compliance: { status: 'not_audited', jurisdictions: { UK: { status: 'not_audited', last_audit: null } } },
  outlook: { next_audits: [], open_deliberations: [], projected_supply: null, projected_threshold: null },
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
      'The integrity index (MII) stood at 0.9624, and its threshold was 0.9371, so minting was active.',
      '10 sentinels were active. System health was healthy, and the compliance status was high risk compliant.',
      'In the period 12 deliberations were opened and 9 closed, 8 of them with consensus. The ledger records 1 decision ' +
        'of the period.',
    ]);
  });

  test('says so where there is nothing, and praises nothing for it', () => {
    expect(paragraphs(EMPTY, 'executive-summary')).toEqual([
      'On 1 January 2026 the ledger minted no MIC and burned no MIC. At the end of the period total supply stood at ' +
        '0 MIC: 0 MIC in circulation, 0 MIC locked in contracts and 0 MIC burned since genesis.',
      'The ledger holds no reading of the integrity index (MII) yet, and without a supply there was no threshold.',
      'No sentinels were active. System health was not measured, and the compliance status was not audited.',
      'In the period no deliberations were opened and none was closed. The ledger records no decisions of the period.',
    ]);
    expect(paragraphs(EMPTY, 'outlook')).toEqual([
      'No MIC was minted in the period, so no growth is projected.',
    ]);
    expect(paragraphs(EMPTY, 'compliance')).toEqual([
      'The ledger records no audit yet; until there is one, each status is not audited.',
    ]);
  });

  test('projects, and says that it is arithmetic', () => {
    expect(paragraphs(FULL, 'outlook')[0]).toMatch(
      /^If minting goes on at the year’s mean daily rate, total supply will reach 8,000,000 MIC 365 days after 30 September 2026, .* 0\.9319\. This is arithmetic/,
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

const PATH = 'government/transparency-2026.json';
const CHARTS = reportCharts(PATH);

function summary(name: 'supply' | 'mii', report: TransparencyReport): string {
  const chart = CHARTS[name];
  const data = chart.prepare(PublishedFiles.of({ [PATH]: JSON.stringify(report) }));
  return chart.summary(data, DEFAULT_STATE).join(' ');
}

describe('the sentences beside a chart', () => {
  test('name the months that stand out', () => {
    expect(summary('supply', FULL)).toBe(
      'Total supply was 1,000,000 MIC when the period opened and 4,412,009 MIC at its end. Of the whole months, most was ' +
        'minted in March 2026 (30 MIC), least in February 2026 (0 MIC). Burns fell in January 2026.',
    );
    expect(summary('mii', FULL)).toBe(
      'The mean of the index in a whole month lay between 0.9400 (January 2026) and 0.9700 (March 2026). It was below the ' +
        'threshold in January 2026. The lowest single reading was 0.9000, in January 2026.',
    );
  });

  /** The same, begun on 9 January and up to 20 March. */
  const cut: TransparencyReport = {
    ...FULL,
    period: { from: '2026-01-09T06:00:00Z', to: '2026-03-20T23:59:00Z' },
  };

  test('compare no month that is not whole with the others', () => {
    expect(summary('supply', cut)).toContain(
      'Minted in February 2026 (0 MIC). Hatched, since January 2026, 9 to 31 and March 2026, 1 to 20 are not whole ' +
        'months: 12 MIC and 30 MIC.',
    );
    expect(summary('mii', cut)).not.toContain('lay between');
    expect(summary('mii', cut)).toMatch(
      /January 2026, 9 to 31 and March 2026, 1 to 20 are not whole months\.$/,
    );
    expect(countedMonths(cut).map(formatCountedMonth)).toEqual([
      'January 2026, 9 to 31',
      'February 2026',
      'March 2026, 1 to 20',
    ]);
  });

  test('take the last month of a closed year for whole', () => {
    expect(countedMonths({ ...cut, closed: true }).map(({ whole }) => !whole)).toEqual([true, false, false]);
  });

  test('say that there is nothing to see', () => {
    expect(summary('supply', EMPTY)).toBe(
      'There are no MIC yet. The chart is drawn from events of the types genesis and mic_mint.',
    );
    expect(summary('mii', EMPTY)).toBe(
      'The ledger has no reading of the integrity index in this period. The chart is drawn from events of the type mii_reading.',
    );
  });
});
