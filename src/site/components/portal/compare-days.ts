const DAY_MS = 86_400_000;

/** Spans over which figures are compared, days. */
const SPANS = [1, 30] as const;

export interface Change {
  /** Days, as it is called. */
  span: (typeof SPANS)[number];
  /** The whole day at whose end the value was compared, `2026-10-21`. */
  date: string;
  /** Now less then; null where there is no value of that day. */
  change: number | null;
}

/**
 * The whole day whose end is nearest to `span` days before a time: of `2026-11-21T05:28:33Z` one day before it is
 * `2026-11-19`, whose end is 29.5 h before. What is published by day stands at ends of days.
 */
export function comparisonDay(asOf: string, span: number): string {
  const boundary = Math.round((Date.parse(asOf) - span * DAY_MS) / DAY_MS);
  return dayBefore(new Date(boundary * DAY_MS).toISOString());
}

/** The day that was over at the beginning of the day of a time: `2026-11-20T00:00:00Z` → `2026-11-19`. */
export function dayBefore(time: string): string {
  return new Date(Date.parse(time) - DAY_MS).toISOString().slice(0, 10);
}

/** How a figure differs from what it was; `daily` has its value at the end of each whole day. */
export function compareDays(now: number, daily: ReadonlyMap<string, number>, asOf: string): Change[] {
  return SPANS.map((span) => {
    const date = comparisonDay(asOf, span);
    const before = daily.get(date);
    return { span, date, change: before === undefined ? null : now - before };
  });
}
