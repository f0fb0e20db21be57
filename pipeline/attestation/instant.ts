/** A point in time of any precision: `fraction` has the digits after the second without trailing zeros. */
export interface Instant {
  /** Whole seconds since 1970. */
  seconds: number;
  fraction: string;
}

const DATE_TIME = /^(.{19})(?:\.(\d+))?(Z|[+-]\d\d:\d\d)$/;

/** `text`: a date-time that matches the schema, with `Z` or an offset. */
export function parseInstant(text: string): Instant {
  const [, whole, fraction = '', zone] = DATE_TIME.exec(text) ?? [];
  return { seconds: Date.parse(`${whole}${zone}`) / 1000, fraction: withoutZeros(fraction) };
}

/** `ms` since 1970. */
export function instantAt(ms: number): Instant {
  return parseInstant(new Date(ms).toISOString());
}

export function addSeconds({ seconds, fraction }: Instant, more: number): Instant {
  return { seconds: seconds + more, fraction };
}

/** Negative if `a` is before `b`, 0 if they are equal. */
export function compareInstants(a: Instant, b: Instant): number {
  if (a.seconds !== b.seconds) return a.seconds - b.seconds;
  // Digits after the point sort as text: 05 before 1, 1 before 15.
  return a.fraction === b.fraction ? 0 : a.fraction < b.fraction ? -1 : 1;
}

/** A regular expression for trailing zeros would backtrack at each zero: a fraction of 60,000 zeros took seconds. */
function withoutZeros(digits: string): string {
  let end = digits.length;
  while (digits[end - 1] === '0') end -= 1;
  return digits.slice(0, end);
}
