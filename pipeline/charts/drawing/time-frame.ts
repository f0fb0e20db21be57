import {
  type ScaleContinuousNumeric,
  type ScaleTime,
  scaleLinear,
  scaleLog,
  scaleUtc,
  utcDay,
  utcFormat,
} from 'd3';
import { DAY_MS } from './days.ts';
import { element } from './element.ts';
import {
  clipText,
  type LegendItem,
  label,
  legend,
  sideLabelRoom,
  sideLabels,
  TICK_SIZE,
  textWidth,
} from './label.ts';
import { type Box, isNarrow, NARROW, type Plot, widthOf } from './plot.ts';
import type { ChartTheme } from './theme.ts';

type TimeScale = ScaleTime<number, number>;

const dayText = utcFormat('%-d %b');
const monthText = utcFormat('%b');
const monthYearText = utcFormat('%b %Y');
const shortMonthYearText = utcFormat('%b ’%y');
const yearText = utcFormat('%Y');

/** Over times in ms; a single moment becomes a day. */
export function timeScale(from: number, to: number, left: number, right: number): TimeScale {
  const half = to > from ? 0 : DAY_MS / 2;
  return scaleUtc([new Date(from - half), new Date(to + half)], [left, right]);
}

interface Tick {
  text: string;
  x: number;
  half: number;
}

const GAP = 10;

/** Dates below the plot, as many as fit. The first one, and the first of a year, state the year. */
export function timeAxis(
  x: TimeScale,
  edges: Pick<Box, 'left' | 'right'>,
  y: number,
  theme: ChartTheme,
): string[] {
  const style = { fill: theme.muted, size: TICK_SIZE, anchor: 'middle' } as const;
  return fittingTicks(x, edges).map(({ text, x }) => label(text, x, y, style));
}

/** The largest regular set of ticks that do not touch: every second month rather than all months but two. */
function fittingTicks(x: TimeScale, edges: Pick<Box, 'left' | 'right'>): Tick[] {
  for (let count = Math.ceil((edges.right - edges.left) / 60); count > 2; count -= 1) {
    const ticks = ticksAt(wholeDays(x, count), x, edges);
    if (withoutTouching(ticks).length === ticks.length) return ticks;
  }
  return withoutTouching(ticksAt(wholeDays(x, 4), x, edges));
}

function ticksAt(days: Date[], x: TimeScale, { left, right }: Pick<Box, 'left' | 'right'>): Tick[] {
  const isMonthly = days.every((day) => day.getUTCDate() === 1);
  return days.map((day, index) => {
    const text = tickText(day, x, index === 0, { isMonthly, isNarrow: right - left < NARROW });
    const half = textWidth(text, TICK_SIZE) / 2;
    return { text, half, x: Math.min(Math.max(x(day), left + half), right - half) };
  });
}

function withoutTouching(ticks: Tick[]): Tick[] {
  let free = Number.NEGATIVE_INFINITY;
  return ticks.filter(({ x, half }) => {
    if (x - half < free) return false;
    free = x + half + GAP;
    return true;
  });
}

/** For a few days d3 returns hours, which data by day does not need. */
function wholeDays(x: TimeScale, count: number): Date[] {
  const ticks = x.ticks(Math.max(2, count)).filter((tick) => +utcDay.floor(tick) === +tick);
  const [from, to] = x.domain() as [Date, Date];
  return ticks.length > 0 ? ticks : [utcDay.floor(new Date((+from + +to) / 2))];
}

function tickText(
  tick: Date,
  x: TimeScale,
  isFirst: boolean,
  { isMonthly, isNarrow }: { isMonthly: boolean; isNarrow: boolean },
): string {
  const [from, to] = x.domain() as [Date, Date];
  const months = (+to - +from) / (30 * DAY_MS);
  if (!isMonthly || months < 2) return isFirst ? `${dayText(tick)} ${yearText(tick)}` : dayText(tick);
  if (months > 40 && tick.getUTCMonth() === 0) return yearText(tick);
  if (!isFirst && tick.getUTCMonth() !== 0) return monthText(tick);
  return isNarrow ? shortMonthYearText(tick) : monthYearText(tick);
}

type ValueScale = ScaleContinuousNumeric<number, number>;

interface ValueAxis {
  /** The values to draw, which determine the domain. Numbers that are not finite are ignored. */
  values: Iterable<number>;
  /** For linear scales: whether the domain includes zero. Columns and areas need it, lines do not. */
  fromZero: boolean;
  scale: 'linear' | 'log';
  /** The least span of a linear scale that need not include zero, so that noise does not look like news. */
  leastSpan?: number;
  /** The domain never exceeds these limits, even to reach round numbers: shares end at 0 and 1. */
  limits?: readonly [number, number];
}

/** A scale from the values to `bottom` … `top`, with round ends. */
export function valueScale(axis: ValueAxis, bottom: number, top: number, ticks: number): ValueScale {
  return axis.scale === 'log' ? logScale(axis, bottom, top) : linearScale(axis, bottom, top, ticks);
}

/** For linear scales: no published value is finer, and rounding would find no ticks. */
const LEAST_SPAN = 1e-9;
/** Amounts have six decimal places. */
const LEAST_LOGARITHM = 1e-6;

/** Values of 0 and less, which have no logarithm, lie on the lower end. */
function logScale({ values }: ValueAxis, bottom: number, top: number): ValueScale {
  const [least, most] = extentOf(
    values,
    (value) => value >= LEAST_LOGARITHM && value < Number.POSITIVE_INFINITY,
  ) ?? [1, 10];
  const low = 10 ** Math.floor(Math.log10(least));
  const high = 10 ** Math.ceil(Math.log10(most));
  return scaleLog([low, high > low ? high : low * 10], [bottom, top]).clamp(true);
}

function linearScale(axis: ValueAxis, bottom: number, top: number, ticks: number): ValueScale {
  const [least, most] = extentOf(axis.values, Number.isFinite) ?? [0, 0];
  const ends = axis.fromZero
    ? [Math.min(0, least), Math.max(0, most)]
    : widened(least, most, axis.leastSpan ?? 0);
  const [low, high] =
    ends[1]! - ends[0]! < LEAST_SPAN ? [ends[0]!, ends[0]! + 1] : (ends as [number, number]);
  const scale = scaleLinear([low, high], [bottom, top]).nice(ticks);
  const [from, to] = scale.domain() as [number, number];
  const [floor, ceiling] = axis.limits ?? [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY];
  return scale.domain([Math.max(from, Math.min(floor, low)), Math.min(to, Math.max(ceiling, high))]);
}

function widened(least: number, most: number, span: number): [number, number] {
  const missing = Math.max(0, Math.max(span, Math.abs(most) * 1e-6, LEAST_SPAN) - (most - least)) / 2;
  return [least - missing, most + missing];
}

function extentOf(values: Iterable<number>, counts: (value: number) => boolean): [number, number] | null {
  let [least, most] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const value of values) {
    if (!counts(value)) continue;
    least = Math.min(least, value);
    most = Math.max(most, value);
  }
  return most < least ? null : [least, most];
}

/** Values for grid lines; on a logarithmic scale powers of ten, with twos and fives if those are few. */
export function ticksOf(scale: ValueScale, kind: 'linear' | 'log', count: number): number[] {
  if (kind === 'linear') return scale.ticks(count);
  const [low, high] = scale.domain().map(Math.log10).map(Math.round) as [number, number];
  const stride = Math.max(1, Math.ceil((high - low) / count));
  const factors = high - low <= 2 ? [1, 2, 5] : [1];
  const powers = Array.from({ length: high - low + 1 }, (_, index) => index).filter(
    (index) => index % stride === 0,
  );
  return powers
    .flatMap((index) => factors.map((factor) => factor * 10 ** (low + index)))
    .filter((value) => value <= 10 ** high);
}

/** Fewer ticks if two would have the same label. Only that of zero if all values are zero, because no unit follows from them. */
function distinctTicks(
  y: ValueScale,
  { values, format, fromZero, scale }: ValueAxis & Pick<FrameOptions, 'format'>,
  most: number,
): number[] {
  if (
    fromZero &&
    scale === 'linear' &&
    (extentOf(values, Number.isFinite) ?? [0, 0]).every((end) => end === 0)
  )
    return [0];
  for (let count = most; ; count -= 1) {
    const ticks = ticksOf(y, scale, count);
    const texts = ticks.map(format).filter((text) => text !== '');
    if (count <= 2 || new Set(texts).size === texts.length) return ticks;
  }
}

export interface TimeFrame {
  x: TimeScale;
  y: ValueScale;
  /** The area of the marks, inside the axes. */
  inner: Box;
  /** Grid lines, axis labels, and the legend of a narrow plot; drawn first. */
  marks: string[];
  /** The names of the series at these heights; empty in a narrow plot, which has a legend. */
  names(ends: readonly number[]): string[];
}

interface FrameOptions extends ValueAxis {
  /** First and last moment in ms. */
  from: number;
  to: number;
  format: (value: number) => string;
  /** The series in the order of `names`. */
  series?: readonly LegendItem[];
  /** True: names are beside the marks even in a narrow plot. */
  namesBeside?: boolean;
  /** The left and right edge of the marks, to align them with another plot. */
  edges?: Pick<Box, 'left' | 'right'>;
  /** For the upper of two plots, since only the lower one has dates. */
  noDates?: boolean;
}

export const AXIS_HEIGHT = 24;
const TICK_EVERY = 56;
/** The largest share of the width for the values of the axis. */
const MAX_SHARE_OF_WIDTH = 0.36;

/** The axes of a chart over time: horizontal rules with their values, and dates below. */
export function timeFrame({ box, theme, onScale }: Plot, options: FrameOptions): TimeFrame {
  const { from, to, series = [], noDates = false, namesBeside = false } = options;
  const narrow = isNarrow(box) && !namesBeside;
  const key = narrow ? legend(series, box, theme) : { height: 0, marks: [] };
  const texts = series.map(({ text }) => text);
  const room = narrow || series.length === 0 ? 0 : sideLabelRoom(texts, box);
  const top = box.top + key.height + TICK_SIZE / 2;
  const bottom = box.bottom - (noDates ? TICK_SIZE / 2 : AXIS_HEIGHT);
  const axis = valueAxis({ ...box, top, bottom, right: box.right - room }, theme, options);
  const { inner } = axis;
  const x = timeScale(from, to, inner.left, inner.right);
  const dates = noDates ? [] : timeAxis(x, { left: box.left, right: box.right }, box.bottom - 8, theme);
  const [first, last] = x.domain().map(Number) as [number, number];
  onScale?.({ kind: 'time', from: first, to: last, box: inner });
  const named = (ends: readonly number[]) => ends.map((y, index) => ({ ...series[index]!, y }));
  return {
    x,
    y: axis.y,
    inner,
    marks: [...key.marks, ...axis.marks, ...dates],
    names: (ends) => (room === 0 ? [] : sideLabels(named(ends), inner, box.right, theme)),
  };
}

/** Rules with their values to the left; `inner` is the rest of the box. */
export function valueAxis(
  box: Box,
  theme: ChartTheme,
  options: ValueAxis & Pick<FrameOptions, 'format' | 'edges'>,
): { y: ValueScale; inner: Box; marks: string[] } {
  const { format } = options;
  const count = Math.max(2, Math.round((box.bottom - box.top) / TICK_EVERY));
  const y = valueScale(options, box.bottom, box.top, count);
  const ticks = distinctTicks(y, options, count).map((value) => ({
    at: y(value),
    text: clipText(format(value), widthOf(box) * MAX_SHARE_OF_WIDTH, TICK_SIZE),
    value,
  }));
  const wide = Math.max(0, ...ticks.map(({ text }) => textWidth(text, TICK_SIZE))) + 8;
  const inner = { ...box, left: box.left + wide, ...options.edges };
  const marks = ticks.flatMap(({ at, text, value }) => [
    element('line', {
      x1: inner.left,
      x2: inner.right,
      y1: at,
      y2: at,
      stroke: value === 0 ? theme.muted : theme.rule,
    }),
    label(text, inner.left - 8, at, { fill: theme.muted, size: TICK_SIZE, anchor: 'end' }),
  ]);
  return { y, inner, marks };
}
