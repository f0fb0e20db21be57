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

/** Whether the parsed `/latest.json` confirms that the data as of `asOf` are still the newest. Times in ms since 1970. */
export function isConfirmed(latest: unknown, asOf: number, now: number): boolean {
  const { as_of, expires } = (latest ?? {}) as { as_of?: unknown; expires?: unknown };
  return Date.parse(String(as_of)) === asOf && now <= Date.parse(String(expires));
}
