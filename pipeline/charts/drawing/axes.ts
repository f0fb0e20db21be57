import {
  extent,
  precisionFixed,
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
import { DAY_MS } from '../../words/day.ts';
import { segment } from './element.ts';
import { clipText, label, labelNumber, shortNumber, TICK_SIZE, textWidth } from './label.ts';
import type { Box, Edges } from './plot.ts';
import type { ChartTheme } from './theme.ts';

export type TimeScale = ScaleTime<number, number>;
export type ValueScale = ScaleContinuousNumeric<number, number>;

/** Of the dates below a plot: a tick, a line of months or days, and a line of years. */
export const AXIS_HEIGHT = 40;
const YEAR_LINE = 14;
const GAP = 9;

/** Over times in ms; a single moment becomes a day. */
export function timeScale(from: number, to: number, { left, right }: Edges): TimeScale {
  const half = to > from ? 0 : DAY_MS / 2;
  return scaleUtc([new Date(from - half), new Date(to + half)], [left, right]);
}

const dayText = utcFormat('%-d %b');
const monthText = utcFormat('%b');
const yearText = utcFormat('%Y');

/** A set of ticks. `longest`: the most days between two of them. */
interface TickStep {
  interval: TimeInterval;
  text: (day: Date) => string;
  longest: number;
}

/** From the finest to the coarsest. Each set of months contains January, so the boundary of a year is never the tick left out. */
const TICK_STEPS: readonly TickStep[] = [
  { interval: utcDay, text: dayText, longest: 1 },
  { interval: utcDay.filter((day) => (+day / DAY_MS) % 2 === 0), text: dayText, longest: 2 },
  { interval: utcMonday, text: dayText, longest: 7 },
  ...[1, 2, 3, 6].map((n) => ({ interval: utcMonth.every(n)!, text: monthText, longest: 31 * n })),
  ...[1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000].map((n) => ({
    interval: utcYear.every(n)!,
    text: yearText,
    longest: 366 * n,
  })),
];

interface Tick {
  text: string;
  /** On a second line: of the first tick, and of the first one of each year. */
  year: string;
  /** Where the tick is, and its label, which at an edge is moved inside. */
  at: number;
  x: number;
  half: number;
}

/** Dates below a plot that ends at `top`, as many as fit. `months`: each in the middle of its month, for columns of months. */
export function timeAxis(
  x: TimeScale,
  edges: Edges,
  top: number,
  theme: ChartTheme,
  { months = false } = {},
): string[] {
  const style = { size: TICK_SIZE, anchor: 'middle' } as const;
  const y = top + AXIS_HEIGHT - YEAR_LINE - 8;
  return fittingTicks(x, edges, months).flatMap(({ text, year, x, at }) => [
    segment([at, top + 2], [at, top + 6], { stroke: theme.muted }),
    label(text, x, y, { ...style, fill: theme.muted }),
    ...(year === '' ? [] : [label(year, x, y + YEAR_LINE, { ...style, fill: theme.ink })]),
  ]);
}

/** The finest regular set of ticks that do not touch: every second month rather than all months but two. */
function fittingTicks(x: TimeScale, edges: Edges, months: boolean): Tick[] {
  const [from, to] = x.domain() as [Date, Date];
  const most = (edges.right - edges.left) / 18;
  for (const { interval, text, longest } of TICK_STEPS) {
    if (months && text === dayText) continue;
    // Where an event has a time of the year 9999, listing the days alone takes seconds for each chart.
    if ((+to - +from) / (longest * DAY_MS) - 1 > most) continue;
    const days = interval.range(months ? utcMonth.floor(from) : utcDay.ceil(from), to);
    if (days.length > most) continue;
    let year = '';
    const ticks = days.map((day) => {
      const middle = (Math.max(+day, +from) + Math.min(+utcMonth.offset(day, 1), +to)) / 2;
      const at = x(months ? middle : day);
      const own = yearText(day);
      const below = text === yearText || own === year ? '' : own;
      year = own;
      return tickAt(text(day), below, at, edges);
    });
    if (ticks.length > 0 && !ticks.some((tick, index) => index > 0 && touches(ticks[index - 1]!, tick)))
      return ticks;
  }
  // The day of a ledger that began at noon began before the axis.
  const middle = utcDay.floor(new Date((+from + +to) / 2));
  return [tickAt(dayText(middle), yearText(middle), x(Math.max(+middle, +from)), edges)];
}

function tickAt(text: string, year: string, at: number, { left, right }: Edges): Tick {
  const half = Math.max(textWidth(text, TICK_SIZE), textWidth(year, TICK_SIZE)) / 2;
  return { text, year, half, at, x: Math.min(Math.max(at, left + half), right - half) };
}

function touches(before: Pick<Tick, 'x' | 'half'>, tick: Pick<Tick, 'x' | 'half'>): boolean {
  return tick.x - tick.half < before.x + before.half + GAP;
}

export interface ValueAxis {
  /** The values to draw, which determine the domain. */
  values: readonly number[];
  scale?: 'linear' | 'log';
  /** A linear axis begins at zero unless it has this: its least span, so that noise does not look like news. */
  leastSpan?: number | undefined;
  /** The domain never exceeds these limits, even to reach round numbers: shares end at 0 and 1. */
  limits?: readonly [number, number] | undefined;
  numbers?: AxisNumbers;
}

/**
 * What the values of an axis are: amounts, whose size matters; whole numbers, of which there are no parts; or exact ones, each with as
 * many decimals as the finest.
 */
export type AxisNumbers = 'short' | 'whole' | 'exact';

/** Of the ticks of an axis; empty for one that has a rule only. */
function tickTexts(ticks: readonly number[], numbers: AxisNumbers): string[] {
  if (numbers === 'short') return ticks.map(shortNumber);
  if (numbers === 'whole') return ticks.map((value) => (Number.isInteger(value) ? shortNumber(value) : ''));
  const [first = 0, second = first] = ticks;
  const decimals = second === first ? 0 : precisionFixed(second - first);
  return ticks.map((value) => labelNumber(value, decimals));
}

/** Values below a plot, at most `most`, and few enough that none touches another. */
export function levelTicks(x: ValueScale, most: number): { at: number; text: string }[] {
  const values = x.ticks(most);
  const texts = tickTexts(values, 'exact');
  const ticks = values.map((value, index) => {
    const text = texts[index]!;
    return { text, at: x(value), x: x(value), half: textWidth(text, TICK_SIZE) / 2 };
  });
  const isTight = ticks.some((tick, index) => index > 0 && touches(ticks[index - 1]!, tick));
  return isTight && most > 1 ? levelTicks(x, most - 1) : ticks;
}

const TICK_EVERY = 56;
/** The largest share of the width for the values of the axis. */
const MAX_SHARE_OF_WIDTH = 0.36;

interface DrawnAxis {
  y: ValueScale;
  /** Width of the values to the left of the rules, px. */
  width: number;
  /** The rules between two edges; `values: false` leaves the values out. */
  marks: (edges: Edges, theme: ChartTheme, look?: { values: boolean }) => string[];
}

/** An axis with round ends between two heights, and horizontal rules with their values. */
export function valueAxis({ top, bottom, left, right }: Box, axis: ValueAxis): DrawnAxis {
  const count = Math.max(2, Math.round((bottom - top) / TICK_EVERY));
  const y = axis.scale === 'log' ? logScale(axis, bottom, top) : linearScale(axis, bottom, top, count);
  const ticks = distinctTicks(y, axis, count).map(({ value, text }) => ({
    at: y(value),
    text: clipText(text, (right - left) * MAX_SHARE_OF_WIDTH, TICK_SIZE),
    stroke: value === 0 ? ('muted' as const) : ('rule' as const),
  }));
  return {
    y,
    width: Math.max(0, ...ticks.map(({ text }) => textWidth(text, TICK_SIZE))) + 8,
    marks: (edges, theme, { values } = { values: true }) =>
      ticks.flatMap(({ at, text, stroke }) => [
        segment([edges.left, at], [edges.right, at], { stroke: theme[stroke] }),
        ...(values && text !== ''
          ? [label(text, edges.left - 8, at, { fill: theme.muted, size: TICK_SIZE, anchor: 'end' })]
          : []),
      ]),
  };
}

/** For linear scales: no published value is finer, and rounding would find no ticks. */
const LEAST_SPAN = 1e-9;
/** Amounts have six decimal places. */
const LEAST_LOGARITHM = 1e-6;

/** Values of 0 and less, which have no logarithm, lie on the lower end. */
function logScale({ values }: ValueAxis, bottom: number, top: number): ValueScale {
  const [least = 1, most = 10] = extent(values.filter((value) => value >= LEAST_LOGARITHM));
  const low = 10 ** Math.floor(Math.log10(least));
  const high = 10 ** Math.ceil(Math.log10(most));
  return scaleLog([low, high > low ? high : low * 10], [bottom, top]).clamp(true);
}

function linearScale(
  { values, leastSpan, limits = [-Infinity, Infinity] }: ValueAxis,
  bottom: number,
  top: number,
  count: number,
): ValueScale {
  const [least = 0, most = 0] = extent(values);
  const needed = leastSpan === undefined ? 0 : Math.max(leastSpan, Math.abs(most) * 1e-6, LEAST_SPAN);
  const missing = Math.max(0, needed - (most - least)) / 2;
  const isFromZero = leastSpan === undefined;
  const low = isFromZero ? Math.min(0, least) : least - missing;
  const end = isFromZero ? Math.max(0, most) : most + missing;
  const high = end - low < LEAST_SPAN ? low + 1 : end;
  const scale = scaleLinear([low, high], [bottom, top]).nice(count);
  const [from, to] = scale.domain() as [number, number];
  return scale.domain([Math.max(from, Math.min(limits[0], low)), Math.min(to, Math.max(limits[1], high))]);
}

/** Fewer ticks if two would have the same label. Only that of zero if all values are zero, because no unit follows from them. */
function distinctTicks(
  y: ValueScale,
  { values, numbers = 'short', leastSpan, scale = 'linear' }: ValueAxis,
  most: number,
): { value: number; text: string }[] {
  const isZero = values.every((value) => value === 0);
  if (isZero && scale === 'linear' && leastSpan === undefined) return [{ value: 0, text: '0' }];
  for (let count = most; ; count -= 1) {
    const ticks = scale === 'linear' ? y.ticks(count) : powersOf(y, count);
    const texts = tickTexts(ticks, numbers);
    const written = texts.filter((text) => text !== '');
    if (count <= 2 || new Set(written).size === written.length)
      return ticks.map((value, index) => ({ value, text: texts[index]! }));
  }
}

/** Powers of ten, with twos and fives if those are few. */
function powersOf(scale: ValueScale, count: number): number[] {
  const [low, high] = scale.domain().map(Math.log10).map(Math.round) as [number, number];
  const stride = Math.max(1, Math.ceil((high - low) / count));
  const factors = high - low <= 2 ? [1, 2, 5] : [1];
  const powers = Array.from({ length: Math.floor((high - low) / stride) + 1 }, (_, at) => low + at * stride);
  return powers
    .flatMap((power) => factors.map((factor) => factor * 10 ** power))
    .filter((v) => v <= 10 ** high);
}
