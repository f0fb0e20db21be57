/** Made when the first time is written: that takes as long as a tenth of what every command loads. */
function dateFormat(options: Intl.DateTimeFormatOptions): (time: string) => string {
  let made: Intl.DateTimeFormat | undefined;
  return (time) => {
    made ??= new Intl.DateTimeFormat('en-GB', { ...options, timeZone: 'UTC' });
    return made.format(new Date(time));
  };
}

/** `2026-09-30T18:00:00Z` or `2026-09-30` → `30 September 2026`, in UTC. */
export const formatDay = dateFormat({ day: 'numeric', month: 'long', year: 'numeric' });

/** `2026-09-30T18:00:12Z` → `30 September 2026, 18:00 UTC`. */
export function formatMoment(time: string): string {
  return `${formatDay(time)}, ${new Date(time).toISOString().slice(11, 16)} UTC`;
}

/** `2026-09`, or a day or time in that month → `September 2026`, in UTC. */
export const formatMonth = dateFormat({ month: 'long', year: 'numeric' });

/** `between 1 January and 30 September 2026`; the year appears once where both days share it. */
export function formatPeriod({ from, to }: { from: string; to: string }): string {
  const [start, end] = [formatDay(from), formatDay(to)];
  if (start === end) return `on ${end}`;
  const year = end.slice(end.lastIndexOf(' '));
  return `between ${start.endsWith(year) ? start.slice(0, -year.length) : start} and ${end}`;
}

/** The days that a sentence begins with: `From 1 October 2026 to 3 October 2026`, or `On 1 October 2026` for a single one. */
export function formatSpan(from: string, to: string): string {
  const [first, last] = [formatDay(from), formatDay(to)];
  return first === last ? `On ${first}` : `From ${first} to ${last}`;
}

/** `9–15 March 2026`, `28 February – 6 March 2026`, or `9 March 2026` for a single day. */
export function formatDays(from: string, to: string): string {
  const [first, last] = [formatDay(from), formatDay(to)];
  if (first === last) return last;
  const [day, month, year] = first.split(' ') as [string, string, string];
  if (last.endsWith(` ${month} ${year}`)) return `${day}–${last}`;
  return last.endsWith(` ${year}`) ? `${day} ${month} – ${last}` : `${first} – ${last}`;
}

/** Milliseconds since 1970 → `2026-09-30T18:00:12Z`; the fraction of a second is dropped. */
export function formatTimestamp(ms: number): string {
  return new Date(ms).toISOString().replace(/\.\d+Z$/, 'Z');
}
