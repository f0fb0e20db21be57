import * as z from 'zod/mini';
import { described } from '../words/described.ts';
import { DURATION } from '../words/duration.ts';
import { RISK_LEVELS } from './document.ts';

export const STATUSES = ['active', 'expired', 'revoked', 'superseded'] as const;
export type Status = (typeof STATUSES)[number];

export const DATE_TIME = { unit: 'ISO 8601 date-time' };
const SHARE = { unit: 'share', range: '0–1' };
/** Time from an event, or from a document copied into one: UTC, a fraction allowed. */
export const EventTime = z.iso.datetime({ offset: false, local: false });
const eventTime = (description: string) => described(EventTime, description, DATE_TIME);
export const text = (description: string) => described(z.string(), description);
const share = (description: string) => described(z.number().check(z.gte(0), z.lte(1)), description, SHARE);

/** One attestation, as it is published. */
export const PublishedAttestation = z.strictObject({
  id: text('SHA-256 of the signed bytes, 64 hex digits'),
  uuid: text('UUID by which metadata.previous_attestation of a renewal names it; derived from the id'),
  companion: text('The companion that signed it'),
  ledger_id: text('UUID of the entity that requested authority'),
  scope: described(z.array(z.string()), 'The permissions'),
  risk_level: described(z.enum(RISK_LEVELS), 'Risk level according to the companion'),
  attested_at: eventTime('When the ledger registered it'),
  expires_at: eventTime('When it expires'),
  drift_threshold: z.nullable(
    share('Drift score at or above which it is revoked; null if drift is not monitored'),
  ),
  check_interval: described(z.string().check(z.regex(DURATION)), 'Interval of drift checks', {
    unit: 'ISO 8601 duration',
  }),
  drift: z.nullable(share('Latest drift score')),
  checked_at: z.nullable(eventTime('When that score was measured')),
  check_late: described(z.boolean(), 'Whether a drift check is overdue at timestamp', {
    formula: 'active, monitored, and timestamp − (checked_at or attested_at) > check_interval',
  }),
  late_checks: described(
    z.int().check(z.gte(0)),
    'Number of drift checks, and of those later than check_interval',
    {
      unit: 'count',
      range: '≥ 0',
    },
  ),
  status: described(z.enum(STATUSES), 'Status as of timestamp; revoked and superseded are final'),
  ended_at: z.nullable(eventTime('When it was revoked or superseded')),
  reason: z.nullable(text('Reason for that')),
  superseded_by: z.nullable(text('Id of the attestation that renewed it')),
  renews: z.nullable(text('Id of the attestation that it renewed')),
});

/** An id or UUID that was revoked or scored before its attestation arrived, or whose attestation was revoked and is no longer listed. */
export const PublishedUnattested = z.strictObject({
  attestation: text('Id or UUID in the ledger'),
  ended_at: z.nullable(eventTime('When it was first revoked; null if it was not')),
  reason: z.nullable(
    text(
      'Reason; also null if the revocation was more than 180 days ago, or if the attestation is no longer listed',
    ),
  ),
  drift: z.nullable(share('Highest drift score')),
  checked_at: z.nullable(eventTime('When that score was measured')),
});

/** The ledger's record of an attestation: what is published of it, but for what follows from its id and the time. Times of events are in UTC. */
export const Registered = z.extend(z.omit(PublishedAttestation, { id: true, uuid: true, check_late: true }), {
  status: z.enum(['active', 'revoked', 'superseded']),
});

/** What the ledger recorded about an unregistered attestation: the first revocation and the highest drift score. */
export const Unattested = z.omit(PublishedUnattested, { attestation: true });

export type PublishedAttestation = z.output<typeof PublishedAttestation>;
export type Registered = z.output<typeof Registered>;
export type Unattested = z.output<typeof Unattested>;
