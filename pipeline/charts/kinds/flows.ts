import { daysFrom } from '../../words/day.ts';
import { capitalise } from '../../words/phrase.ts';
import type { Choice, Series } from '../chart.ts';
import { type ChartTable, type ColumnOf, round, tableOf } from '../chart-table.ts';
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

/** The first columns of a table of days, weeks or months. */
export function binColumns<T extends Pick<Bin<unknown>, 'from' | 'to'>>(step: Step): readonly ColumnOf<T>[] {
  return [
    ['from', step === 'day' ? 'Day' : `First day of the ${step}`],
    ['to', 'Last day'],
  ];
}

/** `MIC minted per day, by cathedral`; of one series, which its axis does not name, `MIC minted per day: Economists`. */
export function flowTitle(what: string, by: string, series: readonly Series[]): string {
  return series.length === 1 ? `${what}: ${series[0]!.label}` : `${what}, by ${by}`;
}

/** Amounts by day, week or month and by series, as a table and as columns. */
export interface Flow extends ChartTable {
  /** With the sum of each series. */
  bins: readonly (Bin<unknown> & { sums: ReadonlyMap<string, number> })[];
  /** Of the series in all. */
  totals: readonly number[];
  /** The weeks or months that are not whole. */
  note: string;
  mark: (colours: readonly Colour[], axis: string) => OverTime;
}

interface Flowing<T extends Dated> extends Pick<Choice<T>, 'days' | 'step'> {
  /** In stacking order, lowest first. */
  series: readonly Series[];
  amount: (row: T) => { name: string; value: number };
  /** `MIC per day`: then the amounts of a bin are divided by its days, so that weeks and days have the same scale. */
  unit: string;
}

export function flowOf<T extends Dated>({ days, step, series, amount, unit }: Flowing<T>): Flow {
  const bins = calendarBins(days, step).map((bin) => {
    const sums = new Map(series.map(({ name }) => [name, 0]));
    for (const row of bin.rows) {
      const { name, value } = amount(row);
      sums.set(name, (sums.get(name) ?? 0) + value);
    }
    return { ...bin, days: daysFrom(bin.from, bin.to), sums };
  });
  type Summed = (typeof bins)[number];
  const values = series.map(({ name, label }): ColumnOf<Summed> => {
    const cell = ({ sums, days }: Summed) => sums.get(name)! / (unit.endsWith(' per day') ? days : 1);
    return [name, capitalise(label), unit, (bin) => round(cell(bin))];
  });
  return {
    bins,
    totals: series.map(({ name }) => bins.reduce((sum, { sums }) => sum + sums.get(name)!, 0)),
    note: partialWords(bins, step, HATCHED),
    ...tableOf(
      bins,
      step === 'day'
        ? [['date', 'Day', '', ({ from }) => from], ...values]
        : [...binColumns<Summed>(step), ...values, ['days', 'Days counted', 'days']],
    ),
    mark: (colours, axis) => ({
      kind: 'over-time',
      partial: bins.map((bin) => !isWhole(bin, step)),
      months: step === 'month',
      panes: [
        {
          mark: 'columns',
          unit: axis,
          drawn: series.map(({ name, label }, index) => ({ column: name, label, colour: colours[index]! })),
        },
      ],
    }),
  };
}
