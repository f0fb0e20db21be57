import { DAY_MS, daysFrom, timeOfDay } from '../words/day.ts';
import { formatDay, formatDays, formatMonth, formatSpan } from '../words/moment.ts';
import type { ChartTable } from './chart-table.ts';

// The time of a row is in its first cells: two days, a day, a month, or a moment.

type Row = ChartTable['rows'][number];

const MONTH = /^\d{4}-\d{2}$/;
const DAY = /^\d{4}-\d{2}-\d{2}$/;
const MOMENT = /^\d{4}-\d{2}-\d{2}/;

/** The first day of a row, or its moment, and its last day. */
function endsOf([first, second]: Row): [first: string, last: string] {
  const [start, end] = [String(first), String(second)];
  return [start, DAY.test(start) && DAY.test(end) ? end : start];
}

/** The first and the last moment of a row, ms; NaN for a row that has no time. */
export function spanOf(row: Row): { from: number; to: number; middle: number } {
  const [start, end] = endsOf(row);
  const [from, to] = MONTH.test(start)
    ? [Date.parse(start), new Date(start).setUTCMonth(new Date(start).getUTCMonth() + 1)]
    : DAY.test(start)
      ? [timeOfDay(start), timeOfDay(end) + DAY_MS]
      : [Date.parse(start), Date.parse(start)];
  return { from, to, middle: (from + to) / 2 };
}

/** `9 March 2026`, `9–15 March 2026`, `March 2026`; the first cell of a row that has no time. */
export function formatRowTime(row: Row): string {
  const [start, end] = endsOf(row);
  if (MONTH.test(start)) return formatMonth(start);
  if (!MOMENT.test(start)) return start;
  return end === start ? formatDay(start) : formatDays(start, end);
}

/** From the first day of the first row to the last day of the last one. */
export function formatRowsSpan(rows: ChartTable['rows']): string {
  const [[start], [, end]] = [endsOf(rows[0]!), endsOf(rows.at(-1)!)];
  if (DAY.test(start)) return formatSpan(start, end);
  return start === end ? `In ${formatMonth(start)}` : `From ${formatMonth(start)} to ${formatMonth(end)}`;
}

/** The days of a row; 1 for any other time. */
export function daysOfRow(row: Row): number {
  const [start, end] = endsOf(row);
  return end === start ? 1 : daysFrom(start, end);
}
