const SECOND_MS = 1_000;
export const DAY_S = 86_400;
const DAY_MS = DAY_S * SECOND_MS;

/** `2025-12-01`: the calendar day in UTC of a time in ms since 1970. */
export function utcDay(time: number): string {
  const day = Math.floor(time / DAY_MS);
  // Asked for with each request, and mostly for the same day.
  if (day !== last.day) last = { day, name: new Date(time).toISOString().slice(0, 10) };
  return last.name;
}

let last = { day: Number.NaN, name: '' };

/** Whole seconds until the next midnight in UTC, rounded up: 1 … 86 400. */
export function secondsToMidnight(time: number): number {
  return Math.ceil((DAY_MS - (time % DAY_MS)) / SECOND_MS);
}
