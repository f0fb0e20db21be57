import { utcDay, utcMonday, utcMonth, utcYear } from 'd3';
import { timestampOf } from '../../model/window.ts';
import { DAY_MS, daysFrom, timeOfDay } from '../../words/day.ts';
import { formatDay } from '../../words/moment.ts';
import { formatCount } from '../../words/number.ts';
import { formatList } from '../../words/phrase.ts';

/** How flows are aggregated, for the line below a title. */
export const MEAN_OF_STEP: Record<Step, string> = {
  day: 'by day',
  week: 'means by week',
  month: 'means by month',
  year: 'means by year',
};

/** How levels are sampled. */
export const END_OF_STEP: Record<Step, string> = {
  day: 'at the end of each day',
  week: 'at the end of each week; the last week may not be over',
  month: 'at the end of each month; the last month may not be over',
  year: 'at the end of each year; the last year may not be over',
};

/** The incomplete bins and their numbers of days; empty if all are complete. `look` is how the picture marks them. */
export function partialWords(
  bins: readonly Pick<Bin<unknown>, 'from' | 'to'>[],
  step: Step,
  look = '',
): string {
  const partial = bins.filter((bin) => !isWhole(bin, step));
  if (partial.length === 0) return '';
  const parts = partial.map(
    ({ from, to }) =>
      `${from === to ? formatDay(from) : `${formatDay(from)} to ${formatDay(to)}`} (${formatCount(daysFrom(from, to), 'day')})`,
  );
  return `Not a whole ${step}${look}: ${formatList(parts)}.`;
}

export const HATCHED = ', so hatched';

/** The most days, weeks or months that are drawn one by one: more would be finer than a pixel, and megabytes. */
const MAX_BINS = 400;

export type Step = 'day' | 'week' | 'month' | 'year';

const INTERVALS = { day: utcDay, week: utcMonday, month: utcMonth, year: utcYear } as const;

export interface Dated {
  /** `2026-01-15` */
  date: string;
}

/** The rows of one step; `from` and `to` are its first and last day. */
export interface Bin<T> {
  from: string;
  to: string;
  rows: readonly T[];
}

/** With the current day, which files by day have when it is over. */
export function withToday<T extends Dated>(days: readonly T[], today: T): readonly T[] {
  return today.date > (days.at(-1)?.date ?? '') ? [...days, today] : days;
}

/** The days from the first to the last row, both included. Rows oldest first. */
export function daysBetween(rows: readonly Dated[]): number {
  const [first, last] = [rows[0], rows.at(-1)];
  return first && last ? daysFrom(first.date, last.date) : 0;
}

/** The finest step for a chart of that many days. */
export function stepFor(days: number, mostDays = MAX_BINS): Step {
  if (days <= mostDays) return 'day';
  if (days <= MAX_BINS * 7) return 'week';
  return days <= MAX_BINS * 30 ? 'month' : 'year';
}

/** Whether the bin has all days of its week, month or year. The first and last bin of a chart may be incomplete. */
export function isWhole({ from, to }: Pick<Bin<unknown>, 'from' | 'to'>, step: Step): boolean {
  const start = INTERVALS[step].floor(new Date(timeOfDay(from)));
  const next = INTERVALS[step].offset(start, 1);
  return timeOfDay(from) === start.getTime() && timeOfDay(to) + DAY_MS === next.getTime();
}

/** The rows, oldest first, by day, by week (from Monday), by month or by year. */
function binDays<T extends Dated>(rows: readonly T[], step: Step): Bin<T>[] {
  const bins: { key: number; rows: T[] }[] = [];
  for (const row of rows) {
    const key = INTERVALS[step].floor(new Date(timeOfDay(row.date))).getTime();
    const last = bins.at(-1);
    if (last?.key === key) last.rows.push(row);
    else bins.push({ key, rows: [row] });
  }
  return bins.map(({ rows }) => ({ from: rows[0]!.date, to: rows.at(-1)!.date, rows }));
}

/** The last row of each step. */
export function endsOf<T extends Dated>(rows: readonly T[], step: Step): T[] {
  return binDays(rows, step).map(({ rows }) => rows.at(-1)!);
}

/** Like `binDays`, but every day from the first to the last row is in a bin, so days without rows count as well. */
export function calendarBins<T extends Dated>(rows: readonly T[], step: Step): Bin<T>[] {
  const [first, last] = [rows[0]?.date, rows.at(-1)?.date];
  if (first === undefined || last === undefined) return [];
  const interval = INTERVALS[step];
  const byKey = Map.groupBy(rows, ({ date }) => interval.floor(new Date(timeOfDay(date))).getTime());
  const end = new Date(timeOfDay(last) + 1);
  return interval.range(interval.floor(new Date(timeOfDay(first))), end).map((start) => {
    const [from, to] = [start, new Date(interval.offset(start, 1).getTime() - DAY_MS)].map(dayText);
    return {
      from: least(first, from!) === from ? first : from!,
      to: least(last, to!),
      rows: byKey.get(start.getTime()) ?? [],
    };
  });
}

/** The earlier of two days. */
function least(one: string, other: string): string {
  return one < other ? one : other;
}

function dayText(time: Date): string {
  return timestampOf(time.getTime()).slice(0, 10);
}

/** The last row of each step; a step without one has the row before, with its own last day: for amounts that stay until they change. */
export function heldEnds<T extends Dated>(rows: readonly T[], step: Step): T[] {
  const ends: T[] = [];
  for (const { to, rows: own } of calendarBins(rows, step))
    ends.push(own.at(-1) ?? { ...ends.at(-1)!, date: to });
  return ends;
}

/** Whether a scheduled day has passed at `asOf`, a time or a day. */
export function isOverdue(day: string, asOf: string): boolean {
  return day < asOf.slice(0, 10);
}
