import * as z from 'zod/mini';
import { supply as supplyOf } from '../../model/queries/supply.ts';
import { asOf, mic } from '../fields.ts';
import { jsonDocument } from '../json-document.ts';

export const supply = jsonDocument({
  path: 'economy/supply',
  title: 'MIC supply',
  description: 'How many MIC exist, circulate, are locked and have been burned. The four amounts are exact.',
  limits: [
    'It holds one moment. For a series, use supply-by-day.csv.',
    'The genesis allocation is part of the supply but not a mint, so the mints of mic-history.csv add up to less.',
  ],
  followsFrom: ['genesis', 'mic_mint', 'mic_burn', 'mic_lock', 'mic_unlock'],
  refresh: 'real-time',
  schema: z.strictObject({
    timestamp: asOf,
    total_supply: mic('All MIC ever minted, the genesis allocation included', 'Σ mints'),
    circulating: mic('MIC that can be spent', 'total_supply − locked − burned'),
    locked: mic('MIC locked in contracts', 'Σ locks − Σ unlocks'),
    burned: mic('MIC burned by deflationary sinks', 'Σ burns'),
  }),
  tables: [{ name: 'supply', key: [] }],
  value({ state }) {
    const { total: total_supply, ...parts } = supplyOf(state);
    return { timestamp: state.asOf, total_supply, ...parts };
  },
});
