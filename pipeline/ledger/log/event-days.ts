import * as z from 'zod/mini';
import { described } from '../../words/described.ts';
import { CalendarDate, type LedgerEvent } from '../events/event.ts';
import { decisionOf, isPublic, PUBLIC_VERSION } from './public-events.ts';
import { TILE_WIDTH } from './tile.ts';

const Index = z.int().check(z.gte(0));

const DayBundle = z.strictObject({
  bundle: described(Index, 'Number of a bundle of public events'),
  from: described(
    z.string().check(z.regex(/^\d\d:\d\d:\d\d(\.\d+)?Z$/)),
    'Time of the day’s first public event in it, UTC',
  ),
  types: described(
    z.array(z.string()).check(z.minLength(1)),
    'Types of the day’s public events in it, sorted',
  ),
});

const EventDay = z.strictObject({
  date: described(CalendarDate, 'Day, UTC'),
  first: described(Index, 'Index of its first event in the log'),
  end: described(Index, 'One more than the index of its last event'),
  bundles: described(z.array(DayBundle), 'Bundles with public events of the day'),
  withheld: z.optional(
    described(
      z.record(z.string(), z.int().check(z.gte(1))),
      'By public type, how many events of the day stay hashes because they have members that no public file shows; absent if none',
    ),
  ),
});

/** Where the events of a month are in the log: `/events/days/2026-05.json`. It follows from the ledger, and the release signs it. */
export const EventDays = z.strictObject({
  month: described(z.string().check(z.regex(/^\d{4}-\d\d$/)), 'Calendar month, UTC'),
  /** In the addresses of the bundles. */
  version: described(z.int().check(z.gte(1)), 'Version of the decisions which events are public'),
  days: described(z.array(EventDay), 'Its days with events, in their order'),
});
export type EventDays = z.infer<typeof EventDays>;

export const EVENT_DAYS_FOLDER = 'events/days';

/** Path of the index of a month, `2026-05`, below the service’s root. */
export function eventDaysPath(month: string): string {
  return `${EVENT_DAYS_FOLDER}/${month}.json`;
}

export function monthOf(timestamp: string): string {
  return timestamp.slice(0, 'YYYY-MM'.length);
}

/** One line a day. */
export function formatEventDays({ days, ...about }: EventDays): string {
  const head = JSON.stringify(about).slice(0, -1);
  return `${head},"days":[\n${days.map((day) => JSON.stringify(day)).join(',\n')}\n]}\n`;
}

/** Adds an event to the days of its month. */
export function addEvent({ days }: EventDays, event: LedgerEvent): void {
  const { seq, timestamp, type } = event;
  const date = timestamp.slice(0, 'YYYY-MM-DD'.length);
  let day = days.at(-1);
  if (day?.date !== date) {
    day = { date, first: seq, end: seq, bundles: [] };
    days.push(day);
  }
  day.end = seq + 1;
  if (!isPublic(event)) {
    // Otherwise a row of such an event would look false. The counts by type are public in events-by-day.csv.
    if (decisionOf(type).public) day.withheld = { ...day.withheld, [type]: (day.withheld?.[type] ?? 0) + 1 };
    return;
  }
  const bundle = Math.floor(seq / TILE_WIDTH);
  const last = day.bundles.at(-1);
  if (last?.bundle !== bundle)
    day.bundles.push({ bundle, from: timestamp.slice(date.length + 1), types: [type] });
  // Sorted, the lists are much the same, and compress to half.
  else if (!last.types.includes(type)) last.types = [...last.types, type].sort();
}

export function emptyMonth(month: string): EventDays {
  return { month, version: PUBLIC_VERSION, days: [] };
}
