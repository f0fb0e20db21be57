import { z } from 'zod';
import { dayHistory } from '../day-history.ts';
import { cathedral, count, day, mic } from '../fields.ts';
import { INERT_TEXT } from '../format/csv.ts';

export const mintingByDay = dayHistory({
  path: 'economy/minting-by-day.csv',
  area: 'economy',
  title: 'MIC minting by day and cathedral',
  description: 'The MIC minted for the sentinels of each cathedral on each day, and the number of mints.',
  limits: ['A cathedral without a mint on a day has no row: count it as 0 in means.'],
  tables: [{ name: 'minting_by_day', key: ['date', 'cathedral'] }],
  schemaHistory: [
    { version: '1.0.0', date: '2026-11-22', digest: '997cd138d29c1778', change: 'First published.' },
  ],
  schema: z.strictObject({
    date: day,
    cathedral: cathedral.regex(INERT_TEXT).meta({
      description: 'Cathedral that the mints name; a cathedral without a mint on the day has no row',
    }),
    mints: count('Mints on the day'),
    minted: mic('MIC minted on the day', 'Σ mints'),
  }),
  rows: ({ day: { date, minted } }) =>
    Object.keys(minted)
      .sort()
      .map((cathedral) => ({ date, cathedral, ...minted[cathedral]! })),
});
