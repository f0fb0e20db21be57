import { z } from 'zod';
import { DURATION } from '../words/duration.ts';
import { RISK_LEVELS } from './document.ts';

export const STATUSES = ['active', 'expired', 'revoked', 'superseded'] as const;
export type Status = (typeof STATUSES)[number];

export const described = (
  description: string,
  more: { unit?: string; range?: string; formula?: string } = {},
) => ({
  description,
  ...more,
});
export const DATE_TIME = { unit: 'ISO 8601 date-time' };
const SHARE = { unit: 'share', range: '0–1' };
/** Time from an event, or from a document copied into one: UTC, a fraction allowed. */
export const EventTime = z.iso.datetime({ offset: false, local: false });
const eventTime = (description: string) => EventTime.meta(described(description, DATE_TIME));
export const text = (description: string) => z.string().meta(described(description));
const share = (description: string) => z.number().min(0).max(1).meta(described(description, SHARE));

/** One attestation, as it is published. */
export const PublishedAttestation = z.strictObject({
  id: text('SHA-256 of the signed bytes, 64 hex digits'),
  uuid: text('UUID by which metadata.previous_attestation of a renewal names it; derived from the id'),
  companion: text('The companion that signed it'),
  ledger_id: text('UUID of the entity that requested authority'),
  scope: z.array(z.string()).meta(described('The permissions')),
  risk_level: z.enum(RISK_LEVELS).meta(described('Risk level according to the companion')),
  attested_at: eventTime('When the ledger registered it'),
  expires_at: eventTime('When it expires'),
  drift_threshold: share(
    'Drift score at or above which it is revoked; null if drift is not monitored',
  ).nullable(),
  check_interval: z
    .string()
    .regex(DURATION)
    .meta(described('Interval of drift checks', { unit: 'ISO 8601 duration' })),
  drift: share('Latest drift score').nullable(),
  checked_at: eventTime('When that score was measured').nullable(),
  check_late: z.boolean().meta(
    described('Whether a drift check is overdue at timestamp', {
      formula: 'active, monitored, and timestamp − (checked_at or attested_at) > check_interval',
    }),
  ),
  late_checks: z
    .int()
    .min(0)
    .meta(
      described('Number of drift checks, and of those later than check_interval', {
        unit: 'count',
        range: '≥ 0',
      }),
    ),
  status: z.enum(STATUSES).meta(described('Status as of timestamp; revoked and superseded are final')),
  ended_at: eventTime('When it was revoked or superseded').nullable(),
  reason: text('Reason for that').nullable(),
  superseded_by: text('Id of the attestation that renewed it').nullable(),
  renews: text('Id of the attestation that it renewed').nullable(),
});

/** An id or UUID that was revoked or scored before its attestation arrived, or whose attestation was revoked and is no longer listed. */
export const PublishedUnattested = z.strictObject({
  attestation: text('Id or UUID in the ledger'),
  ended_at: eventTime('When it was first revoked; null if it was not').nullable(),
  reason: text(
    'Reason; also null if the revocation was more than 180 days ago, or if the attestation is no longer listed',
  ).nullable(),
  drift: share('Highest drift score').nullable(),
  checked_at: eventTime('When that score was measured').nullable(),
});

/** The ledger's record of an attestation: what is published of it, but for what follows from its id and the time. Times of events are in UTC. */
export const Registered = PublishedAttestation.omit({ id: true, uuid: true, check_late: true }).extend({
  status: z.enum(STATUSES).exclude(['expired']),
});

/** What the ledger recorded about an unregistered attestation: the first revocation and the highest drift score. */
export const Unattested = PublishedUnattested.omit({ attestation: true });

export type PublishedAttestation = z.output<typeof PublishedAttestation>;
export type Registered = z.output<typeof Registered>;
export type Unattested = z.output<typeof Unattested>;
