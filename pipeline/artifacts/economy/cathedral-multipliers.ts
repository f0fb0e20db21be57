import * as z from 'zod/mini';
import type { EventOf } from '../../ledger/events/event.ts';
import { described } from '../../words/described.ts';
import { cathedral, cycle, dateTime, multiplier } from '../fields.ts';
import { INERT_TEXT } from '../format/csv.ts';
import { eventHistory } from '../histories.ts';

export const cathedralMultipliers = eventHistory({
  path: 'economy/cathedral-multipliers.csv',
  title: 'Cathedral multiplier timeline',
  description: 'Every setting of a cathedral multiplier since genesis, newest first, with its reason.',
  limits: [
    'A row holds until the next one of the same cathedral: fill it forward before joining it with other days.',
  ],
  followsFrom: ['genesis', 'multiplier_set'],
  tables: [{ name: 'cathedral_multipliers', key: [] }],
  schema: z.strictObject({
    timestamp: dateTime('Time from which the multiplier holds, UTC'),
    cycle,
    cathedral: described(cathedral.check(z.regex(INERT_TEXT)), 'Cathedral whose multiplier was set'),
    multiplier,
    reason: described(
      z.string().check(z.regex(/^[a-z][a-z0-9]*(_[a-z0-9]+)*$/)),
      'Why it was set; genesis for the first',
      { unit: 'snake_case token' },
    ),
  }),
  rows(event) {
    if (event.type === 'genesis') {
      const { multipliers } = (event as EventOf<'genesis'>).data;
      return Object.entries(multipliers).map(([cathedral, multiplier]) => {
        return { cathedral, multiplier, reason: 'genesis' };
      });
    }
    if (event.type !== 'multiplier_set') return [];
    const { cathedral, multiplier, reason } = (event as EventOf<'multiplier_set'>).data;
    return [{ cathedral, multiplier, reason }];
  },
});
