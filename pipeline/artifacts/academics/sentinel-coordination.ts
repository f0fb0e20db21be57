import * as z from 'zod/mini';
import { consensusRate } from '../../model/queries/consensus-rate.ts';
import { averageCoordination as averageOf, scoredSentinels } from '../../model/queries/coordination.ts';
import { listOf } from '../../words/described.ts';
import {
  asOf,
  averageCoordination,
  cathedral,
  coordination,
  sentinelId,
  share,
  uptimeDays,
} from '../fields.ts';
import { jsonDocument } from '../json-document.ts';

export const sentinelCoordination = jsonDocument({
  path: 'academics/sentinel-coordination.json',
  title: 'Sentinel coordination data',
  description:
    'Coordination score and uptime of each sentinel, their mean score, and how often they reach consensus.',
  limits: [
    'Sentinels that are retired, or have never attested, are left out of the list and the mean.',
    'consensus_rate moves in large steps where few deliberations were closed in the last thirty days.',
  ],
  followsFrom: [
    'sentinel_registered',
    'sentinel_retired',
    'heartbeat',
    'attestation',
    'deliberation_opened',
    'deliberation_closed',
  ],
  schema: z.strictObject({
    timestamp: asOf,
    sentinels: listOf('Active sentinels that have attested, in the order of registration', {
      id: sentinelId,
      coordination_score: coordination,
      uptime_days: uptimeDays,
      cathedral,
    }),
    average_coordination: averageCoordination,
    consensus_rate: z.nullable(
      share(
        'Share of the deliberations closed in the last 30 days that reached consensus; null if none was closed',
        'closed with consensus ÷ closed, last 30 days',
      ),
    ),
  }),
  tables: [
    {
      name: 'sentinel_coordination',
      from: 'sentinels[]',
      key: ['id'],
      references: { id: 'sentinel_status' },
    },
  ],
  value({ state }) {
    const sentinels = scoredSentinels(state).map(({ id, score, uptime_days, cathedral }) => {
      return { id, coordination_score: score, uptime_days, cathedral };
    });
    const value = {
      timestamp: state.asOf,
      sentinels,
      average_coordination: averageOf(state),
      consensus_rate: consensusRate(state),
    };
    return value;
  },
});
