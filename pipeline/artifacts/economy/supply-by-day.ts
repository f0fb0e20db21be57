import * as z from 'zod/mini';
import { supply } from '../../model/queries/supply.ts';
import { day, mic } from '../fields.ts';
import { dayHistory } from '../histories.ts';

export const supplyByDay = dayHistory({
  path: 'economy/supply-by-day.csv',
  title: 'MIC supply by day',
  description: 'How many MIC existed, circulated, were locked and had been burned at the end of each day.',
  limits: [
    'The amounts are those at the end of the day, so two rows differ by all that happened between them, even on days without a row.',
  ],
  followsFrom: ['genesis', 'mic_mint', 'mic_burn', 'mic_lock', 'mic_unlock'],
  tables: [{ name: 'supply_by_day', key: ['date'] }],
  schema: z.strictObject({
    date: day,
    total_supply: mic('All MIC minted up to the end of the day, the genesis allocation included', 'Σ mints'),
    circulating: mic('MIC that could be spent', 'total_supply − locked − burned'),
    locked: mic('MIC locked in contracts', 'Σ locks − Σ unlocks'),
    burned: mic('MIC burned up to the end of the day', 'Σ burns'),
  }),
  rows(state) {
    const { total: total_supply, ...parts } = supply(state);
    return [{ date: state.day.date, total_supply, ...parts }];
  },
});
