import { formatTimestamp } from '../words/moment.ts';

export const HOUR_MS = 3_600_000;
export const DAY_MS = 86_400_000;
/** Length of the window over which virtues, drift and consensus are measured. */
export const WINDOW_DAYS = 30;
/** How long a closed deliberation stays in deliberations.json. */
export const DELIBERATION_DAYS = 90;

/** Milliseconds since 1970 of an event's timestamp; digits past the millisecond are cut. */
export function timeOf(timestamp: string): number {
  return Date.parse(timestamp);
}

/** ISO 8601 readers accept years of four digits only. */
const END_OF_TIME = Date.parse('9999-12-31T23:59:59Z');

/** Milliseconds since 1970 → `2026-01-15T06:00:00Z`. A time after the year 9999 becomes the last second of that year. */
export function timestampOf(ms: number): string {
  return formatTimestamp(Math.min(ms, END_OF_TIME));
}

/** `2026-01-15` of a timestamp. Ledger timestamps are UTC. */
export function dayOf(timestamp: string): string {
  return timestamp.slice(0, 10);
}

/** Beginning of the window that ends at `asOf`, in milliseconds; the window includes both of its ends. */
export function windowStart(asOf: string, days: number = WINDOW_DAYS): number {
  return timeOf(asOf) - days * DAY_MS;
}

/** Those of `items` whose time lies in the window that ends at `asOf`. */
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
