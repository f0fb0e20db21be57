import { capitalise } from '../../words/phrase.ts';
import type { ChartColumn, ChartTable, Series } from '../chart.ts';
import { stackedColumns } from './columns.ts';
import { addDays, type Bin, calendarBins, type Dated, daysFrom, type Step, timeOfDay } from './days.ts';
import type { Plot } from './plot.ts';
import { shortNumber } from './short-number.ts';
import { timeFrame } from './time-frame.ts';

/** What flows by day came to in each bin: per day, so that a week is as high as its days. */
export interface Flow {
  bins: readonly Bin<unknown>[];
  step: Step;
  /** In the order in which they are stacked, the lowest first. */
  series: readonly Series[];
  /** `values[i][j]` of bin i and series j. */
  values: readonly (readonly number[])[];
}

/** Sums the rows of each bin by series, over the bin's days. */
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

/** Stacked columns over time with the series' names. */
export function flowColumns(flow: Flow, colours: readonly string[], plot: Plot): string[] {
  const { bins, series, values } = flow;
  const sums = values.map((bin) => bin.reduce((sum, value) => sum + value, 0));
  const frame = timeFrame(plot, {
    values: sums,
    fromZero: true,
    scale: 'linear',
    from: timeOfDay(bins[0]!.from),
    to: timeOfDay(addDays(bins.at(-1)!.to, 1)),
    format: shortNumber,
    series: series.map(({ label }, index) => ({ text: label, colour: colours[index]! })),
  });
  const ends = middles(values.at(-1)!, frame.y);
  return [...frame.marks, ...stackedColumns(flow, frame, colours), ...frame.names(ends)];
}

function middles(values: readonly number[], y: (value: number) => number): number[] {
  let base = 0;
  return values.map((value, index) => {
    base += value;
    // Names of what has nothing at the end keep the order of the stack.
    return y(base - value / 2) - index / 1000;
  });
}

/** First day, last day, what came to each day of the bin, by series, and how many days it has: the first and the last may be cut. */
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
