import * as z from 'zod/mini';
import { sentinelDays } from '../../model/queries/sentinel-days.ts';
import { NO_HEARTBEAT_YET, UP_STATUSES } from '../../model/sentinel-status.ts';
import { HOUR_MS } from '../../model/window.ts';
import { described } from '../../words/described.ts';
import { cathedral, coordination, count, day, giScore, sentinelId } from '../fields.ts';
import { INERT_TEXT } from '../format/csv.ts';
import { dayHistory } from '../histories.ts';

export const sentinelsByDay = dayHistory({
  path: 'academics/sentinels-by-day.csv',
  title: 'Sentinels by day',
  description:
    'A row for each sentinel and day, including the days of its registration and retirement: its status, its heartbeats, and the scores it last attested.',
  limits: [
    'status is the worst of the day: a silence over midnight may mark two days.',
    'The scores are those last attested, possibly on an earlier day. An empty cell means that the sentinel had not attested yet.',
  ],
  followsFrom: ['sentinel_registered', 'sentinel_retired', 'heartbeat', 'attestation'],
  tables: [
    {
      name: 'sentinels_by_day',
      key: ['date', 'sentinel'],
      references: { sentinel: 'sentinel_status' },
    },
  ],
  schema: z.strictObject({
    date: day,
    sentinel: sentinelId.check(z.regex(INERT_TEXT)),
    cathedral: cathedral.check(z.regex(INERT_TEXT)),
    status: described(
      z.enum([...UP_STATUSES, NO_HEARTBEAT_YET]),
      'The worst status of the day: operational if no silence was longer than 12 h, degraded up to 24 h, else offline; no_heartbeat_yet before the sentinel’s first heartbeat',
    ),
    heartbeats: count('Heartbeats on the day'),
    longest_silence: z.nullable(
      described(
        z.number().check(z.gte(0)),
        'Longest time without a heartbeat that ended on the day, or lasted until the end of the day or until retirement; it may have begun days earlier; empty before the first heartbeat',
        { unit: 'hours, to 2 decimal places', range: '≥ 0' },
      ),
    ),
    coordination_score: z.nullable(coordination),
    gi_score: z.nullable(giScore),
  }),
  rows: (state) =>
    sentinelDays(state).map(({ id, cathedral, status, heartbeats, silence, score, gi_score }) => ({
      date: state.day.date,
      sentinel: id,
      cathedral,
      status,
      heartbeats,
      longest_silence: silence === null ? null : Math.round((silence / HOUR_MS) * 100) / 100,
      coordination_score: score,
      gi_score,
    })),
});
