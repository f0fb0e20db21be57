import { type TransparencyReport, transparency } from '../../artifacts/government/transparency.ts';
import type { PublishedFiles } from '../../artifacts/published-files.ts';
import { formatMonth } from '../../words/moment.ts';
import { formatIndex } from '../../words/number.ts';
import { formatList } from '../../words/phrase.ts';
import { type Chart, defineChart } from '../chart.ts';
import { tableOf } from '../chart-table.ts';
import { shortNumber } from '../drawing/label.ts';
import { indexPane, isFromZero, NOT_FROM_ZERO } from './mii.ts';

/** A month of the report with its first and last day that are counted. */
export type CountedMonth = TransparencyReport['financial']['months'][number] & {
  from: string;
  to: string;
  /** False for the month in which the ledger began and for the current one: neither compares with a whole month. */
  whole: boolean;
};

/** The months of the report, oldest first. */
export function countedMonths({ financial, period, closed }: TransparencyReport): CountedMonth[] {
  return financial.months.map((month) => {
    const first = `${month.month}-01`;
    const begins = period.from.startsWith(month.month) && !period.from.startsWith(first);
    const continues = !closed && period.to.startsWith(month.month);
    return {
      ...month,
      from: begins ? period.from.slice(0, 10) : first,
      to: continues ? period.to.slice(0, 10) : lastDayOf(month.month),
      whole: !begins && !continues,
    };
  });
}

function lastDayOf(month: string): string {
  const [year, number] = month.split('-').map(Number) as [number, number];
  return new Date(Date.UTC(year, number, 0)).toISOString().slice(0, 10);
}

/** `May 2026`; for a month that is not whole `November 2026, 1 to 20` or `1 November 2026`. */
export function formatCountedMonth({ month, from, to, whole }: CountedMonth): string {
  if (whole) return formatMonth(month);
  const [first, last] = [from, to].map((date) => Number(date.slice(8)));
  return first === last ? `${first} ${formatMonth(month)}` : `${formatMonth(month)}, ${first} to ${last}`;
}

/** `May 2026, 9 to 31 is not a whole month`; empty where all months are whole. */
export function formatPartialMonths(months: readonly CountedMonth[]): string {
  const partial = months.filter(({ whole }) => !whole);
  if (partial.length === 0) return '';
  return `${formatList(partial.map(formatCountedMonth))} ${partial.length === 1 ? 'is not a whole month' : 'are not whole months'}`;
}

/**
 * The charts of a transparency report, over the report's file at `path`. They belong to the report's page and have no page,
 * files or embed of their own.
 */
export function reportCharts(path: string): Record<'supply' | 'mii', Chart> {
  const file = { ...transparency, path };
  const prepare = (files: PublishedFiles) => {
    const report = files.read(file);
    return { months: countedMonths(report), asOf: report.timestamp };
  };
  const shared = { area: 'government', sources: [file], controls: [] } as const;
  const supply = defineChart({
    ...shared,
    id: 'report-supply',
    name: 'Supply and minting by month',
    missing: { nothing: 'There are no MIC yet.', types: ['genesis', 'mic_mint'], wholeDays: false },
    prepare,
    asOf: ({ asOf }) => asOf,
    isMissing: ({ months }) => months.every(({ total_supply, minted }) => total_supply === 0 && minted === 0),
    view({ months }) {
      // Where the supply is the same in each month, a scale that does not begin at zero would show nothing.
      const isLevel = months.every(({ total_supply }) => total_supply === months[0]!.total_supply);
      return {
        title: 'Supply and minting by month',
        unit: `MIC. Above: total supply at the end of each month${isLevel ? '' : ', not from zero'}. Below: minted and burned in the month`,
        ...tableOf(months, [
          ['month', 'Month'],
          ['minted', 'Minted', 'MIC'],
          ['burned', 'Burned', 'MIC'],
          ['total_supply', 'Total supply at the end', 'MIC'],
        ]),
        note: () => partialNote(months, 'hatched'),
        mark: () => ({
          ...marked(months),
          panes: [
            {
              mark: 'lines',
              unit: 'Total supply, MIC',
              share: 0.55,
              ...(isLevel ? {} : { leastSpan: 0 }),
              drawn: [
                {
                  column: 'total_supply',
                  label: 'Total',
                  text: shortNumber(months.at(-1)!.total_supply),
                  colour: 'subject',
                },
              ],
            },
            {
              mark: 'columns',
              unit: 'Minted and burned, MIC',
              share: 0.45,
              drawn: [
                { column: 'minted', label: 'Minted', colour: 'part-1' },
                { column: 'burned', label: 'Burned', colour: 'part-4', below: true },
              ],
            },
          ],
        }),
      };
    },
  });
  const mii = defineChart({
    ...shared,
    id: 'report-mii',
    name: 'Integrity index by month',
    missing: {
      nothing: 'The ledger has no reading of the integrity index in this period.',
      types: ['mii_reading'],
      wholeDays: false,
    },
    prepare,
    asOf: ({ asOf }) => asOf,
    view({ months }) {
      const read = months.filter(({ mii_mean, mii_min }) => mii_mean !== null && mii_min !== null);
      const values = months.flatMap(({ mii_min, threshold }) => [mii_min, threshold]);
      return {
        title: 'Integrity index against its threshold by month',
        unit: `From 0 to 1: mean of each month’s readings, with the range down to the lowest one${isFromZero(values) ? '' : `. ${NOT_FROM_ZERO}`}`,
        ...tableOf(read.length === 0 ? [] : months, [
          ['month', 'Month'],
          ['mii_mean', 'Mean MII', 'share'],
          ['mii_min', 'Lowest MII', 'share'],
          ['threshold', 'Threshold at the end', 'share'],
        ]),
        note: () => partialNote(read, 'marked with a ring'),
        says() {
          const lowest = read.reduce((low, one) => (one.mii_min! < low.mii_min! ? one : low));
          return `The lowest reading was ${formatIndex(lowest.mii_min)}, in ${formatMonth(lowest.month)}.`;
        },
        mark: () => ({
          ...marked(months),
          panes: [
            indexPane({
              band: ['mii_min', 'mii_mean'],
              index: { label: 'Mean', text: formatIndex(read.at(-1)!.mii_mean), dots: true },
              threshold: months.findLast(({ threshold }) => threshold !== null)?.threshold ?? null,
              values,
            }),
          ],
        }),
      };
    },
  });
  return { supply, mii };
}

const marked = (months: readonly CountedMonth[]) =>
  ({ kind: 'over-time', months: true, partial: months.map(({ whole }) => !whole) }) as const;

function partialNote(months: readonly CountedMonth[], look: string): string {
  const words = formatPartialMonths(months);
  return words === '' ? '' : `${words}, so ${look}.`;
}
