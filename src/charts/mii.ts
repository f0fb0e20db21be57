import { area } from 'd3';
import { mii as miiNow } from '../../pipeline/artifacts/economy/mii.ts';
import { miiByDay } from '../../pipeline/artifacts/economy/mii-by-day.ts';
import { type ChartTable, defineChart } from './chart.ts';
import { addDays, type Bin, binDays, daysBetween, inRange, type Step, stepFor, timeOfDay } from './days.ts';
import { element } from './element.ts';
import { LABEL_SIZE, label } from './label.ts';
import { linePath } from './line-path.ts';
import { isNarrow, type Plot, timePlotHeight } from './plot.ts';
import { readDocument, readRows } from './read-file.ts';
import type { ChartTheme } from './theme.ts';
import { type TimeFrame, timeFrame } from './time-frame.ts';
import { countWords, dayWords, shareWords } from './words.ts';

interface Day {
  date: string;
  readings: number;
  mii_mean: number;
  mii_min: number;
  mii_max: number;
  mii: number;
  threshold: number;
  minting_active: boolean;
}

interface Point {
  from: string;
  to: string;
  mean: number;
  min: number;
  max: number;
  threshold: number;
  /** Days of the bin at whose end minting was off. */
  off: number;
}

interface Shown {
  days: readonly Day[];
  points: readonly Point[];
  step: Step;
  /** The latest reading, which may be of the day that is not over; null before the first. */
  now: { mii: number; threshold: number; minting_active: boolean } | null;
}

/** Height of the strip below the plot that says whether minting was on. */
const STRIP = 14;

export const mii = defineChart<{ days: Day[]; now: Shown['now']; asOf: string }, Shown>({
  id: 'mii',
  area: 'economy',
  name: 'Integrity index and its threshold',
  sources: [miiByDay, miiNow],
  controls: ['from', 'to'],
  prepare(files) {
    const { timestamp: asOf, mii, threshold, minting_active } = readDocument(files, miiNow);
    const now = mii === null ? null : { mii, threshold, minting_active };
    return { days: readRows(files, miiByDay), now, asOf };
  },
  asOf: ({ asOf }) => asOf,
  show({ days, now }, state) {
    const inside = inRange(days, state);
    const step = stepFor(daysBetween(inside));
    return {
      days: inside,
      points: binDays(inside, step).map(pointOf),
      step,
      now: state.to === null ? now : null,
    };
  },
  isEmpty: ({ days }) => days.length === 0,
  title: () => 'Integrity index against the threshold below which minting stops',
  unit: ({ step }) =>
    `Share of the highest possible index: mean of each ${step}’s readings, with the range from the lowest to the highest`,
  note: () =>
    'The strip at the bottom is filled on days that ended with minting off. The scale does not begin at zero.',
  summary,
  table,
  plotHeight: (_, width) => timePlotHeight(width),
  plot,
});

function pointOf({ from, to, rows }: Bin<Day>): Point {
  const readings = rows.reduce((sum, day) => sum + day.readings, 0);
  return {
    from,
    to,
    mean: rows.reduce((sum, day) => sum + day.mii_mean * day.readings, 0) / readings,
    min: Math.min(...rows.map((day) => day.mii_min)),
    max: Math.max(...rows.map((day) => day.mii_max)),
    threshold: rows.at(-1)!.threshold,
    off: rows.filter((day) => !day.minting_active).length,
  };
}

function summary({ days, now }: Shown): string[] {
  const lowest = days.reduce((low, day) => (day.mii_min < low.mii_min ? day : low));
  const off = days.filter((day) => !day.minting_active).length;
  const state = now && [
    `The integrity index is ${shareWords(now.mii, 2)}, ${now.minting_active ? 'at or above' : 'below'} its threshold of ${shareWords(now.threshold, 2)}: minting is ${now.minting_active ? 'on' : 'off'}.`,
  ];
  return [
    ...(state ?? []),
    `From ${dayWords(days[0]!.date)} to ${dayWords(days.at(-1)!.date)}, ${off} of ${countWords(days.length, 'day')} ended with minting off.`,
    `The lowest reading was ${shareWords(lowest.mii_min, 2)}, on ${dayWords(lowest.date)}.`,
  ];
}

function table({ points, step }: Shown): ChartTable {
  const share = (name: string, title: string) => ({ name, title, unit: 'share' });
  const rounded = (value: number) => Math.round(value * 1e6) / 1e6;
  return {
    columns: [
      { name: 'from', title: step === 'day' ? 'Day' : `First day of the ${step}`, unit: '' },
      { name: 'to', title: 'Last day', unit: '' },
      share('mii_mean', 'Mean index'),
      share('mii_min', 'Lowest reading'),
      share('mii_max', 'Highest reading'),
      share('threshold', 'Threshold at the end'),
      { name: 'days_minting_off', title: 'Days that ended with minting off', unit: 'days' },
    ],
    rows: points.map(({ from, to, mean, min, max, threshold, off }) => [
      from,
      to,
      rounded(mean),
      min,
      max,
      rounded(threshold),
      off,
    ]),
  };
}

function plot({ points, days }: Shown, { box, theme, ...rest }: Plot): string[] {
  const last = points.at(-1)!;
  const frame = frameOf(points, { ...rest, theme, box: { ...box, bottom: box.bottom - STRIP } });
  const { x, y } = frame;
  const at = ({ from, to }: Point) => x((timeOfDay(from) + timeOfDay(to)) / 2);
  const line = (value: (point: Point) => number) =>
    points.map((point) => ({ x: at(point), y: y(value(point)) }));
  const range = area<Point>(
    at,
    ({ min }) => y(min),
    ({ max }) => y(max),
  ).digits(1)([...points]);
  return [
    ...frame.marks,
    element('path', { d: range ?? '', fill: theme.series[0], 'fill-opacity': 0.22 }),
    linePath(
      line(({ threshold }) => threshold),
      { stroke: theme.contrast, dash: '6 4' },
    ),
    linePath(
      line(({ mean }) => mean),
      { stroke: theme.series[0] },
    ),
    ...offStrip(days, frame, box.bottom, theme),
    ...frame.names([y(last.mean), y(last.threshold)]),
  ];
}

function frameOf(points: readonly Point[], plot: Plot): TimeFrame {
  const [first, last] = [points[0]!, points.at(-1)!];
  const { series, contrast } = plot.theme;
  return timeFrame(plot, {
    values: points.flatMap(({ min, max, threshold }) => [min, max, threshold]),
    fromZero: false,
    leastSpan: 0.02,
    limits: [0, 1],
    scale: 'linear',
    from: timeOfDay(first.from),
    to: timeOfDay(last.to),
    format: (value) => shareWords(value),
    series: [
      { text: `Index ${shareWords(last.mean)}`, colour: series[0] },
      { text: `Threshold ${shareWords(last.threshold)}`, colour: contrast, shape: 'dashes' },
    ],
  });
}

/** A bar for each run of days that ended with minting off, over a rule that stands for all days. */
function offStrip(
  days: readonly Day[],
  { x, inner }: TimeFrame,
  bottom: number,
  theme: ChartTheme,
): string[] {
  const y = bottom - STRIP / 2;
  let d = '';
  let open: string | null = null;
  for (const [index, { date, minting_active }] of days.entries()) {
    if (!minting_active) open ??= date;
    const next = days[index + 1];
    if (open !== null && (!next || next.minting_active)) {
      const [left, right] = [x(timeOfDay(open)), x(timeOfDay(addDays(date, 1)))].map((at) =>
        Math.min(Math.max(at!, inner.left), inner.right),
      ) as [number, number];
      d += `M${left.toFixed(1)},${y - 5}h${Math.max(1, right - left).toFixed(1)}v10h${Math.min(-1, left - right).toFixed(1)}z`;
      open = null;
    }
  }
  const name = isNarrow(inner)
    ? []
    : [label('Minting off', inner.right + 12, y, { fill: theme.contrast, size: LABEL_SIZE })];
  return [
    element('line', { x1: inner.left, x2: inner.right, y1: y, y2: y, stroke: theme.rule }),
    ...(d === '' ? [] : [element('path', { d, fill: theme.contrast }), ...name]),
  ];
}
