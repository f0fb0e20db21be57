import * as z from 'zod/mini';
import { DIRECTIONS, DRIFT_STATUSES, drift } from '../../model/queries/drift.ts';
import { activeAlerts } from '../../model/queries/health.ts';
import { described, listOf } from '../../words/described.ts';
import { asOf, share } from '../fields.ts';
import { AlertMember } from '../government/sentinel-status.ts';
import { jsonDocument } from '../json-document.ts';
import { VIRTUE_EVENTS } from './virtues.ts';

const metricValue = (description: string) =>
  z.nullable(described(z.number().check(z.gte(0)), description, { unit: 'share', range: '≥ 0' }));

export const driftAnalysis = jsonDocument({
  path: 'philosophy/drift-analysis.json',
  title: 'Drift analysis',
  description:
    'How far the system’s metrics have moved between the first and the last thirty days of the ledger.',
  limits: [
    'It compares two windows. What moved in between and came back is not seen.',
    'The baseline is the ledger’s first thirty days, whether or not they were typical.',
  ],
  followsFrom: [...VIRTUE_EVENTS, 'attestation', 'compliance_audited', 'alert_raised', 'alert_cleared'],
  schema: z.strictObject({
    timestamp: asOf,
    drift_score: z.nullable(
      described(
        z.number().check(z.gte(0)),
        'How far the metrics have moved since the ledger’s first 30 days; null until those are over',
        { unit: 'share', range: '≥ 0', formula: 'mean of |drift| over the trends that have one' },
      ),
    ),
    status: described(
      z.enum(DRIFT_STATUSES),
      'stable below 0.05, watch below 0.1, drifting from there; not_measured without a score',
    ),
    analysis: z.strictObject({
      virtue_alignment: z.nullable(
        share(
          'How close the virtues are to their baselines; null if none has a drift',
          '1 − mean of |drift| over the virtues that have one',
        ),
      ),
      principle_adherence: z.nullable(
        share(
          'Share of the decisions of the last 30 days that name a framework and a sentinel; null without a decision, and until the ledger has named both',
          'principled decisions ÷ decisions, last 30 days',
        ),
      ),
      charter_compliance: z.nullable(
        share(
          'Share of the audited regimes in good standing: compliant, compatible, utility_token or high_risk_compliant; null before the first audit',
          'regimes in good standing ÷ audited regimes',
        ),
      ),
    }),
    trends: listOf('By metric', {
      metric: described(
        z.string(),
        'One of the five virtues, mean_gi_score and mean_coordination (s ÷ 100) over attestations, consensus_rate; whole hours that begin in the window count',
      ),
      baseline: metricValue(
        'Over the first 30 days of the ledger, measured at their end; null until then, and if there was nothing to measure',
      ),
      current: metricValue('Over the last 30 days; null if there was nothing to measure'),
      drift: z.nullable(
        described(z.number(), 'Change; null if either value is null', {
          unit: 'share',
          formula: 'current − baseline',
        }),
      ),
      direction: described(
        z.enum(DIRECTIONS),
        'stable if the change is smaller than 0.01; not_measured without a change; higher is better for every metric',
      ),
    }),
    alerts: described(z.array(AlertMember), 'Alerts of scope drift, raised and not cleared, newest first'),
  }),
  tables: [
    {
      name: 'drift_trends',
      from: 'trends[]',
      title: 'Drift by metric',
      key: ['metric'],
    },
  ],
  value({ state }) {
    const alerts = activeAlerts(state).filter(({ scope }) => scope === 'drift');
    return { timestamp: state.asOf, ...drift(state), alerts };
  },
});
