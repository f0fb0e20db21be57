import * as z from 'zod/mini';
import { dateTime, text } from '../fields.ts';
import { jsonDocument } from '../json-document.ts';

export const charter = jsonDocument({
  path: 'diplomacy/charter.json',
  title: 'Charter',
  description: 'The rules that the ledger was founded on. Its first event states them, so they never change.',
  limits: [
    'It is what the founders wrote. No number follows from it.',
    'A ledger that was imported from a table has no genesis event, unless its keeper made one.',
  ],
  followsFrom: ['genesis'],
  schema: z.strictObject({
    timestamp: z.nullable(
      dateTime(
        'Time of the genesis event, which states the charter; null if the ledger does not begin with one',
      ),
    ),
    charter: z.nullable(
      text(
        'The rules that the ledger was founded on, as its genesis event states them; null if it states none',
      ),
    ),
  }),
  value({ state }) {
    const { charter, since, events_by_type } = state;
    return { timestamp: events_by_type.genesis ? since : null, charter };
  },
});
