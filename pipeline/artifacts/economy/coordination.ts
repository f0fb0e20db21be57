import * as z from 'zod/mini';
import { SCORE_FORMULA } from '../../model/formulas.ts';
import { averageCoordination as averageOf, scoredSentinels } from '../../model/queries/coordination.ts';
import { described, listOf } from '../../words/described.ts';
import { asOf, averageCoordination, cathedral, coordination as score, sentinelId } from '../fields.ts';
import { jsonDocument } from '../json-document.ts';

export const coordination = jsonDocument({
  path: 'economy/coordination',
  title: 'Coordination scores',
  description:
    'The coordination score of each sentinel, which determines its reward, and the mean of all scores.',
  limits: [
    'A score is that of the last attestation, which may be days old. Sentinels that are retired, or have never attested, are left out of the list and the mean.',
    'Sentinels attest their own work: the service checks the formula, not the apps, packages and workflows that were counted.',
  ],
  followsFrom: ['sentinel_registered', 'sentinel_retired', 'attestation'],
  schema: z.strictObject({
    timestamp: asOf,
    average_coordination: averageCoordination,
    sentinels: listOf('Active sentinels that have attested, in the order of registration', {
      id: sentinelId,
      score,
      cathedral,
    }),
    formula: described(z.string(), 'The score formula; log is the natural logarithm'),
  }),
  tables: [
    {
      name: 'coordination',
      from: 'sentinels[]',
      key: ['id'],
      references: { id: 'sentinel_status' },
    },
  ],
  value({ state }) {
    const sentinels = scoredSentinels(state).map(({ id, score, cathedral }) => ({ id, score, cathedral }));
    const average_coordination = averageOf(state);
    return { timestamp: state.asOf, average_coordination, sentinels, formula: `score = ${SCORE_FORMULA}` };
  },
});
