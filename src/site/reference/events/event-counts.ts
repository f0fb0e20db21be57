import { eventsByDay } from '../../../../pipeline/artifacts/academics/events-by-day.ts';
import type { SiteRelease } from '../../layout/release.ts';

/** How many events of each type the ledger received on days that are over. */
export interface EventCounts {
  /** The last of these days, YYYY-MM-DD; null before the first day is over. */
  until: string | null;
  /** By type; events of types that are not documented are `other`. */
  byType: ReadonlyMap<string, number>;
}

export function eventCounts(release: SiteRelease): EventCounts {
  const rows = release.read(eventsByDay);
  const byType = new Map<string, number>();
  for (const { event_type, events } of rows) byType.set(event_type, (byType.get(event_type) ?? 0) + events);
  return { until: rows.at(-1)?.date ?? null, byType };
}
