import { sentinelCoordination } from '../../artifacts/academics/sentinel-coordination.ts';
import { metricsByDay } from '../../artifacts/philosophy/metrics-by-day.ts';
import { timeOfDay } from '../../words/day.ts';
import { formatDay } from '../../words/moment.ts';
import { formatCount, formatNumber, formatScore } from '../../words/number.ts';
import { defineChart } from '../chart.ts';
import { type Bin, binDays, daysBetween, END_OF_STEP, inRange, type Step, stepFor } from '../drawing/days.ts';
import { element, linePath } from '../drawing/element.ts';
import { shortNumber } from '../drawing/label.ts';
import { type Box, type Plot, timePlotHeight } from '../drawing/plot.ts';
import { type TimeFrame, timeFrame } from '../drawing/time-frame.ts';

interface Day {
  date: string;
  /** Null if no deliberation was closed in the thirty days. */
  consensus_rate: number | null;
  /** Null for the current day, whose counts are published when it is over. */
  deliberations_closed: number | null;
  consensus_reached: number | null;
}

interface Rated extends Day {
  consensus_rate: number;
}

interface Counted extends Day {
  deliberations_closed: number;
  consensus_reached: number;
}

interface Shown {
  days: readonly Day[];
  step: Step;
}

/** The rate's share of the plot; the counts have the rest. */
const UPPER = 0.58;

export const consensus = defineChart<{ days: Day[]; asOf: string }, Shown>({
  id: 'consensus',
  area: 'philosophy',
  name: 'Consensus rate',
  sources: [metricsByDay, sentinelCoordination],
  controls: ['from', 'to'],
  prepare(files) {
    const days: Day[] = [...files.read(metricsByDay)];
    const { timestamp: asOf, consensus_rate } = files.read(sentinelCoordination);
    const date = asOf.slice(0, 10);
    if (date > (days.at(-1)?.date ?? ''))
      days.push({ date, consensus_rate, deliberations_closed: null, consensus_reached: null });
    return { days, asOf };
  },
  days: ({ days }) => days,
  asOf: ({ asOf }) => asOf,
  show({ days }, state) {
    const inside = inRange(days, state);
    const step = stepFor(daysBetween(inside));
    return { days: binDays(inside, step).flatMap(endsOf), step };
  },
  isEmpty: ({ days }) => !days.some((day) => isRated(day) || isCounted(day)),
  isMissing: ({ days }) =>
    !days.some((day) => isRated(day) || (isCounted(day) && day.deliberations_closed > 0)),
  missing: {
    nothing: 'No deliberation has been closed yet.',
    types: ['deliberation_closed'],
    wholeDays: false,
  },
  title: () => 'How often deliberations end in consensus',
  unit: ({ step }) =>
    `Above: share of the deliberations closed in the last 30 days that reached consensus, ${END_OF_STEP[step]}. Below: how many were closed`,
  finding,
  note: () =>
    'There is no rate if none was closed in 30 days. The rate ends at the time of the release, the counts at the last whole day.',
  summary,
  table: ({ days }) => ({
    columns: [
      { name: 'date', title: 'Day', unit: '' },
      { name: 'consensus_rate', title: 'Consensus rate', unit: 'share' },
      { name: 'deliberations_closed', title: 'Closed in the last 30 days', unit: 'count' },
      { name: 'consensus_reached', title: 'Of those, with consensus', unit: 'count' },
    ],
    rows: days.map((day) => [
      day.date,
      day.consensus_rate === null ? null : Math.round(day.consensus_rate * 1e6) / 1e6,
      day.deliberations_closed,
      day.consensus_reached,
    ]),
  }),
  plotHeight: (_, width) => timePlotHeight(width) + 60,
  plot,
});

const isRated = (day: Day): day is Rated => day.consensus_rate !== null;
const isCounted = (day: Day): day is Counted => day.deliberations_closed !== null;

/** The last row of a bin, and before the current day's also the last row that has counts. */
function endsOf({ rows }: Bin<Day>): Day[] {
  const [last, counted] = [rows.at(-1)!, rows.findLast(isCounted)];
  return counted && counted !== last ? [counted, last] : [last];
}

/** The newest counts, which are what the rate at the end is made of. */
function finding({ days }: Shown): string | null {
  const counted = days.findLast(isCounted);
  if (!counted || counted.deliberations_closed < 2) return null;
  const { deliberations_closed: closed, consensus_reached: reached } = counted;
  const when = `closed in the 30 days up to ${formatDay(counted.date)}`;
  if (reached === closed) return `All ${formatNumber(closed)} deliberations ${when} reached consensus`;
  if (reached === 0) return `None of the ${formatNumber(closed)} deliberations ${when} reached consensus`;
  return `${formatNumber(reached)} of the ${formatNumber(closed)} deliberations ${when} reached consensus`;
}

function summary({ days }: Shown): string[] {
  const [last, counted] = [days.at(-1)!, days.findLast(isCounted)];
  const rated = days.filter(isRated);
  const lowest = rated.toSorted((a, b) => a.consensus_rate - b.consensus_rate)[0];
  return [
    isRated(last)
      ? `The consensus rate of the 30 days up to ${formatDay(last.date)} is ${formatScore(last.consensus_rate)}.`
      : `No deliberation was closed in the 30 days up to ${formatDay(last.date)}, so there is no consensus rate.`,
    ...(counted && counted.deliberations_closed > 0
      ? [`In the 30 days up to the end of ${formatDay(counted.date)}, ${closedWords(counted)}.`]
      : []),
    ...(lowest && rated.some((day) => day.consensus_rate > lowest.consensus_rate)
      ? [`The rate was lowest, ${formatScore(lowest.consensus_rate)}, on ${formatDay(lowest.date)}.`]
      : []),
  ];
}

function plot(shown: Shown, { box, theme, id, onScale }: Plot): string[] {
  const { days } = shown;
  const split = box.top + (box.bottom - box.top) * UPPER;
  const upper = { box: { ...box, bottom: split - 8 }, theme, id };
  const lower = { box: { ...box, top: split + 8 }, theme, id };
  const [one, other] = [rateFrame(shown, upper).inner, countFrame(shown, lower).inner];
  const edges = { left: Math.max(one.left, other.left), right: Math.min(one.right, other.right) };
  const [rate, counts] = [
    rateFrame(shown, { ...upper, onScale }, edges),
    countFrame(shown, { ...lower, onScale }, edges),
  ];
  const [rated, counted] = [days.findLast(isRated), days.findLast(isCounted)];
  const line = (y: (day: Day) => number | null) =>
    days.map((day) => ({ x: rate.x(timeOfDay(day.date)), y: y(day) }));
  return [
    ...rate.marks,
    linePath(
      line((day) => (isRated(day) ? rate.y(day.consensus_rate) : null)),
      { stroke: theme.subject },
    ),
    ...(rated ? rate.names([rate.y(rated.consensus_rate)]) : []),
    ...counts.marks,
    element('line', { x1: box.left, x2: box.right, y1: split, y2: split, stroke: theme.rule }),
    linePath(
      line((day) => (isCounted(day) ? counts.y(day.deliberations_closed) : null)),
      { stroke: theme.muted, dash: '4 3' },
    ),
    linePath(
      line((day) => (isCounted(day) ? counts.y(day.consensus_reached) : null)),
      { stroke: theme.subject },
    ),
    ...(counted
      ? counts.names([counts.y(counted.deliberations_closed), counts.y(counted.consensus_reached)])
      : []),
  ];
}

function closedWords({ deliberations_closed: closed, consensus_reached: reached }: Counted): string {
  if (closed === 1)
    return `the one deliberation that was closed ${reached === 1 ? 'reached' : 'did not reach'} consensus`;
  return `${formatNumber(reached)} of ${formatCount(closed, 'closed deliberation')} reached consensus`;
}

type Edges = Pick<Box, 'left' | 'right'>;

const rangeOf = (days: readonly Day[]) =>
  ({
    from: timeOfDay(days[0]!.date),
    to: timeOfDay(days.at(-1)!.date),
    scale: 'linear',
    fromZero: true,
  }) as const;

function rateFrame({ days }: Shown, plot: Plot, edges?: Edges): TimeFrame {
  const last = days.at(-1)!;
  const text = isRated(last) ? `Rate ${formatScore(last.consensus_rate)}` : 'Rate';
  return timeFrame(plot, {
    ...rangeOf(days),
    values: [0, 1],
    format: (value) => formatNumber(value, 1),
    series: [{ text, colour: plot.theme.subject }],
    noDates: true,
    unit: 'Consensus rate, share',
    drawn: [{ column: 'consensus_rate', colour: plot.theme.subject, mark: 'line' }],
    ...(edges ? { edges } : {}),
  });
}

function countFrame({ days }: Shown, plot: Plot, edges?: Edges): TimeFrame {
  const counted = days.filter(isCounted);
  const last = counted.at(-1);
  return timeFrame(plot, {
    ...rangeOf(days),
    values: counted.flatMap((day) => [day.deliberations_closed, day.consensus_reached]),
    // There are no half deliberations: such a rule has no label.
    format: (value) => (Number.isInteger(value) ? shortNumber(value) : ''),
    unit: 'Deliberations in 30 days',
    drawn: [
      { column: 'deliberations_closed', colour: plot.theme.muted, mark: 'line' },
      { column: 'consensus_reached', colour: plot.theme.subject, mark: 'line' },
    ],
    series: [
      { text: `Closed ${shortNumber(last?.deliberations_closed ?? 0)}`, colour: plot.theme.muted },
      { text: `Consensus ${shortNumber(last?.consensus_reached ?? 0)}`, colour: plot.theme.subject },
    ],
    ...(edges ? { edges } : {}),
  });
}
