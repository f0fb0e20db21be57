import { z } from 'zod';
import { drift } from '../../model/queries/drift.ts';
import { activeAlerts } from '../../model/queries/health.ts';
import type { DocumentArtifact } from '../artifact.ts';
import { asOf, share } from '../fields.ts';
import { formatJson } from '../format/json.ts';
import { AlertMember } from '../government/sentinel-status.ts';

const path = 'philosophy/drift-analysis.json';

const metricValue = (description: string) =>
  z.number().min(0).meta({ description, unit: 'share', range: '≥ 0' });

const schema = z.strictObject({
  timestamp: asOf,
  drift_score: z.number().min(0).meta({
    description: 'How far the metrics have moved since the ledger began',
    unit: 'share',
    range: '≥ 0',
    formula: 'mean of |drift| over the trends',
  }),
  status: z
    .enum(['stable', 'watch', 'drifting'])
    .meta({ description: 'stable below 0.05, watch below 0.1, drifting from there' }),
  analysis: z.strictObject({
    virtue_alignment: share(
      'How close the virtues are to where they began',
      '1 − mean of |drift| over the five virtues',
    ),
    principle_adherence: share(
      'Share of the decisions of the last 30 days that name a framework and a sentinel; 1 without a decision',
      'principled decisions ÷ decisions, last 30 days',
    ),
    charter_compliance: share(
      'Share of the audited regimes in good standing: compliant, compatible, utility_token or high_risk_compliant',
      'regimes in good standing ÷ audited regimes',
    ),
  }),
  trends: z
    .array(
      z.strictObject({
        metric: z.string().meta({
          description:
            'One of the five virtues, mean_gi_score and mean_coordination (s ÷ 100) over attestations, consensus_rate; whole hours that begin in the window count',
        }),
        baseline: metricValue('Over the first 30 days of the ledger, measured at their end'),
        current: metricValue('Over the last 30 days'),
        drift: z.number().meta({ description: 'Change', unit: 'share', formula: 'current − baseline' }),
        direction: z.enum(['improving', 'worsening', 'stable']).meta({
          description: 'stable where the change is smaller than 0.01; each metric is better when higher',
        }),
      }),
    )
    .meta({ description: 'By metric' }),
  alerts: z
    .array(AlertMember)
    .meta({ description: 'Alerts of scope drift, raised and not cleared, newest first' }),
});

export const driftAnalysis = {
  kind: 'document',
  path,
  area: 'philosophy',
  title: 'Drift analysis',
  description:
    'How far the system’s measures have moved between the first thirty days of the ledger and the last.',
  mediaType: 'application/json',
  restricted: false,
  refresh: 'release',
  schema,
  render({ state }) {
    const alerts = activeAlerts(state).filter(({ scope }) => scope === 'drift');
    return formatJson(schema, { timestamp: state.asOf, ...drift(state), alerts }, path);
  },
} satisfies DocumentArtifact;
