import * as z from 'zod/mini';
import { described } from '../../words/described.ts';
import { count, day } from '../fields.ts';
import { dayHistory } from '../histories.ts';

export const eventsByDay = dayHistory({
  path: 'academics/events-by-day.csv',
  title: 'Ledger events by day and type',
  description:
    'The number of events of each type that the ledger received on each day. The events themselves need a key.',
  limits: [
    'It counts events and says nothing of their content.',
    'A type without events on a day has no row: count it as 0 in means. Types that are not documented count as other.',
  ],
  tables: [{ name: 'events_by_day', key: ['date', 'event_type'] }],
  schema: z.strictObject({
    date: day,
    event_type: described(z.string(), 'Type of the events; other for types that are not documented here', {
      unit: 'snake_case token',
    }),
    events: count('Events of the type on the day; a type without events has no row'),
  }),
  rows: ({ day: { date, events } }) =>
    Object.keys(events)
      .sort()
      .map((type) => ({ date, event_type: type, events: events[type]! })),
});
