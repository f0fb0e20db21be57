import { z } from 'zod';
import { VIRTUES, type Virtue } from '../../ledger/events/vocabulary.ts';
import { meanOf } from '../../model/formulas.ts';
import { VIRTUE_MEASURES, VIRTUE_STATUSES, virtueScores, virtueStatus } from '../../model/queries/virtues.ts';
import type { DocumentArtifact } from '../artifact.ts';
import { asOf, share, text } from '../fields.ts';
import { formatJson } from '../format/json.ts';

const path = 'philosophy/virtues.json';

const virtue = (name: Virtue) =>
  z.strictObject({
    score: share(
      `Score; null if there was nothing to measure${name === 'justice' ? ', and with fewer than two active sentinels' : ''}`,
      VIRTUE_MEASURES[name].measure,
    ).nullable(),
    measure: text('What the score measures'),
    status: z.enum(VIRTUE_STATUSES).meta({
      description: 'compliant from 0.8, at_risk from 0.6, breached below; not_measured without a score',
    }),
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
  overall_compliance: share(
    'Mean of the measured scores; null if there are none',
    'Σ score ÷ number of scores',
  ).nullable(),
});

export const virtues = {
  kind: 'document',
  path,
  area: 'philosophy',
  title: 'Virtue metrics',
  description: 'Five virtues, each measured by a formula over the last thirty days of the ledger.',
  limits: [
    'A virtue is a proxy: its score is what its measure says, no judgement of conduct.',
    'Scores cover the last thirty days, so they react slowly and an event leaves them after thirty days.',
  ],
  mediaType: 'application/json',
  restricted: false,
  refresh: 'real-time',
  schema,
  tables: [
    {
      name: 'virtues',
      from: 'virtues.<name>',
      named: 'virtue',
      key: ['virtue'],
    },
  ],
  schemaHistory: [
    { version: '1.0.0', date: '2026-11-22', digest: 'f3d4aed9ebca8096', change: 'First published.' },
  ],
  render({ state }) {
    const scores = virtueScores(state);
    const members = VIRTUES.map((name) => {
      const score = scores[name];
      return [name, { score, measure: VIRTUE_MEASURES[name].measure, status: virtueStatus(score) }];
    });
    const overall_compliance = meanOf(VIRTUES.map((name) => scores[name]));
    return formatJson(
      schema,
      { timestamp: state.asOf, virtues: Object.fromEntries(members), overall_compliance },
      path,
    );
  },
} satisfies DocumentArtifact;
