import { DAY_MS } from '../words/day.ts';
import { formatTimestamp } from '../words/moment.ts';

export const HOUR_MS = 3_600_000;
/** The window of virtues, drift and consensus. */
export const WINDOW_DAYS = 30;
/** How long a closed deliberation stays in deliberations.json. */
export const DELIBERATION_DAYS = 90;

/** An event's timestamp in milliseconds since 1970. Digits beyond milliseconds are truncated. */
export function timeOf(timestamp: string): number {
  return Date.parse(timestamp);
}

/** ISO 8601 parsers only accept four-digit years. */
const END_OF_TIME = Date.parse('9999-12-31T23:59:59Z');

/** Milliseconds since 1970 → `2026-01-15T06:00:00Z`. Times after the year 9999 become the last second of that year. */
export function timestampOf(ms: number): string {
  return formatTimestamp(Math.min(ms, END_OF_TIME));
}

/** The UTC date of a ledger timestamp: `2026-01-15`. */
export function dayOf(timestamp: string): string {
  return timestamp.slice(0, 10);
}

/** Start of the window that ends at `asOf`, in milliseconds since 1970. The window includes both ends. */
export function windowStart(asOf: string, days: number = WINDOW_DAYS): number {
  return timeOf(asOf) - days * DAY_MS;
}

/** The items whose time is in the window that ends at `asOf`. */
export function within<T>(
  items: readonly T[],
  asOf: string,
  time: (item: T) => string | null,
  days: number = WINDOW_DAYS,
): T[] {
  const start = windowStart(asOf, days);
  return items.filter((item) => {
    const at = time(item);
    return at !== null && timeOf(at) >= start;
  });
}

/** The same of a list in order of time, as events come: the window moves every hour, over thousands of items, of which few leave it. */
export function newestWithin<T>(items: readonly T[], asOf: string, time: (item: T) => string): T[] {
  const start = windowStart(asOf);
  const first = items.findIndex((item) => timeOf(time(item)) >= start);
  return first < 0 ? [] : items.slice(first);
}
