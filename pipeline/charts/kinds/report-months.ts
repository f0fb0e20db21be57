import { extent } from 'd3';
import { type TransparencyReport, transparency } from '../../artifacts/government/transparency.ts';
import { addDays, timeOfDay } from '../../words/day.ts';
import { formatMonth } from '../../words/moment.ts';
import { formatIndex, formatMic, formatNumber } from '../../words/number.ts';
import { formatList } from '../../words/phrase.ts';
import { type Chart, defineChart } from '../chart.ts';
import { hatched } from '../drawing/columns.ts';
import { element, linePath } from '../drawing/element.ts';
import { shortNumber } from '../drawing/label.ts';
import { type Box, type Plot, timePlotHeight } from '../drawing/plot.ts';
import type { ChartTheme } from '../drawing/theme.ts';
import { type TimeFrame, timeFrame } from '../drawing/time-frame.ts';

/** A month of the report with its first and last day that are counted. */
export type CountedMonth = TransparencyReport['financial']['months'][number] & {
  from: string;
  to: string;
  /** False for the month in which the ledger began and for the current one: neither compares with a whole month. */
  whole: boolean;
};

interface Data {
  months: readonly CountedMonth[];
  opening: number;
  closing: number;
  asOf: string;
}

/** The months of the report, oldest first. */
export function countedMonths({ financial, period, closed }: TransparencyReport): CountedMonth[] {
  return financial.months.map((month) => {
    const first = `${month.month}-01`;
    const last = lastDayOf(month.month);
    const begins = period.from.startsWith(month.month) && !period.from.startsWith(first);
    const continues = !closed && period.to.startsWith(month.month);
    return {
      ...month,
      from: begins ? period.from.slice(0, 10) : first,
      to: continues ? period.to.slice(0, 10) : last,
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
  const shared = {
    area: 'government',
    sources: [file],
    controls: [],
    prepare(files) {
      const report = files.read(file);
      const { opening_supply: opening, closing_supply: closing } = report.financial;
      return { months: countedMonths(report), opening, closing, asOf: report.timestamp };
    },
    asOf: ({ asOf }) => asOf,
    show: (data) => data,
    plotHeight: (_, width) => timePlotHeight(width),
  } satisfies Partial<Parameters<typeof defineChart<Data, Data>>[0]>;
  return {
    supply: defineChart<Data, Data>({
      ...shared,
      id: 'report-supply',
      name: 'Supply and minting by month',
      isEmpty: ({ months }) => months.length === 0,
      isMissing: ({ months, opening }) =>
        opening === 0 && months.every(({ total_supply, minted }) => total_supply === 0 && minted === 0),
      missing: { nothing: 'There are no MIC yet.', types: ['genesis', 'mic_mint'], wholeDays: false },
      title: () => 'Supply and minting by month',
      unit: ({ months }) =>
        `MIC. Above: total supply at the end of each month${isLevel(months) ? '' : ', not from zero'}. Below: minted and burned in the month`,
      note: ({ months }) => partialNote(months, 'hatched'),
      summary: supplySummary,
      table: ({ months }) => ({
        columns: [
          { name: 'month', title: 'Month', unit: '' },
          { name: 'minted', title: 'Minted', unit: 'MIC' },
          { name: 'burned', title: 'Burned', unit: 'MIC' },
          { name: 'total_supply', title: 'Total supply at the end', unit: 'MIC' },
        ],
        rows: months.map(({ month, minted, burned, total_supply }) => [month, minted, burned, total_supply]),
      }),
      plotHeight: (_, width) => timePlotHeight(width) + 60,
      plot: supplyPlot,
    }),
    mii: defineChart<Data, Data>({
      ...shared,
      id: 'report-mii',
      name: 'Integrity index by month',
      isEmpty: ({ months }) => !months.some(isRead),
      missing: {
        nothing: 'The ledger has no reading of the integrity index in this period.',
        types: ['mii_reading'],
        wholeDays: false,
      },
      title: () => 'Integrity index against its threshold by month',
      unit: () =>
        'From 0 to 1: mean of each month’s readings, with a line down to the lowest one. The scale does not begin at zero',
      note: ({ months }) => partialNote(months.filter(isRead), 'marked with a ring'),
      summary: miiSummary,
      table: ({ months }) => ({
        columns: [
          { name: 'month', title: 'Month', unit: '' },
          { name: 'mii_mean', title: 'Mean MII', unit: 'share' },
          { name: 'mii_min', title: 'Lowest MII', unit: 'share' },
          { name: 'threshold', title: 'Threshold at the end', unit: 'share' },
        ],
        rows: months.map(({ month, mii_mean, mii_min, threshold }) => [month, mii_mean, mii_min, threshold]),
      }),
      plot: miiPlot,
    }),
  };
}

function partialNote(months: readonly CountedMonth[], look: string): string {
  const partial = months.filter(({ whole }) => !whole).map(formatCountedMonth);
  if (partial.length === 0) return '';
  return `Not ${partial.length === 1 ? 'a whole month' : 'whole months'}, and ${look}: ${formatList(partial)}.`;
}

function supplySummary({ months, opening, closing }: Data): string[] {
  const course = `Total supply was ${formatMic(opening)} when the period opened and ${formatMic(closing)} at its end.`;
  if (months.every(({ minted }) => minted === 0))
    return [course, `Nothing was minted${months.length > 1 ? ' in any month' : ''}.`];
  return [course, ...mintingRange(months), burns(months)];
}

/** The whole months with the most and the least minting; the others are listed separately. */
function mintingRange(months: readonly CountedMonth[]): string[] {
  const whole = months.filter((month) => month.whole).toSorted((a, b) => b.minted - a.minted);
  const [most, least] = [whole[0], whole.at(-1)];
  const amount = (month: CountedMonth) => `${formatCountedMonth(month)} (${formatMic(month.minted)})`;
  const partial = months.filter((month) => !month.whole).map(({ minted }) => formatMic(minted));
  return [
    ...(most && least && most !== least
      ? [`Of the whole months, most was minted in ${amount(most)}, least in ${amount(least)}.`]
      : whole.map((month) => `Minted in ${amount(month)}.`)),
    ...(partial.length > 0 ? [`Hatched, since ${formatPartialMonths(months)}: ${formatList(partial)}.`] : []),
  ];
}

function burns(months: readonly CountedMonth[]): string {
  const burning = months.filter(({ burned }) => burned > 0);
  if (burning.length === 0) return 'Nothing was burned.';
  if (burning.length === months.length && months.length > 1) return 'Some MIC were burned in every month.';
  return `Burns fell in ${formatList(burning.map(({ month }) => formatMonth(month)))}.`;
}

type ReadMonth = CountedMonth & { mii_mean: number; mii_min: number };

const isRead = (month: CountedMonth): month is ReadMonth => month.mii_mean !== null && month.mii_min !== null;

function miiSummary({ months }: Data): string[] {
  const read = months.filter(isRead);
  const [lowest] = read.toSorted((a, b) => a.mii_min - b.mii_min);
  const partial = formatPartialMonths(read);
  return [
    ...meanRange(read),
    thresholdSentence(read),
    `The lowest single reading was ${formatIndex(lowest!.mii_min)}, in ${formatMonth(lowest!.month)}.`,
    ...(partial === '' ? [] : [`${partial}.`]),
  ];
}

function meanRange(read: readonly ReadMonth[]): string[] {
  const whole = read.filter((month) => month.whole).toSorted((a, b) => a.mii_mean - b.mii_mean);
  const [low, high] = [whole[0], whole.at(-1)];
  const mean = (month: ReadMonth) => `${formatIndex(month.mii_mean)} (${formatCountedMonth(month)})`;
  if (low && high && low !== high)
    return [`The mean of the index in a whole month lay between ${mean(low)} and ${mean(high)}.`];
  return read.length === 1 ? [`The mean of the index was ${mean(read[0]!)}.`] : [];
}

function thresholdSentence(months: readonly ReadMonth[]): string {
  const held = months.filter(({ threshold }) => threshold !== null);
  const below = held.filter(({ mii_mean, threshold }) => mii_mean < threshold!);
  if (held.length === 0) return 'Without a supply there was no threshold.';
  const everyMonth = held.length > 1 ? ' in every month' : '';
  if (below.length === 0) return `It was at or above the threshold${everyMonth}.`;
  if (below.length === held.length) return `It was below the threshold${everyMonth}.`;
  return `It was below the threshold in ${formatList(below.map(({ month }) => formatMonth(month)))}.`;
}

/** Whether the total supply is the same at the end of each month: then a scale that does not begin at zero would show nothing. */
function isLevel(months: readonly CountedMonth[]): boolean {
  return months.every(({ total_supply }) => total_supply === months[0]!.total_supply);
}

/** Share of the height that total supply has; minting and burning have the rest. */
const UPPER = 0.55;

/** The whole of the first month to the whole of the last one: every month has its width, counted in full or not. */
const spanOf = (months: readonly CountedMonth[]) =>
  ({
    ticks: 'middles',
    from: timeOfDay(`${months[0]!.month}-01`),
    to: timeOfDay(addDays(lastDayOf(months.at(-1)!.month), 1)),
    scale: 'linear',
    format: shortNumber,
  }) as const;

function supplyPlot({ months }: Data, { box, theme, id, onScale }: Plot): string[] {
  const split = box.top + (box.bottom - box.top) * UPPER;
  const upper = { box: { ...box, bottom: split - 8 }, theme, id };
  const lower = { box: { ...box, top: split + 8 }, theme, id };
  const [one, other] = [totalFrame(months, upper).inner, flowFrame(months, lower).inner];
  const edges = { left: Math.max(one.left, other.left), right: Math.min(one.right, other.right) };
  const total = totalFrame(months, { ...upper, onScale }, edges);
  const flow = flowFrame(months, { ...lower, onScale }, edges);
  const last = months.at(-1)!;
  return [
    ...total.marks,
    linePath(
      months.map((month) => ({ x: middleOf(month, total), y: total.y(month.total_supply) })),
      { stroke: theme.subject },
    ),
    ...months.map((month) => dot({ ...month, whole: true }, month.total_supply, total, theme)),
    ...total.names([total.y(last.total_supply)]),
    ...flow.marks,
    element('line', { x1: box.left, x2: box.right, y1: split, y2: split, stroke: theme.rule }),
    ...months.flatMap((month) => [
      ...column(month, flow, flow.y(month.minted), flow.y(0), theme.parts[0]),
      ...column(month, flow, flow.y(0), flow.y(-month.burned), theme.parts[3]),
    ]),
    ...flow.names([flow.y(last.minted / 2), flow.y(-last.burned / 2) + 0.01]),
  ];
}

type Edges = Pick<Box, 'left' | 'right'>;

function totalFrame(months: readonly CountedMonth[], plot: Plot, edges?: Edges): TimeFrame {
  const [low = 0, high = 0] = extent(months, ({ total_supply }) => total_supply);
  return timeFrame(plot, {
    ...spanOf(months),
    values: [low, high],
    fromZero: isLevel(months),
    series: [
      {
        text: `Total ${shortNumber(months.at(-1)!.total_supply)}`,
        colour: plot.theme.subject,
        shape: 'circle',
      },
    ],
    noDates: true,
    unit: 'Total supply, MIC',
    drawn: [{ column: 'total_supply', colour: plot.theme.subject, mark: 'line' }],
    ...(edges ? { edges } : {}),
  });
}

function flowFrame(months: readonly CountedMonth[], plot: Plot, edges?: Edges): TimeFrame {
  return timeFrame(plot, {
    ...spanOf(months),
    values: months.flatMap(({ minted, burned }) => [minted, -burned]),
    fromZero: true,
    unit: 'Minted and burned, MIC',
    drawn: [
      { column: 'minted', colour: plot.theme.parts[0], mark: 'area' },
      { column: 'burned', colour: plot.theme.parts[3], mark: 'area' },
    ],
    series: [
      { text: 'Minted', colour: plot.theme.parts[0], area: true },
      { text: 'Burned', colour: plot.theme.parts[3], area: true },
    ],
    ...(edges ? { edges } : {}),
  });
}

function middleOf({ month }: CountedMonth, { x }: TimeFrame): number {
  return x((timeOfDay(`${month}-01`) + timeOfDay(addDays(lastDayOf(month), 1))) / 2);
}

/** Share of a month's width that its column has. */
const COLUMN = 0.7;

function column(
  month: CountedMonth,
  { x }: TimeFrame,
  ...[top, bottom, fill]: [number, number, string]
): string[] {
  if (bottom - top < 0.05) return [];
  const [start, end] = [x(timeOfDay(`${month.month}-01`)), x(timeOfDay(addDays(lastDayOf(month.month), 1)))];
  const margin = ((end - start) * (1 - COLUMN)) / 2;
  const [left, right] = [start + margin, end - margin];
  if (!month.whole) return hatched([{ left, right, top, bottom }], fill);
  return [element('rect', { x: left, y: top, width: right - left, height: bottom - top, fill })];
}

function dot(month: CountedMonth, value: number, frame: TimeFrame, theme: ChartTheme): string {
  const style = month.whole
    ? { fill: theme.subject }
    : { fill: theme.paper, stroke: theme.subject, 'stroke-width': 1.5 };
  return element('circle', { cx: middleOf(month, frame), cy: frame.y(value), r: 3.5, ...style });
}

function miiPlot({ months }: Data, plot: Plot): string[] {
  const { theme } = plot;
  const values = months.flatMap((month) => [
    ...(isRead(month) ? [month.mii_mean, month.mii_min] : []),
    ...(month.threshold === null ? [] : [month.threshold]),
  ]);
  const read = months.findLast(isRead)!;
  const held = months.findLast(({ threshold }) => threshold !== null);
  const frame = timeFrame(plot, {
    ...spanOf(months),
    values,
    fromZero: false,
    leastSpan: 0.02,
    limits: [0, 1],
    format: (value) => formatNumber(value, 3),
    unit: 'Index, share',
    drawn: [
      { column: 'mii_mean', colour: theme.subject, mark: 'line' },
      { column: 'threshold', colour: theme.contrast, mark: 'line' },
    ],
    series: [
      { text: `Mean ${formatIndex(read.mii_mean)}`, colour: theme.subject, shape: 'circle' },
      ...(held
        ? [
            {
              text: `Threshold ${formatIndex(held.threshold!)}`,
              colour: theme.contrast,
              shape: 'dashes' as const,
            },
          ]
        : []),
    ],
  });
  const line = (value: (month: CountedMonth) => number | null) =>
    months.map((month) => {
      const at = value(month);
      return { x: middleOf(month, frame), y: at === null ? null : frame.y(at) };
    });
  return [
    ...frame.marks,
    ...months.filter(isRead).flatMap((month) => whisker(month, frame, theme)),
    linePath(
      line(({ threshold }) => threshold),
      { stroke: theme.contrast, dash: '6 4' },
    ),
    linePath(
      line(({ mii_mean }) => mii_mean),
      { stroke: theme.subject },
    ),
    ...months.filter(isRead).map((month) => dot(month, month.mii_mean, frame, theme)),
    ...frame.names([frame.y(read.mii_mean), ...(held ? [frame.y(held.threshold!)] : [])]),
  ];
}

/** A line from the mean down to the lowest reading, with a foot. */
function whisker(month: ReadMonth, frame: TimeFrame, { subject }: ChartTheme): string[] {
  const [x, top, bottom] = [middleOf(month, frame), frame.y(month.mii_mean), frame.y(month.mii_min)];
  return [
    element('line', { x1: x, x2: x, y1: top, y2: bottom, stroke: subject }),
    element('line', { x1: x - 4, x2: x + 4, y1: bottom, y2: bottom, stroke: subject }),
  ];
}
