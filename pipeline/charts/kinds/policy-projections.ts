import { eventsByDay } from '../../artifacts/academics/events-by-day.ts';
import type { Content } from '../../artifacts/published-files.ts';
import { addDays, timeOfDay } from '../../words/day.ts';
import { formatMonth, formatSpan } from '../../words/moment.ts';
import { formatCount, formatNumber } from '../../words/number.ts';
import { formatList } from '../../words/phrase.ts';
import { defineChart } from '../chart.ts';
import type { Flow } from '../drawing/columns.ts';
import { flowTable, stackedColumns } from '../drawing/columns.ts';
import { calendarBins, HATCHED, inRange, isWhole, partialWords } from '../drawing/days.ts';
import { timePlotHeight } from '../drawing/plot.ts';
import { timeFrame } from '../drawing/time-frame.ts';

type Row = Content<typeof eventsByDay>[number];

interface Shown extends Flow {
  total: number;
}

const TYPE = 'policy_projected';
const LEAST_MONTHS = 3;
const SERIES = [{ name: 'projections', label: 'Policy projections' }];

export const policyProjections = defineChart<readonly Row[], Shown>({
  id: 'policy-impact',
  area: 'government',
  name: 'Policy impact projections',
  sources: [eventsByDay],
  controls: ['from', 'to'],
  prepare: (files) => files.read(eventsByDay),
  days: (rows) => rows,
  asOf: (rows) => rows.at(-1)?.date ?? '',
  show(rows, state) {
    const bins = calendarBins(inRange(rows, state), 'month');
    const values = bins.map((bin) => [
      bin.rows.reduce((sum, { event_type, events }) => sum + (event_type === TYPE ? events : 0), 0),
    ]);
    return {
      bins,
      step: 'month',
      series: SERIES,
      values,
      total: values.reduce((sum, [count]) => sum + count!, 0),
    };
  },
  isEmpty: ({ bins }) => bins.length === 0,
  isMissing: (rows) => !rows.some(({ event_type }) => event_type === TYPE),
  missing: {
    nothing: 'There is no whole day yet on which a policy projection was recorded.',
    types: ['policy_projected'],
    wholeDays: true,
  },
  title: () => 'How many policy projections were recorded',
  /** Only a record among at least three whole months is news. */
  finding({ bins, values }) {
    const whole = bins
      .map((bin, index) => ({ bin, count: values[index]![0]! }))
      .filter(({ bin }) => isWhole(bin, 'month'));
    const highest = Math.max(0, ...whole.map(({ count }) => count));
    const most = whole.filter(({ count }) => count === highest);
    if (whole.length < LEAST_MONTHS || highest === 0 || most.length > 2) return null;
    const months = formatList(most.map(({ bin }) => formatMonth(bin.from)));
    return `${months} had the most policy projections of the ${formatNumber(whole.length)} whole months, ${formatNumber(highest)}${most.length > 1 ? ' each' : ''}`;
  },
  unit: () => 'Projections per calendar month',
  note: ({ bins, step }) =>
    `${partialWords(bins, step, HATCHED)} What each projects, and its risks, is in government/policy-impact.json, which needs a government key.`.trim(),
  summary({ bins, values, total }) {
    // An incomplete month does not compare with a complete one, so it is neither the most nor the least.
    const whole = bins
      .map((bin, index) => ({ bin, count: values[index]![0]! }))
      .filter(({ bin }) => isWhole(bin, 'month'));
    const highest = Math.max(0, ...whole.map(({ count }) => count));
    const most = whole.filter(({ count }) => count === highest).map(({ bin }) => formatMonth(bin.from));
    return [
      `${formatSpan(bins[0]!.from, bins.at(-1)!.to)}, ${formatCount(total, 'policy projection was', 'policy projections were')} recorded.`,
      ...(whole.length > most.length && highest > 0
        ? [
            `Of the whole months, ${formatList(most)} had most: ${formatNumber(highest)}${most.length > 1 ? ' each' : ''}.`,
          ]
        : []),
    ];
  },
  table: (shown) => flowTable(shown, 'count'),
  plotHeight: (_, width) => timePlotHeight(width) * 0.8,
  plot(shown, plot) {
    const { bins, values } = shown;
    const frame = timeFrame(plot, {
      values: values.flat(),
      fromZero: true,
      scale: 'linear',
      from: timeOfDay(bins[0]!.from),
      to: timeOfDay(addDays(bins.at(-1)!.to, 1)),
      format: (value) => (Number.isInteger(value) ? formatNumber(value) : ''),
      unit: 'Projections',
      ticks: 'middles',
      drawn: [{ column: 'projections', colour: plot.theme.parts[0], mark: 'area' }],
    });
    return [...frame.marks, ...stackedColumns(shown, frame, [plot.theme.parts[0]])];
  },
});
