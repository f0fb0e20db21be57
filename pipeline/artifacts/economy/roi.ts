import * as z from 'zod/mini';
import { roiByCathedral } from '../../model/queries/roi.ts';
import { described } from '../../words/described.ts';
import { asOf, count, mic, multiplier } from '../fields.ts';
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
    by_cathedral: described(
      z.record(
        z.string(),
        z.strictObject({
          multiplier,
          total_rewards: mic('All MIC minted for sentinels while they belonged to the cathedral', 'Σ mints'),
          sentinel_count: count('Sentinels registered and not retired'),
          average_roi: z.nullable(
            described(
              z.number().check(z.gte(0)),
              'Mean roi of the cathedral’s sentinels that have minted; null if none has',
              { unit: 'ratio', range: '0–2', formula: 'Σ roi ÷ n' },
            ),
          ),
        }),
      ),
      'By cathedral identifier',
    ),
  }),
  tables: [
    {
      name: 'roi',
      from: 'by_cathedral.<name>',
      named: 'cathedral',
      key: ['cathedral'],
    },
  ],
  value: ({ state }) => ({ timestamp: state.asOf, by_cathedral: roiByCathedral(state) }),
});
