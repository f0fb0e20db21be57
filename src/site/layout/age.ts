const HOUR_MS = 3_600_000;
const DAY_HOURS = 24;
/** Two release intervals. One release may be late; two missing ones are a fault. */
const OLD_AFTER_HOURS = 12;

/** The age of stale data in words (`13 hours`, `52 days`); null while they are fresh. Times in ms since 1970. */
export function oldAge(asOf: number, now: number): string | null {
  const hours = Math.floor((now - asOf) / HOUR_MS);
  // The negation makes an invalid time (NaN) show no warning.
  if (!(now - asOf > OLD_AFTER_HOURS * HOUR_MS)) return null;
  return hours < 2 * DAY_HOURS ? `${hours} hours` : `${Math.floor(hours / DAY_HOURS)} days`;
}

/**
 * What the parsed `/latest.json` says of data as of `asOf`: the publisher still signs them as the newest, or there are newer ones. Null if
 * neither. Times in ms since 1970.
 */
export function standingOf(latest: unknown, asOf: number, now: number): 'newest' | 'replaced' | null {
  const { as_of, expires } = (latest ?? {}) as { as_of?: unknown; expires?: unknown };
  const newest = Date.parse(String(as_of));
  if (newest > asOf) return 'replaced';
  return newest === asOf && now <= Date.parse(String(expires)) ? 'newest' : null;
}
