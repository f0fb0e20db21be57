import { z } from 'zod';
import { VIRTUES, type Virtue } from '../../ledger/event.ts';
import { VIRTUE_MEASURES, virtueScores, virtueStatus } from '../../model/queries/virtues.ts';
import type { DocumentArtifact } from '../artifact.ts';
import { asOf, share, text } from '../fields.ts';
import { formatJson } from '../format/json.ts';

const path = 'philosophy/virtues.json';

const virtue = (name: Virtue) =>
  z.strictObject({
    score: share('Score; 1 where there was nothing to measure', VIRTUE_MEASURES[name].measure),
    measure: text('What the score measures'),
    status: z
      .enum(['compliant', 'at_risk', 'breached'])
      .meta({ description: 'compliant from 0.8, at_risk from 0.6, breached below' }),
  });

const schema = z.strictObject({
  timestamp: asOf,
  virtues: z.strictObject({
    integrity: virtue('integrity'),
    temperance: virtue('temperance'),
    justice: virtue('justice'),
    prudence: virtue('prudence'),
    courage: virtue('courage'),
  }),
  overall_compliance: share('Mean of the five scores', 'Σ score ÷ 5'),
});

export const virtues = {
  kind: 'document',
  path,
  area: 'philosophy',
  title: 'Virtue metrics',
  description: 'Five virtues, each measured by a formula over the last thirty days of the ledger.',
  mediaType: 'application/json',
  restricted: false,
  refresh: 'real-time',
  schema,
  render({ state }) {
    const scores = virtueScores(state);
    const members = VIRTUES.map((name) => {
      const score = scores[name];
      return [name, { score, measure: VIRTUE_MEASURES[name].measure, status: virtueStatus(score) }];
    });
    const overall_compliance = VIRTUES.reduce((sum, name) => sum + scores[name], 0) / VIRTUES.length;
    return formatJson(
      schema,
      { timestamp: state.asOf, virtues: Object.fromEntries(members), overall_compliance },
      path,
    );
  },
} satisfies DocumentArtifact;
