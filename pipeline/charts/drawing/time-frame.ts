import {
  type CountableTimeInterval,
  type ScaleContinuousNumeric,
  type ScaleTime,
  scaleLinear,
  scaleLog,
  scaleUtc,
  type TimeInterval,
  utcDay,
  utcFormat,
  utcMonday,
  utcMonth,
  utcYear,
} from 'd3';
import { DAY_MS, timeOfDay } from '../../words/day.ts';
import { type Annotation, annotationList, annotationMarks, layOut } from './annotations.ts';
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
import { type Box, type DrawnColumn, isNarrow, type Plot, widthOf } from './plot.ts';
import type { ChartTheme } from './theme.ts';

type TimeScale = ScaleTime<number, number>;

const dayText = utcFormat('%-d %b');
const monthText = utcFormat('%b');
const yearText = utcFormat('%Y');

/** Over times in ms; a single moment becomes a day. */
export function timeScale(from: number, to: number, left: number, right: number): TimeScale {
  const half = to > from ? 0 : DAY_MS / 2;
  return scaleUtc([new Date(from - half), new Date(to + half)], [left, right]);
}

interface Tick {
  text: string;
  /** On a second line: of the first tick, and of the first one of each year. */
  year: string;
  x: number;
  half: number;
  /** Where the tick itself is; a label at an edge is moved inside. */
  at: number;
}

export type Edges = Pick<Box, 'left' | 'right'>;

interface TickStep {
  unit: 'day' | 'month' | 'year';
  /** From midnight on the first day of a step to the next. */
  interval: CountableTimeInterval | TimeInterval;
  /** The least length, ms. */
  length: number;
}

const months = (count: number): TickStep => ({
  unit: 'month',
  interval: utcMonth.every(count)!,
  length: count * 28 * DAY_MS,
});
const years = (count: number): TickStep => ({
  unit: 'year',
  interval: utcYear.every(count)!,
  length: count * 365 * DAY_MS,
});

/** From the finest to the coarsest. Each set of months contains January, so the boundary of a year is never the tick that is left out. */
const TICK_STEPS: readonly TickStep[] = [
  { unit: 'day', interval: utcDay, length: DAY_MS },
  { unit: 'day', interval: utcDay.filter((day) => (+day / DAY_MS) % 2 === 0), length: 2 * DAY_MS },
  { unit: 'day', interval: utcMonday, length: 7 * DAY_MS },
  ...[1, 2, 3, 6].map(months),
  ...[1, 2, 5, 10, 20, 50, 100, 200, 500].map(years),
];

const GAP = 9;
const YEAR_LINE = 14;

/** Dates below a plot that ends at `top`, as many as fit: months or days above, and the year below the first one of each. */
export function timeAxis(
  x: TimeScale,
  edges: Edges,
  top: number,
  theme: ChartTheme,
  place: 'starts' | 'middles' = 'starts',
): string[] {
  const style = { size: TICK_SIZE, anchor: 'middle' } as const;
  const y = top + AXIS_HEIGHT - YEAR_LINE - 8;
  return fittingTicks(x, edges, place).flatMap(({ text, year, x, at }) => [
    element('line', { x1: at, x2: at, y1: top + 2, y2: top + 6, stroke: theme.muted }),
    label(text, x, y, { ...style, fill: theme.muted }),
    ...(year === '' ? [] : [label(year, x, y + YEAR_LINE, { ...style, fill: theme.ink })]),
  ]);
}

/** The finest regular set of ticks that do not touch: every second month rather than all months but two. */
function fittingTicks(x: TimeScale, edges: Edges, place: 'starts' | 'middles'): Tick[] {
  const [from, to] = x.domain().map(Number) as [number, number];
  const most = (edges.right - edges.left) / 18;
  for (const step of TICK_STEPS) {
    if (place === 'middles' && step.unit === 'day') continue;
    if ((to - from) / step.length > most) continue;
    const ticks = ticksAt(step, x, edges, place);
    if (ticks.length > 0 && !touching(ticks)) return ticks;
  }
  const middle = utcDay.floor(new Date((from + to) / 2));
  return [tickAt(dayText(middle), yearText(middle), x(middle), edges)];
}

function ticksAt(step: TickStep, x: TimeScale, edges: Edges, place: 'starts' | 'middles'): Tick[] {
  const [from, to] = x.domain() as [Date, Date];
  const start = place === 'middles' ? utcMonth.floor(from) : utcDay.ceil(from);
  const days = step.interval.range(start, new Date(+to + 1));
  const placeOf = (day: Date) =>
    place === 'starts' ? x(day) : (x(Math.max(+day, +from)) + x(Math.min(+utcMonth.offset(day, 1), +to))) / 2;
  let year = '';
  const ticks = days.map((day) => {
    const own = yearText(day);
    const text = step.unit === 'day' ? dayText(day) : step.unit === 'month' ? monthText(day) : own;
    const below = step.unit === 'year' || own === year ? '' : own;
    year = own;
    return tickAt(text, below, placeOf(day), edges);
  });
  return step.unit === 'month' ? withStart(ticks, from, placeOf, edges) : ticks;
}

function tickAt(text: string, year: string, at: number, { left, right }: Edges): Tick {
  const half = Math.max(textWidth(text, TICK_SIZE), textWidth(year, TICK_SIZE)) / 2;
  return { text, year, half, at, x: Math.min(Math.max(at, left + half), right - half) };
}

/** The month in which the axis begins is labelled too, where there is room before the first regular tick. */
function withStart(ticks: Tick[], from: Date, place: (day: Date) => number, edges: Edges): Tick[] {
  const [first, ...others] = ticks;
  const month = utcMonth.floor(from);
  const start = tickAt(monthText(month), yearText(from), place(from), edges);
  if (!first) return [start];
  if (first.at - start.at < 1) return ticks;
  const isSameYear = first.year === start.year;
  const next = isSameYear ? { ...first, year: '', half: textWidth(first.text, TICK_SIZE) / 2 } : first;
  return touching([start, next]) ? ticks : [start, next, ...others];
}

function touching(ticks: readonly Tick[]): boolean {
  return ticks.some((tick, index) => {
    const before = ticks[index - 1];
    return before !== undefined && tick.x - tick.half < before.x + before.half + GAP;
  });
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
function valueScale(axis: ValueAxis, bottom: number, top: number, ticks: number): ValueScale {
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
function ticksOf(scale: ValueScale, kind: 'linear' | 'log', count: number): number[] {
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
  /** The annotations, each with a line down to what it explains: a height, px, for each. */
  annotated(ends: (day: Annotation) => number): string[];
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
  edges?: Edges;
  /** For the upper of two plots, since only the lower one has dates. */
  noDates?: boolean;
  /** What the axis's values are, above them: `MIC per day`. */
  unit: string;
  /** Where a step is labelled: at its start, or, for columns of months, in its middle. */
  ticks?: 'starts' | 'middles';
  /** Room between the marks and the dates, px. */
  below?: number;
  /** Days that explain the picture; see `TimeFrame.annotated`. */
  annotations?: readonly Annotation[];
  /** For pointers: the columns of the table that are drawn, see `PlotScale`. */
  drawn?: readonly DrawnColumn[];
}

/** Of the dates below a plot: a tick, a line of months or days, and a line of years. */
export const AXIS_HEIGHT = 40;
/** Of the axis's unit, above its highest value. */
const UNIT_HEIGHT = 18;
const TICK_EVERY = 56;
/** The largest share of the width for the values of the axis. */
const MAX_SHARE_OF_WIDTH = 0.36;

/** The axes of a chart over time: horizontal rules with their values, and dates below. */
export function timeFrame(
  { box, theme, onScale, withoutList = false }: Plot,
  options: FrameOptions,
): TimeFrame {
  const { from, to, series = [], noDates = false, namesBeside = false, below = 0 } = options;
  const narrow = isNarrow(box) && !namesBeside;
  const key = narrow ? legend(series, box, theme) : { height: 0, marks: [] };
  const room = narrow || series.length === 0 ? 0 : sideLabelRoom(series, box);
  const unitTop = box.top + key.height;
  const free = {
    ...box,
    right: box.right - room,
    top: unitTop + (options.unit === '' ? 0 : UNIT_HEIGHT) + TICK_SIZE / 2,
    bottom: box.bottom - below - (noDates ? TICK_SIZE / 2 : AXIS_HEIGHT),
  };
  const { annotations = [] } = options;
  const placesIn = ({ inner }: { inner: Box }) => {
    const scale = timeScale(from, to, inner.left, inner.right);
    return annotations.map((one) => middleOf(one, scale));
  };
  // How wide the axis is depends on its height, and its height on where the annotations fit.
  const draft = annotations.length === 0 ? null : valueAxis(free, theme, options);
  const layout = draft
    ? layOut(annotations, placesIn(draft), draft.inner, box)
    : { above: 0, below: 0, places: null };
  const listed = withoutList ? 0 : layout.below;
  const bottom = free.bottom - listed;
  const axis = valueAxis({ ...free, top: free.top + layout.above, bottom }, theme, options);
  const { inner } = axis;
  const x = timeScale(from, to, inner.left, inner.right);
  const dates = noDates
    ? []
    : timeAxis(x, { left: box.left, right: box.right }, bottom + below, theme, options.ticks);
  const unit = label(clipText(options.unit, widthOf(box), TICK_SIZE), box.left, unitTop + TICK_SIZE / 2, {
    fill: theme.muted,
    size: TICK_SIZE,
  });
  const [first, last] = x.domain().map(Number) as [number, number];
  onScale?.({
    kind: 'time',
    from: first,
    to: last,
    box: inner,
    values: { domain: axis.y.domain() as [number, number], scale: options.scale },
    drawn: options.drawn ?? [],
  });
  const named = (ends: readonly number[]) => ends.map((y, index) => ({ ...series[index]!, y }));
  return {
    x,
    y: axis.y,
    inner,
    marks: [...key.marks, ...(options.unit === '' ? [] : [unit]), ...axis.marks, ...dates],
    annotated: (endOf) => [
      ...annotationMarks(annotations, layout, {
        at: placesIn(axis),
        ends: annotations.map(endOf),
        inner,
        theme,
      }),
      ...(listed === 0 ? [] : annotationList(annotations, { ...box, top: box.bottom - listed }, theme)),
    ],
    names: (ends) => (room === 0 ? [] : sideLabels(named(ends), inner, box.right, theme)),
  };
}

/** The middle of an annotation's days, inside the plot. */
function middleOf({ day, end = day }: Annotation, x: TimeScale): number {
  const [left, right] = x.range() as [number, number];
  const at = x((timeOfDay(day) + timeOfDay(end) + DAY_MS) / 2);
  return Math.min(Math.max(at, left), right);
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
