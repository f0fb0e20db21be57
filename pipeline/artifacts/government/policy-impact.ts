import * as z from 'zod/mini';
import { listOf } from '../../words/described.ts';
import { asOf, text } from '../fields.ts';
import { jsonDocument } from '../json-document.ts';

export const policyImpact = jsonDocument({
  path: 'government/policy-impact.json',
  title: 'Policy impact projections',
  description:
    'The projected effects of each policy, its risks and their mitigation, as stated by the authors of the events.',
  limits: [
    'The projections are what the authors of the events stated. The service computes and checks none of them.',
    'Only the last projection of each policy is in the file; earlier ones are in the audit trail.',
  ],
  followsFrom: ['policy_projected'],
  restricted: true,
  example: {
    timestamp: '2025-12-01T05:58:12Z',
    projections: [
      {
        policy: 'An invented policy',
        economic_impact: {
          debt_reduction_annual: '0.2 % of the budget',
          gdp_impact: '+0.1 %',
          job_creation: '12,000 in three years',
        },
        social_impact: {
          access_improvement: 'Two more offices in each region',
          equity_impact: 'Spread evenly over the regions',
          transparency: 'Quarterly figures are published',
        },
        risks: [{ risk: 'Uneven uptake', severity: 'medium', mitigation: 'A staged start' }],
        timeline: 'Three years',
      },
    ],
  },
  schema: z.strictObject({
    timestamp: asOf,
    projections: listOf(
      'The last projection of each policy, in the order in which the policies first appeared',
      {
        policy: text('Policy that is projected'),
        economic_impact: z.strictObject({
          debt_reduction_annual: text('Projected reduction of public debt a year'),
          gdp_impact: text('Projected change of the gross domestic product'),
          job_creation: text('Projected jobs'),
        }),
        social_impact: z.strictObject({
          access_improvement: text('Projected change of access to services'),
          equity_impact: text('Projected change in how benefits are spread'),
          transparency: text('Projected change of what the public can see'),
        }),
        risks: z.array(
          z.strictObject({
            risk: text('What may go wrong'),
            severity: text('Severity if it happens'),
            mitigation: text('Measures against it; empty if there are none'),
          }),
        ),
        timeline: text('When effects are expected'),
      },
    ),
  }),
  value({ state }) {
    const projections = state.projections.map(({ projected_at: _, ...projection }) => projection);
    return { timestamp: state.asOf, projections };
  },
});
