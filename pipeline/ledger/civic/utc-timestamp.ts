const OFFSET_TIME = /^(.{19})(\.\d+)?(Z|[+-]\d\d:\d\d)$/;

/**
 * `2025-12-01T07:00:00.123456+01:00` → `2025-12-01T06:00:00.123456Z`: the ledger's form of a time with an offset. The
 * fraction stays as it was written; Date has milliseconds only.
 */
export function utcTimestamp(timestamp: string): string {
  const [, seconds, fraction = '', offset] = OFFSET_TIME.exec(timestamp)!;
  if (offset === 'Z' || offset === '+00:00') return `${seconds}${fraction}Z`;
  return `${new Date(`${seconds}${offset}`).toISOString().slice(0, 19)}${fraction}Z`;
}
