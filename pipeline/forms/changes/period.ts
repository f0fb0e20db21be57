import { addDays, daysFrom } from '../../words/day.ts';
import { formatDay } from '../../words/moment.ts';

/** Two days. What is compared is the state at the end of both. */
export interface Period {
  since: string;
  until: string;
}

/** The first and the last finished day with data, and a day before the first has no state. */
export interface Extent {
  first: string;
  last: string;
}

/** The same day of the month before, or the last of that month if it has none: `2026-03-31` → `2026-02-28`. */
export function monthBefore(day: string): string {
  return monthsBefore(day, 1);
}

function monthsBefore(day: string, months: number): string {
  const date = new Date(`${day}T00:00:00Z`);
  const wanted = date.getUTCDate();
  date.setUTCDate(1);
  date.setUTCMonth(date.getUTCMonth() - months);
  const last = new Date(Date.UTC(2000, 0, 1));
  last.setUTCFullYear(date.getUTCFullYear(), date.getUTCMonth() + 1, 0);
  date.setUTCDate(Math.min(wanted, last.getUTCDate()));
  return textOf(date);
}

function textOf(date: Date): string {
  return date.toISOString().replace(/T.*$/, '');
}

/** The days between which nothing is left out: `since` itself does not count, `until` does. */
export function daysOf({ since, until }: Period): number {
  return daysFrom(since, until) - 1;
}

interface Preset {
  name: string;
  label: string;
  since: (until: string) => string;
}

/** Spans that end with the newest day. */
export const PRESETS: readonly Preset[] = [
  { name: 'day', label: 'The day before', since: (until) => addDays(until, -1) },
  { name: 'week', label: 'A week', since: (until) => addDays(until, -7) },
  { name: 'month', label: 'A month', since: monthBefore },
  { name: 'quarter', label: 'A quarter', since: (until) => monthsBefore(until, 3) },
  { name: 'year', label: 'A year', since: (until) => monthsBefore(until, 12) },
];

/**
 * Since the same day of the month before, until the newest finished day. A younger ledger is compared with its first day; with a single
 * day there is nothing to compare, and the result is null.
 */
export function defaultPeriod({ first, last }: Extent): Period | null {
  if (first >= last) return null;
  return { since: later(monthBefore(last), first), until: last };
}

/** The wrong parameter, and what to do. */
export interface PeriodFault {
  name: 'since' | 'until';
  message: string;
}

const DAY_FORM = /^\d{4}-\d{2}-\d{2}$/;

/** What an address asks for. Empty: as by default, a month before `until`, and the newest day. */
export function parsePeriod(
  asked: { since: string; until: string },
  extent: Extent,
): { period: Period } | { fault: PeriodFault } {
  const [first, last] = [formatDay(extent.first), formatDay(extent.last)];
  const range = `There are data from the end of ${first} to the end of ${last}.`;
  const fault = (name: PeriodFault['name'], message: string) => ({ fault: { name, message } });
  for (const name of ['since', 'until'] as const) {
    const text = asked[name];
    if (text === '') continue;
    if (!isDay(text))
      return fault(
        name,
        `“${text.slice(0, 40)}” is not a day. Write year, month and day, as in ${extent.last}. ${range}`,
      );
    if (text < extent.first)
      return fault(name, `${formatDay(text)} is before the first day with data. ${range}`);
    if (text > extent.last)
      return fault(name, `${formatDay(text)} is after the newest finished day. ${range}`);
  }
  const until = asked.until === '' ? extent.last : asked.until;
  const since = asked.since === '' ? later(monthBefore(until), extent.first) : asked.since;
  if (since === until)
    return fault(
      'since',
      `Both days are ${formatDay(until)}, so nothing can have changed. Choose an earlier day to compare with. ${range}`,
    );
  if (since > until)
    return fault(
      'since',
      `${formatDay(since)} is after ${formatDay(until)}. Exchange the two days. ${range}`,
    );
  return { period: { since, until } };
}

function later(one: string, other: string): string {
  return one > other ? one : other;
}

/** Whether a text is a day of the calendar. */
function isDay(text: string): boolean {
  if (!DAY_FORM.test(text)) return false;
  const time = Date.parse(`${text}T00:00:00Z`);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text);
}
