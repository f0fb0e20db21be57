import { parse } from 'csv-parse/sync';
import { describe, expect, test } from 'vitest';
import { transparency } from '../../pipeline/artifacts/government/transparency.ts';
import { PublishedFiles } from '../../pipeline/artifacts/published-files.ts';
import type { OpenChart } from '../../pipeline/charts/chart.ts';
import { missingSentences } from '../../pipeline/charts/chart.ts';
import { type ChartState, DEFAULT_STATE, formatChartState } from '../../pipeline/charts/chart-state.ts';
import { chartCsv } from '../../pipeline/charts/chart-table.ts';
import type { ThemeName } from '../../pipeline/charts/drawing/theme.ts';
import { reportCharts } from '../../pipeline/charts/kinds/report-months.ts';
import { CHARTS } from '../../pipeline/charts/table.ts';
import { CathedralError } from '../../pipeline/errors.ts';
import { assertOneForm } from '../artifacts/one-form.ts';
import { ORGANISATION } from '../organisation.ts';
import { chartFiles } from './chart-files.ts';
import { assertDrawn } from './drawing.ts';
import { smallLedger } from './small-ledger.ts';

const FILES = chartFiles(smallLedger(75).leaves);
const EMPTY_FILES = chartFiles(smallLedger(0).leaves.slice(0, 1));
const WIDTHS = [280, 320, 480, 640, 1000, 1200, 2400];
const THEME_NAMES: ThemeName[] = ['light', 'dark', 'page'];

/** Every state that one change of one control gives, and a few at once. */
function statesOf(chart: OpenChart): ChartState[] {
  const [series] = chart.series;
  const changes: Partial<ChartState>[] = [
    {},
    ...(series ? [{ series: [series.name] }] : []),
    { from: '2026-01-10' },
    { to: '2026-01-10' },
    { from: '2026-01-10', to: '2026-01-10' },
    { from: '2031-01-01' },
    { scale: 'log' },
    { scale: 'log', from: '2026-01-20' },
    { s: 0 },
    { s: 200, multiplier: 2 },
  ];
  return changes
    .filter((change) => Object.keys(change).every((name) => chart.controls.includes(name as never)))
    .map((change) => ({ ...DEFAULT_STATE, ...change }));
}

/** Those that show something after genesis: the allocation, its multipliers, the formula. */
const NEEDS_NO_EVENTS = ['supply', 'multipliers', 'reward-curve', 'report-supply'];

const OF_THE_REPORT = Object.values(reportCharts(transparency.path));

describe.each([...CHARTS, ...OF_THE_REPORT].map((chart) => [chart.id, chart] as const))(
  'the chart %s',
  (id, kind) => {
    const chart = kind.open(PublishedFiles.of(FILES), ORGANISATION);

    test('is drawn inside its frame in every state, width and theme', () => {
      for (const state of statesOf(chart)) {
        for (const width of WIDTHS) {
          const svg = chart.show(state).draw({ width, theme: THEME_NAMES[width % 3]! });
          assertDrawn(svg, `${id}?${formatChartState(chart, state)} at ${width}`);
        }
      }
    });

    test('says in a frame what it waits for, where there is nothing', () => {
      const empty = kind.open(PublishedFiles.of(EMPTY_FILES));
      const { summary, rows, draw } = empty.show(DEFAULT_STATE);
      const svg = draw({ width: 320, theme: 'light' });
      assertDrawn(svg, `${id}, empty`);
      const missing = empty.missing();
      expect(missing === null).toBe(NEEDS_NO_EVENTS.includes(id));
      if (missing === null) return;
      for (const type of missing.types) expect(svg).toContain(type);
      expect(summary).toEqual(missingSentences(missing));
      expect(rows).toEqual([]);
    });

    test('stands alone: a role, a title, a description, no style, no script, nothing from elsewhere', () => {
      const { title, draw } = chart.show(DEFAULT_STATE);
      const svg = draw({ width: 640, theme: 'light' });
      expect(svg).toMatch(/^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg" [^>]*role="img"/);
      expect(svg).toMatch(new RegExp(`<title id="chart-${id}-640-light-\\w+-title">`));
      expect(svg).toContain(`>${title.replaceAll('&', '&amp;')}</title>`);
      expect(svg).toMatch(/<desc id="[^"]+">[^<]{40,}<\/desc>/);
      expect(svg.replaceAll(/http:\/\/www\.w3\.org\/(2000\/svg|1999\/xlink)/g, '')).not.toMatch(
        /<style|<script|style=|href="(?!#)|url\(|https?:/,
      );
      // The line may break there.
      expect(svg.replaceAll(/<[^>]*>/g, ' ').replaceAll(/\s+/g, ' ')).toContain('CC BY 4.0.');
    });

    test('has ids of its own in each state, so that two of its pictures may stand in one page', () => {
      const all = statesOf(chart).map((state) => chart.show(state).draw({ width: 640, theme: 'light' }));
      const ids = [...new Set(all)].flatMap((svg) => [...svg.matchAll(/ id="([^"]*)"/g)].map(([, id]) => id));
      expect(new Set(ids).size).toBe(ids.length);
    });

    test('has a table whose rows fill its columns, and the same as CSV', () => {
      for (const state of statesOf(chart)) {
        const table = chart.show(state);
        const names = table.columns.map(({ name }) => name);
        expect(new Set(names).size).toBe(names.length);
        for (const row of table.rows) expect(row).toHaveLength(names.length);
        const [header, ...rows] = parse(chartCsv(table)) as string[][];
        expect(header).toEqual(names);
        const read = (cell: unknown, text: string) => (typeof cell === 'number' ? Number(text) : text);
        for (const [index, row] of table.rows.entries())
          expect(row.map((cell, at) => read(cell, rows[index]![at]!))).toEqual(row.map((cell) => cell ?? ''));
        for (const at of names.keys())
          assertOneForm(
            rows.map((row) => row[at]!),
            `${id}: ${names[at]}`,
          );
      }
    });

    test('refuses a series that its data does not have, and names those that there are', () => {
      const [series] = chart.series;
      if (!series) return;
      const state = { ...DEFAULT_STATE, series: ['no such series'] };
      expect(() => chart.show(state)).toThrow(new RegExp(`expected one of .*${series.name}`));
      const misspelt = { ...DEFAULT_STATE, series: [`${series.name}x`] };
      expect(() => chart.show(misspelt)).toThrow(`expected ${series.name}, or another of `);
    });

    test.each(chart.sources)('refuses a release whose %s is missing or damaged', (path) => {
      const { [path]: text, ...others } = FILES;
      for (const files of [
        others,
        { ...FILES, [path]: text!.slice(0, -7) },
        { ...FILES, [path]: `x${text}` },
      ]) {
        expect(() => kind.open(PublishedFiles.of(files))).toThrow(CathedralError);
        expect(() => kind.open(PublishedFiles.of(files))).toThrow(path);
      }
    });
  },
);

test('three years of days are drawn in less than 100 kB each', () => {
  const files = chartFiles(smallLedger(1096).leaves);
  for (const chart of CHARTS) {
    const opened = chart.open(PublishedFiles.of(files));
    const states = [DEFAULT_STATE, { ...DEFAULT_STATE, from: '2025-12-01' }].slice(
      0,
      chart.controls.includes('from') ? 2 : 1,
    );
    for (const state of states) {
      const svg = opened.show(state).draw({ width: 1000, theme: 'light' });
      expect(svg.length, chart.id).toBeLessThan(100_000);
    }
  }
});
