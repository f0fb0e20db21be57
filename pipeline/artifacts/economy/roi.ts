import { z } from 'zod';
import { formatAmount } from '../../model/amount.ts';
import { roiByCathedral } from '../../model/queries/roi.ts';
import type { DocumentArtifact } from '../artifact.ts';
import { asOf, count, mic, multiplier } from '../fields.ts';
import { decimal, formatJson } from '../format/json.ts';

const path = 'economy/roi';

const schema = z.strictObject({
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
});

export const roi = {
  kind: 'document',
  path,
  area: 'economy',
  title: 'Sentinel ROI by cathedral',
  description: 'What the sentinels of each cathedral have earned, and what a mint returned on average.',
  limits: [
    'The multiplier is the current one, while rewards were earned under the multipliers of their time.',
    'average_roi gives each sentinel the same weight, however often it minted.',
  ],
  mediaType: 'application/json',
  restricted: false,
  refresh: 'release',
  schema,
  tables: [
    {
      name: 'roi',
      from: 'by_cathedral.<name>',
      named: 'cathedral',
      key: ['cathedral'],
    },
  ],
  schemaHistory: [
    { version: '1.0.0', date: '2026-11-22', digest: 'ddea192ba292069a', change: 'First published.' },
  ],
  render({ state }) {
    const by_cathedral = Object.entries(roiByCathedral(state)).map(([name, roi]) => [
      name,
      { ...roi, total_rewards: decimal(formatAmount(roi.total_rewards)) },
    ]);
    return formatJson(
      schema,
      { timestamp: state.asOf, by_cathedral: Object.fromEntries(by_cathedral) },
      path,
    );
  },
} satisfies DocumentArtifact;
