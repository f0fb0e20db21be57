import * as z from 'zod/mini';
import { minting } from '../../model/queries/supply.ts';
import { asOf, cycle, mintingActive, share } from '../fields.ts';
import { jsonDocument } from '../json-document.ts';

export const mii = jsonDocument({
  path: 'economy/mii',
  title: 'Integrity index',
  description: 'The Integrity Index (MII), its threshold, and whether minting is active.',
  limits: [
    'The index is a reading that the ledger records; how it was measured is not in the ledger.',
    'It holds the latest reading. For a series, use mii-by-day.csv.',
  ],
  followsFrom: ['genesis', 'mic_mint', 'mii_reading'],
  schema: z.strictObject({
    timestamp: asOf,
    mii: z.nullable(share('Integrity index, the latest reading in the ledger; null before the first')),
    threshold: z.nullable(
      share(
        'Index below which minting pauses, as a share; null while the supply is 0',
        'threshold = (95 − 2·log10(total_supply ÷ 1e6)) ÷ 100, clamped to [0, 1]',
      ),
    ),
    minting_active: mintingActive,
    cycle,
  }),
  tables: [{ name: 'mii', key: [] }],
  value: ({ state }) => ({ timestamp: state.asOf, ...minting(state), cycle: state.cycle }),
});
