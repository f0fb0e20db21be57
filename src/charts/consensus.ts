import { metricsByDay } from '../../pipeline/artifacts/philosophy/metrics-by-day.ts';
import { defineChart } from './chart.ts';
import { binDays, daysBetween, inRange, type Step, stepFor, timeOfDay } from './days.ts';
import { element } from './element.ts';
import { linePath } from './line-path.ts';
import { type Box, type Plot, timePlotHeight } from './plot.ts';
import { readRows } from './read-file.ts';
import { END_OF_STEP } from './step-words.ts';
import { type TimeFrame, timeFrame } from './time-frame.ts';
import { countWords, dayWords, numberWords, shareWords, shortNumber } from './words.ts';

interface Day {
  date: string;
  consensus_rate: number;
  deliberations_closed: number;
  consensus_reached: number;
}

interface Shown {
  days: readonly Day[];
  step: Step;
}

/** Of the plot: the rate; the counts that it is made of have the rest. */
const UPPER = 0.58;

export const consensus = defineChart<Day[], Shown>({
  id: 'consensus',
  area: 'philosophy',
  name: 'Consensus rate',
  sources: [metricsByDay],
  controls: ['from', 'to'],
  prepare: (files) => readRows(files, metricsByDay),
  asOf: (days) => days.at(-1)?.date ?? '',
  show(days, state) {
    const inside = inRange(days, state);
    const step = stepFor(daysBetween(inside));
    return { days: binDays(inside, step).map(({ rows }) => rows.at(-1)!), step };
  },
  isEmpty: ({ days }) => days.length === 0,
  title: () => 'How often deliberations end in consensus',
  unit: ({ step }) =>
    `Above: share of the deliberations closed in the last 30 days that reached consensus, ${END_OF_STEP[step]}. Below: how many were closed`,
  note: () => 'Where none was closed in 30 days there is no rate.',
  summary({ days }) {
    const last = days.at(-1)!;
    const rated = days.filter(hasRate);
    const lowest = rated.reduce<Day | null>(
      (low, day) => (low && low.consensus_rate <= day.consensus_rate ? low : day),
      null,
    );
    return [
      `In the 30 days up to ${dayWords(last.date)}, ${numberWords(last.consensus_reached)} of ${countWords(last.deliberations_closed, 'closed deliberation')} reached consensus${hasRate(last) ? `: ${shareWords(last.consensus_rate, 0)}` : ''}.`,
      ...(lowest
        ? [`The rate was lowest, ${shareWords(lowest.consensus_rate, 0)}, on ${dayWords(lowest.date)}.`]
        : []),
    ];
  },
  table: ({ days }) => ({
    columns: [
      { name: 'date', title: 'Day', unit: '' },
      { name: 'consensus_rate', title: 'Consensus rate', unit: 'share' },
      { name: 'deliberations_closed', title: 'Closed in the last 30 days', unit: 'count' },
      { name: 'consensus_reached', title: 'Of those, with consensus', unit: 'count' },
    ],
    rows: days.map((day) => [
      day.date,
      hasRate(day) ? Math.round(day.consensus_rate * 1e6) / 1e6 : null,
      day.deliberations_closed,
      day.consensus_reached,
    ]),
  }),
  plotHeight: (_, width) => timePlotHeight(width) + 60,
  plot,
});

/** A share of nothing is published as 1; a picture of it would claim consensus. */
const hasRate = ({ deliberations_closed }: Day) => deliberations_closed > 0;

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
  const last = days.at(-1)!;
  const line = (y: (day: Day) => number | null) =>
    days.map((day) => ({ x: rate.x(timeOfDay(day.date)), y: y(day) }));
  return [
    ...rate.marks,
    linePath(
      line((day) => (hasRate(day) ? rate.y(day.consensus_rate) : null)),
      { stroke: theme.series[0] },
    ),
    ...rate.names([rate.y(last.consensus_rate)]),
    ...counts.marks,
    element('line', { x1: box.left, x2: box.right, y1: split, y2: split, stroke: theme.rule }),
    linePath(
      line((day) => counts.y(day.deliberations_closed)),
      { stroke: theme.muted, dash: '4 3' },
    ),
    linePath(
      line((day) => counts.y(day.consensus_reached)),
      { stroke: theme.series[0] },
    ),
    ...counts.names([counts.y(last.deliberations_closed), counts.y(last.consensus_reached)]),
  ];
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
  const text = hasRate(last) ? `Rate ${shareWords(last.consensus_rate, 0)}` : 'Rate';
  return timeFrame(plot, {
    ...rangeOf(days),
    values: [0, 1],
    format: (value) => shareWords(value, 0),
    series: [{ text, colour: plot.theme.series[0] }],
    noDates: true,
    ...(edges ? { edges } : {}),
  });
}

function countFrame({ days }: Shown, plot: Plot, edges?: Edges): TimeFrame {
  const last = days.at(-1)!;
  return timeFrame(plot, {
    ...rangeOf(days),
    values: days.map((day) => day.deliberations_closed),
    // Half a deliberation is none: the rule stays, its name does not.
    format: (value) => (Number.isInteger(value) ? shortNumber(value) : ''),
    series: [
      { text: `Closed ${shortNumber(last.deliberations_closed)}`, colour: plot.theme.muted },
      { text: `Consensus ${shortNumber(last.consensus_reached)}`, colour: plot.theme.series[0] },
    ],
    ...(edges ? { edges } : {}),
  });
}
