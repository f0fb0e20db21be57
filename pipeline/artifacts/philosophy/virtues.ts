import * as z from 'zod/mini';
import { VIRTUES, type Virtue } from '../../ledger/events/vocabulary.ts';
import { meanOf } from '../../model/formulas.ts';
import { VIRTUE_MEASURES, VIRTUE_STATUSES, virtueScores, virtueStatus } from '../../model/queries/virtues.ts';
import { described } from '../../words/described.ts';
import { asOf, share, text } from '../fields.ts';
import { jsonDocument } from '../json-document.ts';

const virtue = (name: Virtue) =>
  z.strictObject({
    score: z.nullable(
      share(
        `Score; null if there was nothing to measure${name === 'justice' ? ', and with fewer than two active sentinels' : ''}`,
        VIRTUE_MEASURES[name].measure,
      ),
    ),
    measure: text('What the score measures'),
    status: described(
      z.enum(VIRTUE_STATUSES),
      'compliant from 0.8, at_risk from 0.6, breached below; not_measured without a score',
    ),
  });

/** The types of events that virtues are measured by. */
export const VIRTUE_EVENTS = [
  'sentinel_registered',
  'sentinel_retired',
  'mic_mint',
  'mii_reading',
  'deliberation_opened',
  'position_taken',
  'deliberation_closed',
  'decision_recorded',
  'policy_projected',
] as const;

export const virtues = jsonDocument({
  path: 'philosophy/virtues.json',
  title: 'Virtue metrics',
  description: 'Five virtues, each measured by a formula over the last thirty days of the ledger.',
  limits: [
    'A virtue is a proxy: its score is what its measure says, no judgement of conduct.',
    'Scores cover the last thirty days, so they react slowly and an event leaves them after thirty days.',
  ],
  followsFrom: VIRTUE_EVENTS,
  refresh: 'real-time',
  schema: z.strictObject({
    timestamp: asOf,
    virtues: z.strictObject({
      integrity: virtue('integrity'),
      temperance: virtue('temperance'),
      justice: virtue('justice'),
      prudence: virtue('prudence'),
      courage: virtue('courage'),
    }),
    overall_compliance: z.nullable(
      share('Mean of the measured scores; null if there are none', 'Σ score ÷ number of scores'),
    ),
  }),
  tables: [
    {
      name: 'virtues',
      from: 'virtues.<name>',
      named: 'virtue',
      key: ['virtue'],
    },
  ],
  value({ state }) {
    const scores = virtueScores(state);
    const members = VIRTUES.map((name) => {
      const score = scores[name];
      return [name, { score, measure: VIRTUE_MEASURES[name].measure, status: virtueStatus(score) }];
    });
    const overall_compliance = meanOf(VIRTUES.map((name) => scores[name]));
    return { timestamp: state.asOf, virtues: Object.fromEntries(members), overall_compliance };
  },
});
