import { daysFrom } from '../../words/day.ts';
import { capitalise } from '../../words/phrase.ts';
import type { Series } from '../chart.ts';
import { type ChartTable, column } from '../chart-table.ts';
import {
  type Bin,
  calendarBins,
  type Dated,
  HATCHED,
  isWhole,
  partialWords,
  type Step,
} from '../drawing/days.ts';
import type { OverTime } from '../drawing/over-time.ts';
import type { Colour } from '../drawing/theme.ts';

/** Amounts by day, week or month and by series, as a table and as columns. */
export interface Flow extends ChartTable {
  bins: readonly Bin<unknown>[];
  /** Of the series in all. */
  totals: readonly number[];
  /** The weeks or months that are not whole. */
  note: string;
  mark: (colours: readonly Colour[], axis: { unit: string; format?: (value: number) => string }) => OverTime;
}

interface Flowing<T extends Dated> {
  rows: readonly T[];
  step: Step;
  /** In stacking order, lowest first. */
  series: readonly Series[];
  amount: (row: T) => { name: string; value: number };
  /** `MIC per day`: then the amounts of a bin are divided by its days, so that weeks and days have the same scale. */
  unit: string;
}

export function flowOf<T extends Dated>({ rows, step, series, amount, unit }: Flowing<T>): Flow {
  const bins = calendarBins(rows, step);
  const sums = bins.map((bin) => {
    const own = new Map<string, number>();
    for (const row of bin.rows) {
      const { name, value } = amount(row);
      own.set(name, (own.get(name) ?? 0) + value);
    }
    return series.map(({ name }) => own.get(name) ?? 0);
  });
  const isDay = step === 'day';
  const partial = bins.map((bin) => !isWhole(bin, step));
  return {
    bins,
    totals: series.map((_, index) => sums.reduce((sum, own) => sum + own[index]!, 0)),
    note: partialWords(bins, step, HATCHED),
    columns: [
      ...(isDay
        ? [column('date', 'Day')]
        : [column('from', `First day of the ${step}`), column('to', 'Last day')]),
      ...series.map(({ name, label }) => column(name, capitalise(label), unit)),
      ...(isDay ? [] : [column('days', 'Days counted', 'days')]),
    ],
    rows: bins.map(({ from, to }, index) => {
      const days = daysFrom(from, to);
      const values = sums[index]!.map((sum) => round(unit.endsWith(' per day') ? sum / days : sum));
      return isDay ? [from, ...values] : [from, to, ...values, days];
    }),
    mark: (colours, axis) => ({
      kind: 'over-time',
      partial,
      months: step === 'month',
      panes: [
        {
          mark: 'columns',
          ...axis,
          drawn: series.map(({ name, label }, index) => ({ column: name, label, colour: colours[index]! })),
        },
      ],
    }),
  };
}

/** To six decimal places, as amounts have them. */
export function round(value: number): number {
  return Math.round(value * 1e6) / 1e6;
}
