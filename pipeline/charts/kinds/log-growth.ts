import { eventsByDay } from '../../artifacts/academics/events-by-day.ts';
import { timeOfDay } from '../../words/day.ts';
import { formatDay } from '../../words/moment.ts';
import { formatCount, formatNumber } from '../../words/number.ts';
import { type Chart, defineChart } from '../chart.ts';
import { binDays, daysBetween, END_OF_STEP, inRange, type Step, stepFor } from '../drawing/days.ts';
import { linePath } from '../drawing/element.ts';
import { shortNumber } from '../drawing/label.ts';
import { timePlotHeight } from '../drawing/plot.ts';
import { timeFrame } from '../drawing/time-frame.ts';

/** A finished day, its events, and the log's size at its end. */
interface Day {
  date: string;
  events: number;
  size: number;
}

interface Shown {
  days: readonly Day[];
  step: Step;
  /** Of all days shown, not only the last one of each step. */
  perDay: number;
  busiest: Day | null;
}

/** The log's size by day. It belongs to the page about the log and has no page, files or embed of its own. */
export const logGrowth: Chart = defineChart<readonly Day[], Shown>({
  id: 'log-growth',
  area: 'academics',
  name: 'Growth of the log',
  sources: [eventsByDay],
  controls: [],
  prepare: (files) => sizesOf(files.read(eventsByDay)),
  asOf: (days) => days.at(-1)?.date ?? '',
  show(all, state) {
    const days = inRange(all, state);
    const step = stepFor(daysBetween(days));
    const events = days.reduce((sum, day) => sum + day.events, 0);
    return {
      days: binDays(days, step).map(({ rows }) => rows.at(-1)!),
      step,
      perDay: events / Math.max(1, daysBetween(days)),
      busiest: days.toSorted((a, b) => b.events - a.events)[0] ?? null,
    };
  },
  isEmpty: ({ days }) => days.length === 0,
  missing: { nothing: 'No day of the ledger is over yet.', types: [], wholeDays: true },
  title: () => 'Events in the log',
  unit: ({ step }) => `Number of events, ${END_OF_STEP[step]}`,
  summary: ({ days, perDay, busiest }) => [
    `At the end of ${formatDay(days.at(-1)!.date)} the log had ${formatCount(days.at(-1)!.size, 'event')}.`,
    `It grew by ${formatNumber(perDay, 1)} a day; the most, ${formatNumber(busiest!.events)}, came on ${formatDay(busiest!.date)}.`,
  ],
  table: ({ days }) => ({
    columns: [
      { name: 'date', title: 'Day', unit: '' },
      { name: 'size', title: 'Events in the log', unit: 'count' },
    ],
    rows: days.map(({ date, size }) => [date, size]),
  }),
  plotHeight: (_, width) => timePlotHeight(width),
  plot({ days }, plot) {
    const last = days.at(-1)!;
    const frame = timeFrame(plot, {
      from: timeOfDay(days[0]!.date),
      to: timeOfDay(last.date),
      scale: 'linear',
      values: days.map(({ size }) => size),
      fromZero: true,
      format: shortNumber,
      unit: 'Events',
      drawn: [{ column: 'size', colour: plot.theme.subject, mark: 'line' }],
      series: [{ text: `Events ${shortNumber(last.size)}`, colour: plot.theme.subject }],
    });
    const points = days.map(({ date, size }) => ({ x: frame.x(timeOfDay(date)), y: frame.y(size) }));
    return [
      ...frame.marks,
      linePath(points, { stroke: plot.theme.subject }),
      ...frame.names([frame.y(last.size)]),
    ];
  },
});

function sizesOf(rows: readonly { date: string; events: number }[]): Day[] {
  const days: Day[] = [];
  let size = 0;
  for (const { date, events } of rows) {
    size += events;
    const last = days.at(-1);
    if (last?.date === date) Object.assign(last, { size, events: last.events + events });
    else days.push({ date, events, size });
  }
  return days;
}
