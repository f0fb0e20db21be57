import * as z from 'zod/mini';
import { recentlyClosed } from '../../model/queries/consensus-rate.ts';
import { drift } from '../../model/queries/drift.ts';
import { metrics } from '../../model/queries/metrics.ts';
import { VIRTUE_MEASURES } from '../../model/queries/virtues.ts';
import { described } from '../../words/described.ts';
import { count, day, share } from '../fields.ts';
import { dayHistory } from '../histories.ts';
import { VIRTUE_EVENTS } from './virtues.ts';

const mean = (description: string) =>
  z.nullable(
    described(z.number().check(z.gte(0)), description, {
      unit: 'share',
      range: '≥ 0',
      formula: 'Σ ÷ n, last 30 days',
    }),
  );
const virtue = (description: string, { measure }: { measure: string }) =>
  z.nullable(share(`${description}; empty if there was nothing to measure`, measure));

export const metricsByDay = dayHistory({
  path: 'philosophy/metrics-by-day.csv',
  title: 'Virtues and drift metrics by day',
  description:
    'The five virtues and the other metrics behind the drift score, each over the thirty days before the day’s last event.',
  limits: ['The windows of neighbouring rows share 29 of 30 days, so rows are not independent observations.'],
  followsFrom: [...VIRTUE_EVENTS, 'attestation'],
  tables: [{ name: 'metrics_by_day', key: ['date'] }],
  schema: z.strictObject({
    date: day,
    integrity: virtue('Integrity', VIRTUE_MEASURES.integrity),
    temperance: virtue('Temperance', VIRTUE_MEASURES.temperance),
    justice: virtue('Justice among two or more active sentinels', VIRTUE_MEASURES.justice),
    prudence: virtue('Prudence', VIRTUE_MEASURES.prudence),
    courage: virtue('Courage', VIRTUE_MEASURES.courage),
    mean_gi_score: mean('Mean gi_score of the attestations; empty without one'),
    mean_coordination: mean('Mean coordination score of the attestations ÷ 100; empty without one'),
    consensus_rate: z.nullable(
      share(
        'Share of the closed deliberations that reached consensus; empty if none was closed',
        'consensus_reached ÷ deliberations_closed',
      ),
    ),
    deliberations_closed: count('Deliberations closed in the thirty days'),
    consensus_reached: count('Of those, the ones that reached consensus'),
    drift_score: z.nullable(
      described(
        z.number().check(z.gte(0)),
        'How far the metrics had moved since the ledger’s first thirty days; empty until those were over',
        {
          unit: 'share',
          range: '≥ 0',
          formula: 'mean of |metric − baseline| over the metrics that have both',
        },
      ),
    ),
  }),
  rows(state) {
    const closed = recentlyClosed(state);
    return [
      {
        date: state.day.date,
        ...metrics(state),
        deliberations_closed: closed.length,
        consensus_reached: closed.filter(({ consensus }) => consensus === 'reached').length,
        drift_score: drift(state).drift_score,
      },
    ];
  },
});
