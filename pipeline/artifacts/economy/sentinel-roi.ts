import * as z from 'zod/mini';
import { multiplierOf, roi as roiOf } from '../../model/queries/roi.ts';
import { allSentinels } from '../../model/sentinel-status.ts';
import { listOf } from '../../words/described.ts';
import { asOf, cathedral, coordination, mic, multiplier, roi, sentinelId } from '../fields.ts';
import { jsonDocument } from '../json-document.ts';

export const sentinelRoi = jsonDocument({
  path: 'economy/sentinel-roi.json',
  title: 'ROI by sentinel',
  description:
    'What each sentinel has earned, with its score, its cathedral’s current multiplier and its return.',
  limits: [
    'roi is a mean per mint, not per day: a sentinel with few mints may have a high one by chance.',
    'The multiplier is the current one, while rewards were earned under the multipliers of their time.',
  ],
  followsFrom: ['genesis', 'sentinel_registered', 'attestation', 'mic_mint', 'multiplier_set'],
  schema: z.strictObject({
    timestamp: asOf,
    sentinels: listOf('Every sentinel ever registered, in the order of registration', {
      id: sentinelId,
      cathedral,
      total_rewards: mic('All MIC minted for the sentinel', 'Σ mints'),
      coordination_score: z.nullable(coordination),
      multiplier,
      roi,
    }),
  }),
  tables: [
    {
      name: 'sentinel_roi',
      from: 'sentinels[]',
      key: ['id'],
      references: { id: 'sentinel_status' },
    },
  ],
  value({ state }) {
    const sentinels = allSentinels(state).map((sentinel) => ({
      id: sentinel.id,
      cathedral: sentinel.cathedral,
      total_rewards: sentinel.minted,
      coordination_score: sentinel.score,
      multiplier: multiplierOf(state, sentinel.cathedral),
      roi: roiOf(sentinel),
    }));
    return { timestamp: state.asOf, sentinels };
  },
});
