import { z } from 'zod';
import { formatAmount } from '../../model/amount.ts';
import { roiByCathedral } from '../../model/queries/roi.ts';
import { asOf, count, mic, multiplier } from '../fields.ts';
import { decimal } from '../format/json.ts';
import { jsonDocument } from '../json-document.ts';

export const roi = jsonDocument({
  path: 'economy/roi',
  title: 'Sentinel ROI by cathedral',
  description: 'What the sentinels of each cathedral have earned, and what a mint returned on average.',
  limits: [
    'The multiplier is the current one, while rewards were earned under the multipliers of their time.',
    'average_roi gives each sentinel the same weight, however often it minted.',
  ],
  followsFrom: ['genesis', 'sentinel_registered', 'sentinel_retired', 'mic_mint', 'multiplier_set'],
  schema: z.strictObject({
    timestamp: asOf,
    by_cathedral: z
      .record(
        z.string(),
        z.strictObject({
          multiplier,
          total_rewards: mic('All MIC minted for sentinels while they belonged to the cathedral', 'Σ mints'),
          sentinel_count: count('Sentinels registered and not retired'),
          average_roi: z
            .number()
            .min(0)
            .meta({
              description: 'Mean roi of the cathedral’s sentinels that have minted; null if none has',
              unit: 'ratio',
              range: '0–2',
              formula: 'Σ roi ÷ n',
            })
            .nullable(),
        }),
      )
      .meta({ description: 'By cathedral identifier' }),
  }),
  tables: [
    {
      name: 'roi',
      from: 'by_cathedral.<name>',
      named: 'cathedral',
      key: ['cathedral'],
    },
  ],
  value({ state }) {
    const by_cathedral = Object.entries(roiByCathedral(state)).map(([name, roi]) => [
      name,
      { ...roi, total_rewards: decimal(formatAmount(roi.total_rewards)) },
    ]);
    return { timestamp: state.asOf, by_cathedral: Object.fromEntries(by_cathedral) };
  },
});
