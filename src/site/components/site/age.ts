const HOUR_MS = 3_600_000;
const DAY_HOURS = 24;
/** Two periods between releases: one may be late, two are missing. */
const OLD_AFTER_HOURS = 12;

/** How old data are that are too old, in words (`13 hours`, `52 days`); null while they are not. Times in ms since 1970. */
export function oldAge(asOf: number, now: number): string | null {
  const hours = Math.floor((now - asOf) / HOUR_MS);
  // Written so that a time that cannot be read warns of nothing.
  if (!(now - asOf > OLD_AFTER_HOURS * HOUR_MS)) return null;
  return hours < 2 * DAY_HOURS ? `${hours} hours` : `${Math.floor(hours / DAY_HOURS)} days`;
}

/** Whether `/latest.json`, as parsed, says that data of a time are still the newest. Times in ms since 1970. */
export function isConfirmed(latest: unknown, asOf: number, now: number): boolean {
  const { as_of, expires } = (latest ?? {}) as { as_of?: unknown; expires?: unknown };
  return Date.parse(String(as_of)) === asOf && now <= Date.parse(String(expires));
}
