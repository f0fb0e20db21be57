import * as z from 'zod/mini';
import { ALERT_SCOPES, SEVERITIES } from '../../ledger/events/vocabulary.ts';
import { activeAlerts, HEALTHS, systemHealth } from '../../model/queries/health.ts';
import {
  allSentinels,
  NO_HEARTBEAT_YET,
  sentinelStatus as statusOf,
  UP_STATUSES,
  uptimeDays as uptimeOf,
} from '../../model/sentinel-status.ts';
import { described, listOf } from '../../words/described.ts';
import { asOf, cathedral, coordination, dateTime, giScore, sentinelId, text, uptimeDays } from '../fields.ts';
import { jsonDocument } from '../json-document.ts';

export const AlertMember = z.strictObject({
  id: text('Alert, by its id in the ledger; finding-<event> for a contradiction found in the ledger itself'),
  severity: described(z.enum(SEVERITIES), 'Severity of the alert'),
  scope: described(z.enum(ALERT_SCOPES), 'What it is about'),
  message: text('What happened'),
  raised_at: dateTime('Time of the event that raised it, UTC'),
  sentinel: z.optional(sentinelId),
});

export const sentinelStatus = jsonDocument({
  path: 'government/sentinel-status.json',
  title: 'Sentinel status',
  description:
    'The status, uptime and performance of each sentinel, the health of the system, and its alerts.',
  limits: [
    'A status is relative to timestamp. In an old copy, a sentinel that is operational may have gone silent since.',
    'uptime_days starts again after each outage, so it is not the age of a sentinel.',
    'Integrity and coordination are those of the last attestation, which may be days old.',
  ],
  followsFrom: [
    'genesis',
    'sentinel_registered',
    'sentinel_retired',
    'heartbeat',
    'attestation',
    'mic_mint',
    'mii_reading',
    'alert_raised',
    'alert_cleared',
  ],
  refresh: 'real-time',
  liveValues: {
    'sentinel-status': { list: 'sentinels', members: ['status'], format: 'word' },
    'sentinel-heartbeat': { list: 'sentinels', members: ['last_heartbeat'], format: 'time' },
    'sentinel-uptime': { list: 'sentinels', members: ['uptime_days'], format: 'integer' },
    'sentinel-integrity': { list: 'sentinels', members: ['performance', 'gi_score'], format: 'score' },
    'sentinel-coordination': {
      list: 'sentinels',
      members: ['performance', 'coordination'],
      format: 'points',
    },
  },
  schema: z.strictObject({
    timestamp: asOf,
    sentinels: listOf('Every sentinel ever registered, in the order of registration', {
      id: sentinelId,
      status: described(
        z.enum([...UP_STATUSES, NO_HEARTBEAT_YET, 'retired']),
        'operational: heartbeat at most 12 h old; degraded: at most 24 h; offline: older, relative to timestamp; no_heartbeat_yet: none since it was registered',
      ),
      uptime_days: uptimeDays,
      cathedral,
      last_heartbeat: z.nullable(dateTime('Last heartbeat, UTC; null before the first')),
      performance: z.strictObject({
        gi_score: z.nullable(giScore),
        coordination: z.nullable(coordination),
      }),
    }),
    system_health: described(
      z.enum(HEALTHS),
      'critical: a third of the active sentinels offline, mii below its threshold, or a critical alert; degraded: a sentinel not operational, or a warning; not_measured: no alert, no index with a threshold, and no heartbeat of an active sentinel; else healthy. A sentinel counts from its first heartbeat on',
    ),
    alerts: described(z.array(AlertMember), 'Raised and not cleared, newest first'),
  }),
  tables: [
    {
      name: 'sentinel_status',
      from: 'sentinels[]',
      key: ['id'],
    },
    {
      name: 'alerts',
      from: 'alerts[]',
      title: 'Alerts',
      key: ['id'],
      references: { sentinel: 'sentinel_status' },
    },
  ],
  value({ state }) {
    const sentinels = allSentinels(state).map((sentinel) => ({
      id: sentinel.id,
      status: statusOf(sentinel, state.asOf),
      uptime_days: uptimeOf(sentinel, state.asOf),
      cathedral: sentinel.cathedral,
      last_heartbeat: sentinel.last_heartbeat,
      performance: { gi_score: sentinel.gi_score, coordination: sentinel.score },
    }));
    const system_health = systemHealth(state);
    return { timestamp: state.asOf, sentinels, system_health, alerts: activeAlerts(state) };
  },
});
