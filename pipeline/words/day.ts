import { formatTimestamp } from './moment.ts';

export const DAY_MS = 86_400_000;

/** Midnight at which a day begins, in ms since 1970. */
export function timeOfDay(day: string): number {
  return Date.parse(`${day}T00:00:00Z`);
}

/** The last day that ISO 8601 parsers accept: they expect four digits of the year. */
const LAST_DAY = timeOfDay('9999-12-31');

/** `2026-02-28` and 1 → `2026-03-01`. */
export function addDays(day: string, days: number): string {
  return formatTimestamp(Math.min(timeOfDay(day) + days * DAY_MS, LAST_DAY)).slice(0, 10);
}

/** The days from one day to another, both included. */
export function daysFrom(first: string, last: string): number {
  return (timeOfDay(last) - timeOfDay(first)) / DAY_MS + 1;
}
