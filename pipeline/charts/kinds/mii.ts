import { area } from 'd3';
import { sentinelsByDay } from '../../artifacts/academics/sentinels-by-day.ts';
import { mii as miiNow } from '../../artifacts/economy/mii.ts';
import { miiByDay } from '../../artifacts/economy/mii-by-day.ts';
import type { Content } from '../../artifacts/published-files.ts';
import { addDays, timeOfDay } from '../../words/day.ts';
import { formatDay, formatSpan } from '../../words/moment.ts';
import { formatCount, formatIndex, formatNumber } from '../../words/number.ts';
import { formatList } from '../../words/phrase.ts';
import { type Annotation, type ChartTable, defineChart, MOST_ANNOTATIONS } from '../chart.ts';
import { roomFor } from '../drawing/annotations.ts';
import {
  type Bin,
  calendarBins,
  daysBetween,
  inRange,
  partialWords,
  type Step,
  stepFor,
} from '../drawing/days.ts';
import { element, linePath } from '../drawing/element.ts';
import { LABEL_SIZE, label } from '../drawing/label.ts';
import { isNarrow, type Plot, timePlotHeight } from '../drawing/plot.ts';
import type { ChartTheme } from '../drawing/theme.ts';
import { type TimeFrame, timeFrame } from '../drawing/time-frame.ts';
import { offRuns } from './minting-off.ts';

type Day = Content<typeof miiByDay>[number];

interface Point {
  from: string;
  to: string;
  mean: number;
  min: number;
  max: number;
  threshold: number | null;
  /** Days of the bin that ended with minting off. */
  off: number;
}

interface Shown {
  days: readonly Day[];
  points: readonly Point[];
  step: Step;
  annotations: readonly Annotation[];
  /** The latest reading, possibly of the current day; null before the first. */
  now: { mii: number; threshold: number | null; minting_active: boolean | null; time: number } | null;
}

/** Height of the strip between the plot and the dates that shows when minting was off. */
const STRIP = 20;
/** Radius of the latest reading. A narrow picture ends at the plot's edge, so the dot is moved inside. */
const DOT = 3.5;

interface Data {
  days: readonly Day[];
  now: Shown['now'];
  /** The sentinels that were offline, by day. */
  offline: ReadonlyMap<string, readonly string[]>;
  asOf: string;
}

export const mii = defineChart<Data, Shown>({
  id: 'mii',
  area: 'economy',
  name: 'Integrity index and its threshold',
  sources: [miiByDay, miiNow, sentinelsByDay],
  controls: ['from', 'to'],
  prepare(files) {
    const { timestamp: asOf, mii, threshold, minting_active } = files.read(miiNow);
    const now = mii === null ? null : { mii, threshold, minting_active, time: Date.parse(asOf) };
    const silent = files.read(sentinelsByDay).filter(({ status }) => status === 'offline');
    const offline = new Map(
      [...Map.groupBy(silent, ({ date }) => date)].map(
        ([date, rows]) => [date, rows.map(({ sentinel }) => sentinel)] as const,
      ),
    );
    return { days: files.read(miiByDay), now, offline, asOf };
  },
  days: ({ days }) => days,
  asOf: ({ asOf }) => asOf,
  show({ days, now, offline }, state) {
    const inside = inRange(days, state);
    const step = stepFor(daysBetween(inside));
    return {
      days: inside,
      annotations: annotationsOf(inside, offline),
      // A day without a reading does not make a week incomplete.
      points: calendarBins(inside, step)
        .filter(({ rows }) => rows.length > 0)
        .map(pointOf),
      step,
      now: state.to === null && now && now.time >= timeOfDay(inside[0]?.date ?? '') ? now : null,
    };
  },
  isEmpty: ({ days }) => days.length === 0,
  missing: {
    nothing: 'There is no whole day yet with a reading of the integrity index.',
    types: ['mii_reading'],
    wholeDays: true,
  },
  title: () => 'Integrity index against the threshold below which minting stops',
  finding,
  annotations: ({ annotations }) => annotations,
  unit: ({ step }) =>
    `From 0 to 1: mean of each ${step}’s readings, with the range from the lowest to the highest, and the latest reading`,
  note: ({ points, step }) =>
    `The strip at the bottom is filled on days that ended with minting off. The scale does not begin at zero. ${partialWords(points, step)}`.trim(),
  summary,
  table,
  plotHeight: ({ annotations }, width) => timePlotHeight(width) + roomFor(annotations, width),
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
    off: rows.filter(isOff).length,
  };
}

/** More names would not fit beside the mark. */
const MOST_NAMES = 2;

/** The longest times with minting off, and who was offline then or on the day before: in time together, which states no cause. */
function annotationsOf(days: readonly Day[], offline: Data['offline']): Annotation[] {
  const runs = offRuns(days).slice(0, MOST_ANNOTATIONS);
  return runs
    .map(({ from, to, days: length }) => {
      const dates = Array.from({ length: length + 1 }, (_, index) => addDays(from, index - 1));
      const names = [...new Set(dates.flatMap((date) => offline.get(date) ?? []))].sort();
      const who = names.length > MOST_NAMES ? `${names.length} sentinels` : formatList(names);
      const off = length === 1 ? 'Minting off for a day' : `Minting off for ${length} days`;
      return {
        day: from,
        end: to,
        label: names.length === 0 ? off : `${off}; ${who} offline`,
      };
    })
    .sort((a, b) => (a.day < b.day ? -1 : 1));
}

const isOff = (day: Pick<Day, 'minting_active'>) => day.minting_active === false;

/** Fewer days say nothing about how often minting is off. */
const LEAST_DAYS = 7;

/** On how many of the days minting was off. */
function finding({ days }: Shown): string | null {
  // A day without a threshold ended neither on nor off.
  if (days.length < LEAST_DAYS || days.some(({ minting_active }) => minting_active === null)) return null;
  const off = days.filter(isOff).length;
  if (off === 0) return `Minting was on at the end of each of ${formatCount(days.length, 'day')}`;
  if (off === days.length) return `Minting was off at the end of each of ${formatCount(days.length, 'day')}`;
  return `Minting was off at the end of ${formatNumber(off)} of ${formatCount(days.length, 'day')}`;
}

function summary({ days, now }: Shown): string[] {
  const lowest = days.reduce((low, day) => (day.mii_min < low.mii_min ? day : low));
  const off = days.filter(isOff).length;
  const state = now && [standing(now)];
  if (days.length === 1)
    return [
      ...(state ?? []),
      lowest.minting_active === null
        ? `On ${formatDay(lowest.date)}, the lowest reading was ${formatIndex(lowest.mii_min)}; there was no threshold.`
        : `On ${formatDay(lowest.date)}, minting was ${off === 1 ? 'off' : 'on'} at the end of the day, and the lowest reading was ${formatIndex(lowest.mii_min)}.`,
    ];
  return [
    ...(state ?? []),
    `${formatSpan(days[0]!.date, days.at(-1)!.date)}, ${off} of ${formatCount(days.length, 'day')} ended with minting off.`,
    `The lowest reading of these days was ${formatIndex(lowest.mii_min)}, on ${formatDay(lowest.date)}.`,
  ];
}

function standing({ mii, threshold, minting_active }: NonNullable<Shown['now']>): string {
  if (threshold === null)
    return `The integrity index is ${formatIndex(mii)}. Without a supply there is no threshold to compare it with.`;
  const minting = `minting is ${minting_active ? 'on' : 'off'}`;
  const side = minting_active ? 'at or above' : 'below';
  return `The integrity index is ${formatIndex(mii)}, ${side} its threshold of ${formatIndex(threshold)}: ${minting}.`;
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
      threshold === null ? null : rounded(threshold),
      off,
    ]),
  };
}

function plot(shown: Shown, { box, theme, ...rest }: Plot): string[] {
  const { points, days, now } = shown;
  const ends = endsOf(shown, theme);
  const frame = frameOf(shown, ends, { ...rest, theme, box });
  const { x, y } = frame;
  const at = ({ from, to }: Point) => x((timeOfDay(from) + timeOfDay(to)) / 2);
  const line = (value: (point: Point) => number | null) =>
    points.map((point) => ({ x: at(point), y: heightOf(value(point), y) }));
  const range = area<Point>(
    at,
    ({ min }) => y(min),
    ({ max }) => y(max),
  ).digits(1)([...points]);
  return [
    ...frame.marks,
    element('path', { d: range ?? '', fill: theme.subject, 'fill-opacity': 0.22 }),
    linePath([...line(({ threshold }) => threshold), ...thresholdNow(shown, frame)], {
      stroke: theme.contrast,
      dash: '6 4',
    }),
    linePath(
      line(({ mean }) => mean),
      { stroke: theme.subject },
    ),
    ...(now
      ? [
          element('circle', {
            cx: Math.min(x(now.time), box.right - DOT),
            cy: y(now.mii),
            r: DOT,
            fill: theme.subject,
          }),
        ]
      : []),
    ...frame.annotated(({ day }) => lowestOf(points, day, y)),
    ...offStrip(days, frame, theme),
    ...frame.names(ends.map(({ value }) => y(value))),
  ];
}

/** The lowest reading of the day's bin, which an annotation points to. */
function lowestOf(points: readonly Point[], day: string, y: TimeFrame['y']): number {
  const point = points.find(({ from, to }) => from <= day && day <= to);
  return point ? y(point.min) : 0;
}

/** A single day gives the threshold no line, but with the latest reading it has a second point. */
function thresholdNow({ points, now }: Shown, { x, y }: TimeFrame) {
  return now && points.length === 1 ? [{ x: x(now.time), y: heightOf(now.threshold, y) }] : [];
}

function heightOf(value: number | null, y: TimeFrame['y']): number | null {
  return value === null ? null : y(value);
}

/** The values at the ends of the lines: the latest reading, which the page quotes, or the last mean of a past range. */
function endsOf({ points, now, step }: Shown, { subject, contrast }: ChartTheme) {
  const last = points.at(-1)!;
  const threshold = now ? now.threshold : last.threshold;
  return [
    now
      ? { text: `Latest reading ${formatIndex(now.mii)}`, colour: subject, value: now.mii }
      : { text: `Mean of the ${step} ${formatIndex(last.mean)}`, colour: subject, value: last.mean },
    ...(threshold === null
      ? []
      : [
          {
            text: `Threshold ${formatIndex(threshold)}`,
            colour: contrast,
            shape: 'dashes' as const,
            value: threshold,
          },
        ]),
  ];
}

function frameOf(
  { points, now, annotations }: Shown,
  ends: ReturnType<typeof endsOf>,
  plot: Plot,
): TimeFrame {
  const [first, last] = [points[0]!, points.at(-1)!];
  const values = points.flatMap(({ min, max, mean, threshold }) => [min, max, mean, threshold ?? min]);
  return timeFrame(plot, {
    values: [...values, ...ends.map(({ value }) => value)],
    fromZero: false,
    leastSpan: 0.02,
    limits: [0, 1],
    scale: 'linear',
    from: timeOfDay(first.from),
    to: Math.max(timeOfDay(last.to), now?.time ?? 0),
    // Rules 0.005 apart need a third decimal place: with two, 0.955 and 0.96 would have the same label.
    format: (value) => formatNumber(value, Math.abs(value * 100 - Math.round(value * 100)) < 1e-6 ? 2 : 3),
    unit: 'Index, share',
    below: STRIP,
    annotations,
    drawn: [
      { column: 'mii_mean', colour: plot.theme.subject, mark: 'line' },
      { column: 'threshold', colour: plot.theme.contrast, mark: 'line' },
    ],
    series: ends,
  });
}

/** A bar for each run of days that ended with minting off, on a rule that represents all days. */
function offStrip(days: readonly Day[], { x, inner }: TimeFrame, theme: ChartTheme): string[] {
  const y = inner.bottom + STRIP / 2 + 2;
  let d = '';
  let open: string | null = null;
  for (const [index, day] of days.entries()) {
    const { date } = day;
    if (isOff(day)) open ??= date;
    const next = days[index + 1];
    if (open !== null && (!next || !isOff(next))) {
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
