import { element } from './element.ts';
import { label, TICK_SIZE } from './label.ts';
import { type LegendItem, legend } from './legend.ts';
import { type Box, isNarrow, type Plot, widthOf } from './plot.ts';
import { sideLabelRoom, sideLabels } from './side-labels.ts';
import { clipText, textWidth } from './text-width.ts';
import type { ChartTheme } from './theme.ts';
import { type TimeScale, timeAxis, timeScale } from './time-axis.ts';
import { ticksOf, type ValueAxis, type ValueScale, valueScale } from './value-scale.ts';

export interface TimeFrame {
  x: TimeScale;
  y: ValueScale;
  /** Where marks go: inside the axes. */
  inner: Box;
  /** Grid lines, axis labels, and the legend of a narrow plot: drawn first. */
  marks: string[];
  /** The series' names at their ends, at these heights; nothing in a narrow plot, whose legend has them. */
  names(ends: readonly number[]): string[];
}

interface FrameOptions extends ValueAxis {
  /** First and last moment in ms. */
  from: number;
  to: number;
  format: (value: number) => string;
  /** Of the series, in the order of `names`. */
  series?: readonly LegendItem[];
  /** True: names stand beside the marks in a narrow plot, too. */
  namesBeside?: boolean;
  /** Left and right end of the marks, where another plot decides about them. */
  edges?: Pick<Box, 'left' | 'right'>;
  /** Of two plots over each other only the lower one has dates. */
  noDates?: boolean;
}

export const AXIS_HEIGHT = 24;
const TICK_EVERY = 56;
/** That values before the rules take, at most. */
const MOST_OF_WIDTH = 0.36;

/** Value and time axes of a chart over time: horizontal rules, values before them, dates below. */
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

/** Rules with their values to the left; `inner` is what is left of the box. */
export function valueAxis(
  box: Box,
  theme: ChartTheme,
  options: ValueAxis & Pick<FrameOptions, 'format' | 'edges'>,
): { y: ValueScale; inner: Box; marks: string[] } {
  const { format, scale } = options;
  const count = Math.max(2, Math.round((box.bottom - box.top) / TICK_EVERY));
  const y = valueScale(options, box.bottom, box.top, count);
  const ticks = ticksOf(y, scale, count).map((value) => ({
    at: y(value),
    text: clipText(format(value), widthOf(box) * MOST_OF_WIDTH, TICK_SIZE),
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
