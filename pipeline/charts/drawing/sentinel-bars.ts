import { cathedralSeries } from '../cathedral-series.ts';
import { type BarChart, barRows, barRowsHeight } from './bar-rows.ts';
import type { Plot } from './plot.ts';
import { type ChartTheme, cathedralColour, THEMES } from './theme.ts';

export interface SentinelValue {
  id: string;
  cathedral: string;
  value: number;
  text: string;
  detail?: string;
}

type Rules = BarChart['rules'];

/** Bars by sentinel, the highest first, in the colours of the cathedrals. */
export function sentinelBars(values: readonly SentinelValue[], rules: Rules, plot: Plot): string[] {
  return barRows(chartOf(values, rules, plot.theme), plot);
}

export function sentinelBarsHeight(values: readonly SentinelValue[], rules: Rules, width: number): number {
  return barRowsHeight(chartOf(values, rules, THEMES.light), width);
}

function chartOf(values: readonly SentinelValue[], rules: Rules, theme: ChartTheme): BarChart {
  const cathedrals = cathedralSeries(values.map(({ cathedral }) => cathedral));
  return {
    rows: values.map(({ id, cathedral, ...rest }) => ({
      label: id,
      colour: cathedralColour(theme, cathedral),
      ...rest,
    })),
    key: cathedrals.map(({ name, label }) => ({ text: label, colour: cathedralColour(theme, name) })),
    rules,
  };
}
