import { line, max, min, type ScaleBand, type ScaleLinear, scaleBand, scaleLinear } from 'd3';
import { middle, monthAxis, valueAxis } from '../drawing/axes.ts';
import { element, textElement } from '../drawing/element.ts';
import { type ChartSize, frame } from '../drawing/frame.ts';
import type { ChartTheme } from '../drawing/theme.ts';

/** Shares from 0 to 1; null where the month has no reading. The threshold is the one at the month's end. */
export interface MiiMonth {
  month: string;
  mii_mean: number | null;
  mii_min: number | null;
  /** Null while there was no supply. */
  threshold: number | null;
  /** The days that are counted, of a month that is not whole: its mean is a hollow dot. */
  partial: object | null;
}

const MARGIN = { top: 40, right: 8, bottom: 24, left: 48 };
/** How much of the scale is shown at least: less would make noise look like news. */
const LEAST_RANGE = 0.02;

/**
 * The monthly mean of the index as a line with a whisker down to the lowest reading, and the threshold as a dashed
 * line. The scale does not start at zero: what matters is which line is above the other.
 */
export function miiByMonth(
  months: readonly MiiMonth[],
  size: ChartSize,
  theme: ChartTheme,
  summary: string,
): string {
  const span = { left: MARGIN.left, right: size.width - MARGIN.right };
  const x = scaleBand(
    months.map(({ month }) => month),
    [span.left, span.right],
  ).padding(0.3);
  const y = scaleLinear(domainOf(months), [size.height - MARGIN.bottom, MARGIN.top]).nice(5);
  const title = 'Integrity index against its threshold by month';
  return frame({ id: `mii-by-month-${size.width}`, title, summary }, size, theme, [
    ...legend(theme),
    ...valueAxis(y, span, theme, { ticks: 5 }),
    ...monthAxis(x, size.height - 4, theme),
    ...months.map((month) => whisker(month, x, y, theme)),
    path(months, ({ threshold }) => threshold, x, y, { stroke: theme.contrast, 'stroke-dasharray': '5 4' }),
    path(months, ({ mii_mean }) => mii_mean, x, y, { stroke: theme.accent }),
    ...months.map((month) => dot(month, x, y, theme)),
  ]);
}

function domainOf(months: readonly MiiMonth[]): [number, number] {
  const values = months
    .flatMap(({ mii_mean, mii_min, threshold }) => [mii_mean, mii_min, threshold])
    .filter((value) => value !== null);
  const [low, high] = [min(values) ?? 0, max(values) ?? 1];
  const missing = Math.max(0, LEAST_RANGE - (high - low)) / 2;
  return [Math.max(0, low - missing), Math.min(1, high + missing)];
}

function legend(theme: ChartTheme): string[] {
  const stroke = { stroke: theme.accent, 'stroke-width': 2 };
  const dashed = { stroke: theme.contrast, 'stroke-width': 2, 'stroke-dasharray': '5 4' };
  const text = (x: number, words: string) => textElement('text', { x, y: 16, fill: theme.ink }, words);
  return [
    element('line', { x1: 0, x2: 22, y1: 12, y2: 12, ...stroke }),
    element('circle', { cx: 11, cy: 12, r: 3.5, fill: theme.accent }),
    text(28, 'Mean MII'),
    ...pin(102, 5, 19, theme),
    text(112, 'Lowest reading'),
    element('line', { x1: 214, x2: 238, y1: 12, y2: 12, ...dashed }),
    text(244, 'Threshold'),
  ];
}

/** A line down with a foot. */
function pin(x: number, top: number, bottom: number, { accent }: ChartTheme): string[] {
  return [
    element('line', { x1: x, x2: x, y1: top, y2: bottom, stroke: accent }),
    element('line', { x1: x - 4, x2: x + 4, y1: bottom, y2: bottom, stroke: accent }),
  ];
}

type Scales = [x: ScaleBand<string>, y: ScaleLinear<number, number>];

function path(
  months: readonly MiiMonth[],
  value: (month: MiiMonth) => number | null,
  ...[x, y, style]: [...Scales, Record<string, string>]
): string {
  const d = line<MiiMonth>(
    ({ month }) => middle(x, month),
    (month) => y(value(month) ?? 0),
  )
    .defined((month) => value(month) !== null)
    .digits(2)(months);
  return d === null ? '' : element('path', { d, fill: 'none', 'stroke-width': 2, ...style });
}

function whisker({ month, mii_mean, mii_min }: MiiMonth, ...[x, y, theme]: [...Scales, ChartTheme]): string {
  if (mii_mean === null || mii_min === null) return '';
  return pin(middle(x, month), y(mii_mean), y(mii_min), theme).join('');
}

function dot({ month, mii_mean, partial }: MiiMonth, ...[x, y, theme]: [...Scales, ChartTheme]): string {
  if (mii_mean === null) return '';
  const look = partial
    ? { fill: theme.paper, stroke: theme.accent, 'stroke-width': 1.5 }
    : { fill: theme.accent };
  return element('circle', { cx: middle(x, month), cy: y(mii_mean), r: 3.5, ...look });
}
