import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type TransparencyReport, transparency } from '../../pipeline/artifacts/government/transparency.ts';
import { PublishedFiles } from '../../pipeline/artifacts/published-files.ts';
import { DEFAULT_STATE } from '../../pipeline/charts/chart-state.ts';
import { element } from '../../pipeline/charts/drawing/element.ts';
import type { Picture } from '../../pipeline/charts/drawing/figure.ts';
import { reportCharts } from '../../pipeline/charts/kinds/report-months.ts';
import { ORGANISATION } from '../organisation.ts';
import { chartFiles } from './chart-files.ts';
import { assertDrawn } from './drawing.ts';
import { smallLedger } from './small-ledger.ts';

type Month = TransparencyReport['financial']['months'][number];

const { path } = transparency;
const CHARTS = reportCharts(path);
const REPORT = JSON.parse(chartFiles(smallLedger(40).leaves)[path]!) as TransparencyReport;
const WIDE = { width: 780, theme: 'light' } as const;
const NARROW = { width: 340, theme: 'page', parts: 'plot' } as const;
const NO_READING = { mii_mean: null, mii_min: null };

const month = (index: number) => `2026-${String(index + 1).padStart(2, '0')}`;
const monthsOf = (months: Partial<Month>[]): Month[] =>
  months.map((one, index) => ({
    month: month(index),
    minted: 0,
    burned: 0,
    total_supply: 0,
    mints: 0,
    attestations: 0,
    ...NO_READING,
    threshold: null,
    ...one,
  }));

function draw(name: 'supply' | 'mii', months: Month[], picture: Picture): string {
  const report: TransparencyReport = {
    ...REPORT,
    period: { from: '2026-01-01T00:00:00Z', to: '2026-04-20T06:00:00Z' },
    financial: { ...REPORT.financial, months },
  };
  const files = PublishedFiles.of({ [path]: JSON.stringify(report) });
  return CHARTS[name].open(files, ORGANISATION).show(DEFAULT_STATE).draw(picture);
}

const MONTHS = monthsOf([
  { minted: 25_193.5, total_supply: 1_104_055, mii_mean: 0.9471, mii_min: 0.9382, threshold: 0.9489 },
  { minted: 20_654, total_supply: 1_128_055, threshold: 0.9488 },
  { total_supply: 1_152_055, mii_mean: 0.9604, mii_min: 0.9604, threshold: 0.9487 },
  {
    minted: 26_753,
    burned: 2500.5,
    total_supply: 1_176_055,
    mii_mean: 0.9668,
    mii_min: 0.958,
    threshold: 0.9486,
  },
]);

const PICTURES: Record<string, string> = {
  'report-supply-light': draw('supply', MONTHS, WIDE),
  'report-supply-page': draw('supply', MONTHS, NARROW),
  'report-supply-nothing': draw('supply', monthsOf([{}]), WIDE),
  'report-mii-light': draw('mii', MONTHS, WIDE),
  'report-mii-page': draw('mii', MONTHS, NARROW),
  'report-mii-no-reading': draw('mii', monthsOf([{ threshold: 0.94 }]), WIDE),
};

describe('a chart of the report', () => {
  test('leaves a gap where a month has no reading', () => {
    const line = /<path d="([^"]*)" fill="none" stroke="#33485c"/.exec(PICTURES['report-mii-light']!)![1]!;
    expect(line.match(/M/g)).toHaveLength(2);
    expect(PICTURES['report-mii-no-reading']).toContain(
      'The ledger has no reading of the integrity index in this period.',
    );
  });

  test('hatches a month that is not whole, and rings its mean', () => {
    expect(PICTURES['report-supply-light']!.match(/fill-opacity="0.25"/g)).toHaveLength(2);
    expect(PICTURES['report-mii-light']).toContain('fill="#fcfaf5" stroke="#33485c"');
  });

  test('reads the file of its year', () => {
    const closed = transparency.closedPath(2025);
    const { supply } = reportCharts(closed);
    expect(supply.sources).toEqual([closed]);
    const { source } = supply.open(PublishedFiles.of({ [closed]: JSON.stringify(REPORT) }));
    expect(source).toContain('government/transparency-2025.json');
  });
});

describe('whatever the numbers are, a chart of the report stays inside its frame', () => {
  const months = <T extends Partial<Month>>(values: fc.Arbitrary<T>) =>
    fc.array(values, { minLength: 1, maxLength: 12 }).map(monthsOf);
  /** Six decimal places, as the ledger writes them. */
  const amount = fc.oneof(fc.nat(3), fc.maxSafeNat()).map((micro) => micro / 1e6);
  const share = fc.nat(1_000_000).map((millionths) => millionths / 1e6);

  test('supply', () => {
    const data = months(fc.record({ minted: amount, burned: amount, total_supply: amount }));
    fc.assert(fc.property(data, (list) => assertDrawn(draw('supply', list, WIDE), 'supply')));
  });

  test('the integrity index', () => {
    // A month has both or neither, and no reading is below the lowest one.
    const reading = fc.tuple(share, share).map(([one, other]) => ({
      mii_mean: Math.max(one, other),
      mii_min: Math.min(one, other),
    }));
    const threshold = fc.record({ threshold: fc.option(share) });
    const values = fc.tuple(fc.oneof(reading, fc.constant(NO_READING)), threshold);
    const data = months(values.map(([read, held]) => ({ ...read, ...held })));
    fc.assert(fc.property(data, (list) => assertDrawn(draw('mii', list, WIDE), 'mii')));
  });
});

describe('an SVG element', () => {
  test('is written with its attributes escaped, numbers short, and without those that are null', () => {
    const written = element('g', { a: '<"&', x: 1.23456, y: -0.001, z: null }, element('b', {}));
    expect(written).toBe('<g a="&lt;&quot;&amp;" x="1.23" y="0"><b/></g>');
  });
});
