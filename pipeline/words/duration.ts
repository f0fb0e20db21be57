import { counted } from './number.ts';

// This pattern is published in JSON Schemas, so it has no lookahead, which some regular expression engines lack. Each
// alternative starts with another unit.
const DATE = '[0-9]+Y([0-9]+M)?([0-9]+D)?|[0-9]+M([0-9]+D)?|[0-9]+D';
const TIME = 'T([0-9]+H([0-9]+M)?([0-9]+S)?|[0-9]+M([0-9]+S)?|[0-9]+S)';
/** ISO 8601 without fractions: weeks alone, or years down to seconds. */
export const DURATION = new RegExp(`^P([0-9]+W|(${DATE})(${TIME})?|${TIME})$`);

const DAY = 86_400;
/** Seconds. A year counts as 365 days and a month as 30, since a duration starts at no date. */
const DATE_UNITS = { W: 7 * DAY, Y: 365 * DAY, M: 30 * DAY, D: DAY } as const;
const TIME_UNITS = { H: 3600, M: 60, S: 1 } as const;

/** `P1DT12H` → 129600. `text` matches DURATION; infinite for a count of hundreds of digits. */
export function durationSeconds(text: string): number {
  const [date = '', time = ''] = text.slice(1).split('T');
  return total(date, DATE_UNITS) + total(time, TIME_UNITS);
}

function total(part: string, units: Readonly<Record<string, number>>): number {
  const terms = part.matchAll(/([0-9]+)([A-Z])/g);
  return terms.reduce((sum, [, count, unit]) => sum + Number(count) * units[unit!]!, 0);
}

const INTERVALS = [
  ['day', DAY],
  ['hour', 3600],
  ['minute', 60],
  ['second', 1],
] as const;

/** After “every”: `PT6H` → `6 hours`, `P1D` → `day`. A duration too long to count stays as it is. */
export function formatInterval(duration: string): string {
  const seconds = durationSeconds(duration);
  const found = INTERVALS.find(([, length]) => seconds >= length && seconds % length === 0);
  if (!found || !Number.isSafeInteger(seconds)) return duration;
  const [unit, length] = found;
  return seconds === length ? unit : `${seconds / length} ${unit}s`;
}

/** Milliseconds → `0.4 s`, `12.3 s`, `3 min 5 s`. */
export function formatDuration(ms: number): string {
  if (ms < 60_000) return `${(ms / 1000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1000);
  return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

/** Milliseconds → the largest unit, rounded down: `12 seconds`, `5 minutes`, `1 hour`, `52 days`. */
export function formatAge(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  const [unit, length] = INTERVALS.find(([, each]) => seconds >= each) ?? INTERVALS.at(-1)!;
  const count = Math.floor(seconds / length);
  return counted(count, unit);
}
