const OFFSET_TIME = /^(.{19})(\.\d+)?(Z|[+-]\d\d:\d\d)$/;

/**
 * `2025-12-01T07:00:00.123456+01:00` → `2025-12-01T06:00:00.123456Z`: a time with an offset in the ledger's format. The
 * fraction is kept as written; Date has only milliseconds.
 */
export function utcTimestamp(timestamp: string): string {
  const [, seconds, fraction = '', offset] = OFFSET_TIME.exec(timestamp)!;
  if (offset === 'Z' || offset === '+00:00') return `${seconds}${fraction}Z`;
  return `${new Date(`${seconds}${offset}`).toISOString().slice(0, 19)}${fraction}Z`;
}

const SECONDS = 'YYYY-MM-DDTHH:MM:SS'.length;

/** Negative, 0 or positive as `a` is before, at or after `b`; both are valid ledger timestamps, any fraction. */
export function compareTimestamps(a: string, b: string): number {
  // Timestamps of equal length, which nearly all are, sort as text.
  if (a.length === b.length) return compareText(a, b);
  return compareText(a.slice(0, SECONDS), b.slice(0, SECONDS)) || compareText(fraction(a), fraction(b));
}

/** `…:05.250Z` → `25`. As text, a fraction without trailing zeros sorts like its value: `` < `25` < `3`. */
function fraction(timestamp: string): string {
  return timestamp.slice(SECONDS + 1, -1).replace(/0+$/, '');
}

function compareText(a: string, b: string): number {
  return a === b ? 0 : a < b ? -1 : 1;
}
