import { scaleLinear } from 'd3';
import { cathedralSeries } from '../series.ts';
import { element } from './element.ts';
import {
  BOLD,
  clipText,
  LABEL_SIZE,
  type LegendItem,
  label,
  legend,
  legendHeight,
  TICK_SIZE,
  textWidth,
} from './label.ts';
import { type Box, isNarrow, type Plot, widthOf } from './plot.ts';
import { type ChartTheme, cathedralColour, THEMES } from './theme.ts';

interface BarRow {
  label: string;
  /** 0 or more. */
  value: number;
  colour: string;
  /** The text of the value, at the bar's end. */
  text: string;
  /** Details in muted type after the value; not in a narrow plot. */
  detail?: string;
}

export interface BarChart {
  rows: readonly BarRow[];
  /** The meaning of the colours. */
  key: readonly LegendItem[];
  /** Reference values for the bars, named above the rows; `short` is the name in a narrow plot. */
  rules: readonly { value: number; text: string; short?: string }[];
  /** End of the scale, if it is not the highest value. */
  most?: number;
}

const ROW = 26;
const BAR = 16;
const RULE_ROOM = 20;
const DETAIL_GAP = 8;
const MAX_SHARE_OF_WIDTH = 0.42;

export function barRowsHeight({ rows, key, rules }: BarChart, width: number): number {
  return legendHeight(key, width) + (rules.length > 0 ? RULE_ROOM : 0) + rows.length * ROW + 4;
}

/** Horizontal bars from zero, one per row: the name, the bar, and the value at its end. */
export function barRows(chart: BarChart, plot: Plot): string[] {
  const { box, theme } = plot;
  const { rows, key, rules } = chart;
  const names = legend(key, box, theme);
  const top = box.top + names.height + (rules.length > 0 ? RULE_ROOM : 0);
  const left = box.left + nameRoom(chart, widthOf(box));
  const x = scaleLinear([0, mostOf(chart)], [left, Math.max(left + 20, box.right - valueRoom(chart, box))]);
  const middles = rows.map((_, index) => top + (index + 0.5) * ROW);
  plot.onScale?.({ kind: 'rows', middles });
  const bars = rows.map(({ value, colour }, index) =>
    element('rect', {
      x: left,
      y: middles[index]! - BAR / 2,
      width: x(value) - left,
      height: BAR,
      fill: colour,
    }),
  );
  const words = rows.flatMap((row, index) => {
    const [y, end] = [middles[index]!, x(row.value) + 6];
    const name = clipText(row.label, left - box.left - 7, LABEL_SIZE);
    const value = label(row.text, end, y, { fill: theme.ink, weight: BOLD, ground: theme.paper });
    return [
      label(name, left - 8, y, { fill: theme.ink, anchor: 'end' }),
      value,
      ...detail(row, end, y, plot),
    ];
  });
  const bottom = top + rows.length * ROW;
  return [...names.marks, ...bars, ...ruleMarks(chart, x, { top, bottom }, plot), ...words];
}

function mostOf({ rows, rules, most = 0 }: BarChart): number {
  return Math.max(most, ...rows.map(({ value }) => value), ...rules.map(({ value }) => value)) || 1;
}

/** The room to the right of the longest bar for values, and for details unless the plot is narrow. */
function valueRoom({ rows }: BarChart, box: Box): number {
  const values = rows.map(({ text, detail = '' }) =>
    isNarrow(box) || detail === ''
      ? textWidth(text, LABEL_SIZE, BOLD)
      : textWidth(text, LABEL_SIZE, BOLD) + DETAIL_GAP + textWidth(detail, TICK_SIZE),
  );
  return Math.max(0, ...values) + 8;
}

function detail(row: BarRow, end: number, y: number, { box, theme }: Plot): string[] {
  if (row.detail === undefined || isNarrow(box)) return [];
  const x = end + textWidth(row.text, LABEL_SIZE, BOLD) + DETAIL_GAP;
  return [label(row.detail, x, y, { fill: theme.muted, size: TICK_SIZE, ground: theme.paper })];
}

function nameRoom({ rows }: BarChart, width: number): number {
  const longest = Math.max(0, ...rows.map((row) => textWidth(row.label, LABEL_SIZE)));
  return Math.min(longest + 9, width * MAX_SHARE_OF_WIDTH);
}

/** Lines across all rows. A name that would touch the previous one is omitted; the text below states it. */
function ruleMarks(
  { rules }: BarChart,
  x: (value: number) => number,
  { top, bottom }: { top: number; bottom: number },
  { box, theme }: Plot,
): string[] {
  let free = box.left;
  return [...rules]
    .sort((a, b) => a.value - b.value)
    .flatMap(({ value, text, short = text }) => {
      const at = x(value);
      const words = isNarrow(box) ? short : text;
      const half = textWidth(words, TICK_SIZE) / 2;
      const middle = Math.min(Math.max(at, box.left + half), box.right - half);
      const line = element('line', {
        x1: at,
        x2: at,
        y1: top - 4,
        y2: bottom,
        stroke: theme.ink,
        'stroke-dasharray': '3 3',
      });
      if (middle - half < free) return [line];
      free = middle + half + 8;
      return [line, label(words, middle, top - 12, { fill: theme.muted, size: TICK_SIZE, anchor: 'middle' })];
    });
}

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
