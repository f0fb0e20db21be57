import { z } from 'zod';
import { consensusRate } from '../../model/queries/consensus-rate.ts';
import { averageCoordination as averageOf, scoredSentinels } from '../../model/queries/coordination.ts';
import type { DocumentArtifact } from '../artifact.ts';
import {
  asOf,
  averageCoordination,
  cathedral,
  coordination,
  sentinelId,
  share,
  uptimeDays,
} from '../fields.ts';
import { formatJson } from '../format/json.ts';

const path = 'academics/sentinel-coordination.json';

const schema = z.strictObject({
  timestamp: asOf,
  sentinels: z
    .array(
      z.strictObject({
        id: sentinelId,
        coordination_score: coordination,
        uptime_days: uptimeDays,
        cathedral,
      }),
    )
    .meta({ description: 'Active sentinels that have attested, in the order of registration' }),
  average_coordination: averageCoordination,
  consensus_rate: share(
    'Share of the deliberations closed in the last 30 days that reached consensus; null if none was closed',
    'closed with consensus ÷ closed, last 30 days',
  ).nullable(),
});

export const sentinelCoordination = {
  kind: 'document',
  path,
  area: 'academics',
  title: 'Sentinel coordination data',
  description:
    'Coordination score and uptime of each sentinel, their mean score, and how often they reach consensus.',
  limits: [
    'Sentinels that are retired, or have never attested, are left out of the list and the mean.',
    'consensus_rate moves in large steps where few deliberations were closed in the last thirty days.',
  ],
  mediaType: 'application/json',
  restricted: false,
  refresh: 'release',
  schema,
  tables: [
    {
      name: 'sentinel_coordination',
      from: 'sentinels[]',
      key: ['id'],
      references: { id: 'sentinel_status' },
    },
  ],
  schemaHistory: [
    { version: '1.0.0', date: '2026-11-22', digest: 'f1682c7c7c7ddc5d', change: 'First published.' },
  ],
  render({ state }) {
    const sentinels = scoredSentinels(state).map(({ id, score, uptime_days, cathedral }) => {
      return { id, coordination_score: score, uptime_days, cathedral };
    });
    const value = {
      timestamp: state.asOf,
      sentinels,
      average_coordination: averageOf(state),
      consensus_rate: consensusRate(state),
    };
    return formatJson(schema, value, path);
  },
} satisfies DocumentArtifact;
