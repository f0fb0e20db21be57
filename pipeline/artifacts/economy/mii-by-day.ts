import * as z from 'zod/mini';
import { minting } from '../../model/queries/supply.ts';
import { described } from '../../words/described.ts';
import { day, share } from '../fields.ts';
import { dayHistory } from '../histories.ts';

export const miiByDay = dayHistory({
  path: 'economy/mii-by-day.csv',
  title: 'Integrity index by day',
  description:
    'The readings of the integrity index on each day, the threshold at its end, and whether minting was on then.',
  limits: [
    'The mean gives each reading the same weight, and readings need not be evenly spaced.',
    'minting_active is as of the end of the day: minting may have stopped and resumed during it.',
  ],
  followsFrom: ['genesis', 'mic_mint', 'mii_reading'],
  tables: [{ name: 'mii_by_day', key: ['date'] }],
  schema: z.strictObject({
    date: described(day, 'Day, UTC; only finished days with a reading', { unit: 'YYYY-MM-DD' }),
    readings: described(z.int().check(z.gte(1)), 'Readings on the day', { unit: 'count', range: '≥ 1' }),
    mii_mean: share('Mean of the day’s readings'),
    mii_min: share('Lowest reading of the day'),
    mii_max: share('Highest reading of the day'),
    mii: share('Last reading of the day'),
    threshold: z.nullable(
      share(
        'Index below which minting pauses, at the end of the day; empty while the supply is 0',
        'see /economy/mii',
      ),
    ),
    minting_active: z.nullable(
      described(z.boolean(), 'Whether MIC could be minted at the end of the day', {
        formula: 'mii ≥ threshold; empty without a threshold',
      }),
    ),
  }),
  rows(state) {
    const { date, readings, mii_sum, mii_min, mii_max } = state.day;
    if (readings === 0) return [];
    return [{ date, readings, mii_mean: mii_sum / readings, mii_min, mii_max, ...minting(state) }];
  },
});
