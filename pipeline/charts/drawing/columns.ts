import { addDays, daysFrom, timeOfDay } from '../../words/day.ts';
import { capitalise } from '../../words/phrase.ts';
import type { ChartColumn, ChartTable, Series } from '../chart.ts';
import type { Annotation } from './annotations.ts';
import { type Bin, calendarBins, type Dated, isWhole, type Step } from './days.ts';
import { element } from './element.ts';
import { shortNumber } from './label.ts';
import type { Plot } from './plot.ts';
import { type TimeFrame, timeFrame } from './time-frame.ts';

interface Rect {
  left: number;
  right: number;
  top: number;
  bottom: number;
}

/** The distance between two hatching lines, px. */
const EVERY = 5;

/**
 * Pale, hatched rectangles for incomplete periods, which do not compare with complete ones. Drawn as lines, because an SVG
 * pattern needs an id, and one page holds several pictures.
 */
export function hatched(rects: readonly Rect[], colour: string): string[] {
  const drawn = rects.filter(({ top, bottom }) => bottom - top > 0.05);
  if (drawn.length === 0) return [];
  const outline = drawn.map(
    ({ left, right, top, bottom }) =>
      `M${short(left)},${short(bottom)}H${short(right)}V${short(top)}H${short(left)}z`,
  );
  return [
    element('path', {
      d: outline.join(''),
      fill: colour,
      'fill-opacity': 0.25,
      stroke: colour,
      'stroke-width': 0.75,
    }),
    element('path', { d: drawn.map(lines).join(''), fill: 'none', stroke: colour, 'stroke-width': 1.25 }),
  ];
}

/** Rising at 45°, on one grid for all rectangles, so that stacked parts of a bar line up. */
function lines({ left, right, top, bottom }: Rect): string {
  let d = '';
  for (let sum = Math.ceil((left + top) / EVERY) * EVERY; sum < right + bottom; sum += EVERY) {
    const [x1, x2] = [Math.max(left, sum - bottom), Math.min(right, sum - top)];
    if (x2 - x1 > 0.05) d += `M${short(x1)},${short(sum - x1)}L${short(x2)},${short(sum - x2)}`;
  }
  return d;
}

/** The gap between two columns that are wide enough for one. */
const GAP = 1;

/**
 * Stacked columns over time: `values[i][j]` of bin i and series j. One path per series, since a rectangle per value would be
 * ten times the text. Columns of incomplete bins are hatched.
 */
export function stackedColumns(
  {
    bins,
    values,
    step,
  }: { bins: readonly Bin<unknown>[]; values: readonly (readonly number[])[]; step: Step },
  { x, y }: Pick<TimeFrame, 'x' | 'y'>,
  colours: readonly string[],
): string[] {
  const paths = colours.map(() => '');
  const partial: Rect[][] = colours.map(() => []);
  for (const [index, bin] of bins.entries()) {
    const [left, end] = [x(timeOfDay(bin.from)), x(timeOfDay(addDays(bin.to, 1)))];
    const right = end - left > 3 * GAP ? end - GAP : end;
    const whole = isWhole(bin, step);
    let base = 0;
    for (const [series, value] of values[index]!.entries()) {
      const [bottom, top] = [y(base), y(base + value)];
      base += value;
      if (value <= 0) continue;
      if (whole)
        paths[series] +=
          `M${short(left)},${short(bottom)}h${short(right - left)}V${short(top)}h${short(left - right)}z`;
      else partial[series]!.push({ left, right, top, bottom });
    }
  }
  return colours.flatMap((fill, index) => [
    ...(paths[index] === '' ? [] : [element('path', { d: paths[index]!, fill })]),
    ...hatched(partial[index]!, fill),
  ]);
}

function short(value: number): number {
  return Math.round(value * 10) / 10;
}

/** The mean flow per day of each bin, so that weeks and days have the same scale. */
export interface Flow {
  bins: readonly Bin<unknown>[];
  step: Step;
  /** In stacking order, lowest first. */
  series: readonly Series[];
  /** `values[i][j]` of bin i and series j. */
  values: readonly (readonly number[])[];
}

/** Sums the rows of each bin by series, and divides by the days of the bin. */
export function flowOf<T extends Dated>(
  all: readonly T[],
  step: Step,
  series: readonly Series[],
  amount: (row: T) => { name: string; value: number },
): Flow {
  const bins = calendarBins(all, step);
  const values = bins.map(({ rows, from, to }) => {
    const days = daysFrom(from, to);
    const sums = new Map<string, number>();
    for (const row of rows) {
      const { name, value } = amount(row);
      sums.set(name, (sums.get(name) ?? 0) + value);
    }
    return series.map(({ name }) => (sums.get(name) ?? 0) / days);
  });
  return { bins, step, series, values };
}

/** Stacked columns over time, with the names of the series. */
export function flowColumns(
  flow: Flow,
  {
    colours,
    unit,
    annotations = [],
  }: { colours: readonly string[]; unit: string; annotations?: readonly Annotation[] },
  plot: Plot,
): string[] {
  const { bins, series, values } = flow;
  const sums = values.map((bin) => bin.reduce((sum, value) => sum + value, 0));
  const frame = timeFrame(plot, {
    values: sums,
    fromZero: true,
    scale: 'linear',
    from: timeOfDay(bins[0]!.from),
    to: timeOfDay(addDays(bins.at(-1)!.to, 1)),
    format: shortNumber,
    series: series.map(({ label }, index) => ({ text: label, colour: colours[index]!, area: true })),
    unit,
    annotations,
    drawn: series.map(({ name }, index) => ({ column: name, colour: colours[index]!, mark: 'area' })),
  });
  const ends = middles(values.at(-1)!, frame.y);
  const topOf = ({ day }: Annotation) => {
    const index = bins.findIndex(({ from, to }) => from <= day && day <= to);
    return frame.y(sums[index] ?? 0) - 2;
  };
  return [
    ...frame.marks,
    ...stackedColumns(flow, frame, colours),
    ...frame.annotated(topOf),
    ...frame.names(ends),
  ];
}

function middles(values: readonly number[], y: (value: number) => number): number[] {
  let base = 0;
  return values.map((value, index) => {
    base += value;
    // Names of series without a value at the end keep the stacking order.
    return y(base - value / 2) - index / 1000;
  });
}

/** For each bin: first and last day, flow per day by series, and the number of days, since the first and last bin may be incomplete. */
export function flowTable({ bins, step, series, values }: Flow, unit: string): ChartTable {
  const days: ChartColumn[] =
    step === 'day'
      ? [{ name: 'date', title: 'Day', unit: '' }]
      : [
          { name: 'from', title: `First day of the ${step}`, unit: '' },
          { name: 'to', title: 'Last day', unit: '' },
        ];
  return {
    columns: [
      ...days,
      ...series.map(({ name, label }) => ({ name, title: capitalise(label), unit })),
      ...(step === 'day' ? [] : [{ name: 'days', title: 'Days counted', unit: 'days' }]),
    ],
    rows: bins.map(({ from, to }, index) => [
      ...(step === 'day' ? [from] : [from, to]),
      ...values[index]!.map((value) => Math.round(value * 1e6) / 1e6),
      ...(step === 'day' ? [] : [daysFrom(from, to)]),
    ]),
  };
}
