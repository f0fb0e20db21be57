import * as z from 'zod/mini';
import { described } from '../../words/described.ts';
import { cathedral, count, day, mic } from '../fields.ts';
import { INERT_TEXT } from '../format/csv.ts';
import { dayHistory } from '../histories.ts';

export const mintingByDay = dayHistory({
  path: 'economy/minting-by-day.csv',
  title: 'MIC minting by day and cathedral',
  description: 'The MIC minted for the sentinels of each cathedral on each day, and the number of mints.',
  limits: ['A cathedral without a mint on a day has no row: count it as 0 in means.'],
  followsFrom: ['mic_mint'],
  tables: [{ name: 'minting_by_day', key: ['date', 'cathedral'] }],
  schema: z.strictObject({
    date: day,
    cathedral: described(
      cathedral.check(z.regex(INERT_TEXT)),
      'Cathedral that the mints name; a cathedral without a mint on the day has no row',
    ),
    mints: count('Mints on the day'),
    minted: mic('MIC minted on the day', 'Σ mints'),
  }),
  rows: ({ day: { date, minted } }) =>
    Object.keys(minted)
      .sort()
      .map((cathedral) => ({ date, cathedral, ...minted[cathedral]! })),
});
