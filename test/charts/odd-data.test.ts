import { utcDay } from 'd3';
import fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import { PublishedFiles } from '../../pipeline/artifacts/published-files.ts';
import { ARTIFACTS } from '../../pipeline/artifacts/table.ts';
import { DEFAULT_STATE } from '../../pipeline/charts/chart-state.ts';
import { CHARTS } from '../../pipeline/charts/table.ts';
import { isSweep } from '../setups/sweep.ts';
import { arbitraryFile } from './arbitrary-file.ts';
import { chartFiles } from './chart-files.ts';
import { assertDrawn, textsOf } from './drawing.ts';
import { smallLedger } from './small-ledger.ts';

const RUNS = isSweep ? 60 : 12;

function arbitrarySources(paths: readonly string[]) {
  const files = paths.map((path) => {
    const artifact = ARTIFACTS.find((one) => one.path === path)!;
    if (artifact.kind === 'printed') throw new Error(path);
    return [path, arbitraryFile(artifact)] as const;
  });
  return fc.record(Object.fromEntries(files));
}

describe('whatever a file holds that its schema allows', () => {
  test.each(CHARTS.map((chart) => [chart.id, chart] as const))(
    '%s is drawn inside its frame',
    (id, chart) => {
      const width = fc.constantFrom(280, 320, 700, 1200);
      fc.assert(
        fc.property(arbitrarySources(chart.sources), width, fc.boolean(), (files, width, log) => {
          const opened = chart.open(PublishedFiles.of(files));
          const scale = log && chart.controls.includes('scale') ? 'log' : 'linear';
          const state = { ...DEFAULT_STATE, scale } as const;
          const { title, finding, summary, rows, draw } = opened.show(state);
          assertDrawn(draw({ width, theme: 'light' }), id);
          const words = [title, finding ?? '', ...summary, opened.source].join(' ');
          expect(words).not.toMatch(/NaN|undefined|Infinity|null|Invalid/);
          for (const cell of rows.flat())
            expect(typeof cell === 'number' ? Number.isFinite(cell) : true).toBe(true);
        }),
        { numRuns: RUNS },
      );
    },
  );
});

test('the multipliers of a ledger that began at noon of its newest day are drawn inside their frame', () => {
  const files = {
    'economy/cathedral-multipliers.csv':
      'timestamp,cycle,cathedral,multiplier,reason\n2026-10-01T12:00:00Z,C-455,DIPLOMACY,1.0,genesis\n',
    'economy/roi': '{"timestamp":"2026-10-01T12:00:00Z","by_cathedral":{}}',
  };
  const chart = CHARTS.find(({ id }) => id === 'multipliers')!;
  const { draw } = chart.open(PublishedFiles.of(files)).show(DEFAULT_STATE);
  for (const width of [280, 700]) assertDrawn(draw({ width, theme: 'light' }), 'it');
});

test('where an event has a time of the year 9999, the axis has some years, and no day of all those before is listed', () => {
  const row = (year: number) => `${year}-10-01T12:00:00Z,C-455,DIPLOMACY,1.0,genesis\n`;
  const files = {
    'economy/cathedral-multipliers.csv': `timestamp,cycle,cathedral,multiplier,reason\n${row(2025)}${row(9999)}`,
    'economy/roi': '{"timestamp":"9999-10-01T12:00:00Z","by_cathedral":{}}',
  };
  const chart = CHARTS.find(({ id }) => id === 'multipliers')!;
  const listed = vi.spyOn(utcDay, 'range');
  const svg = chart.open(PublishedFiles.of(files)).show(DEFAULT_STATE).draw({ width: 700, theme: 'light' });
  expect(textsOf(svg).map(({ text }) => text)).toEqual(expect.arrayContaining(['4000', '6000']));
  expect(listed).not.toHaveBeenCalled();
  listed.mockRestore();
});

test('a status that has no room beside the longest bar of a narrow picture is cut', () => {
  const score = { score: 1, measure: 'x', status: 'not_measured' };
  const names = ['integrity', 'temperance', 'justice', 'prudence', 'courage'];
  const virtues = Object.fromEntries(names.map((name) => [name, score]));
  const files = {
    'philosophy/virtues.json': JSON.stringify({
      timestamp: '2026-10-01T12:00:00Z',
      virtues,
      overall_compliance: 1,
    }),
  };
  const chart = CHARTS.find(({ id }) => id === 'virtues')!;
  const { draw } = chart.open(PublishedFiles.of(files)).show(DEFAULT_STATE);
  assertDrawn(draw({ width: 280, theme: 'light' }), 'it');
});

test('numbers below the dots of a narrow picture do not touch, whatever their size', () => {
  const trend = { baseline: 1e15, current: 0.5, drift: -1e15, direction: 'worsening' };
  const files = {
    'philosophy/drift-analysis.json': JSON.stringify({
      ...(JSON.parse(chartFiles(smallLedger(75).leaves)['philosophy/drift-analysis.json']!) as object),
      trends: [{ metric: 'integrity', ...trend }],
    }),
  };
  const chart = CHARTS.find(({ id }) => id === 'drift')!;
  const { draw } = chart.open(PublishedFiles.of(files)).show(DEFAULT_STATE);
  const below = textsOf(draw({ width: 280, theme: 'light' })).filter(({ text }) =>
    /^(0|[\d,]+ T)$/.test(text),
  );
  expect(below.map(({ text }) => text)).toEqual(['0', '1,000 T']);
  expect(below[1]!.left).toBeGreaterThan(below[0]!.right);
});

test.each([
  ['that is not measured', null],
  ['and its value', 0.909],
])('a panel has room for the name of a virtue %s', (_, value) => {
  const day =
    'date,integrity,temperance,justice,prudence,courage,mean_gi_score,mean_coordination,consensus_rate,deliberations_closed,consensus_reached,drift_score\n2026-09-30,0.9,0.8,0.7,0.6,0.5,,,,0,0,\n';
  const score = { score: value, measure: 'x', status: 'not_measured' };
  const names = ['integrity', 'temperance', 'justice', 'prudence', 'courage'];
  const files = {
    'philosophy/metrics-by-day.csv': day,
    'philosophy/virtues.json': JSON.stringify({
      timestamp: '2026-10-01T12:00:00Z',
      virtues: Object.fromEntries(names.map((name) => [name, score])),
      overall_compliance: null,
    }),
  };
  const chart = CHARTS.find(({ id }) => id === 'virtues-history')!;
  const { draw } = chart.open(PublishedFiles.of(files)).show(DEFAULT_STATE);
  const texts = textsOf(draw({ width: 820, theme: 'light' })).map(({ text }) => text);
  expect(texts).toEqual(
    expect.arrayContaining([
      'Integrity',
      'Temperance',
      'Justice',
      'Prudence',
      'Courage',
      value === null ? '–' : '0.909',
    ]),
  );
});
