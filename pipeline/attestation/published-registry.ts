import { z } from 'zod';
import { DURATION } from '../words/duration.ts';
import type { Trust } from './check.ts';
import { Companions, Moment } from './companions.ts';
import { ALGORITHMS, RISK_LEVELS } from './document.ts';
import {
  REGISTRY_RETENTION_DAYS,
  type Registered,
  type Registry,
  registryOf,
  registryStart,
  STATUSES,
} from './registry.ts';

/** Path below the root of the file with the trusted companions and the ledger's attestations. */
export const REGISTRY_PATH = 'philosophy/companions.json';

const described = (description: string, more: { unit?: string; range?: string; formula?: string } = {}) => ({
  description,
  ...more,
});
const DATE_TIME = { unit: 'ISO 8601 date-time' };
const SHARE = { unit: 'share', range: '0–1' };
const dateTime = (description: string) => Moment.meta(described(description, DATE_TIME));
/** Time from an event, or from a document copied into one: UTC, a fraction allowed. */
const EventTime = z.iso.datetime({ offset: false, local: false });
const eventTime = (description: string) => EventTime.meta(described(description, DATE_TIME));
const text = (description: string) => z.string().meta(described(description));
const share = (description: string) => z.number().min(0).max(1).meta(described(description, SHARE));

const PublishedCompanion = z.strictObject({
  companion: text('Name of the companion, as in attested_by of documents'),
  keys: z
    .array(
      z.strictObject({
        algorithm: z.enum(ALGORITHMS).meta(described('Signature algorithm')),
        public_key: text('Hex: 32 bytes for ed25519, the 33 of the compressed form for ecdsa-secp256k1'),
        valid_from: dateTime('When the key becomes valid'),
        valid_until: dateTime('When the key stops being valid; null if it has no end').nullable(),
      }),
    )
    .meta(described('Its keys; during a rotation, two are valid at once')),
});

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
const PublishedUnattested = z.strictObject({
  attestation: text('Id or UUID in the ledger'),
  ended_at: eventTime('When it was first revoked; null if it was not').nullable(),
  reason: text(
    'Reason; also null if the revocation was more than 180 days ago, or if the attestation is no longer listed',
  ).nullable(),
  drift: share('Highest drift score').nullable(),
  checked_at: eventTime('When that score was measured').nullable(),
});

/** The published file. */
export const PublishedRegistry = z.strictObject({
  timestamp: z
    .string()
    .refine((time) => EventTime.safeParse(time).success, 'a date-time in UTC')
    .meta(described('Time of the last ledger event counted in this file, UTC', DATE_TIME)),
  companions: z
    .array(PublishedCompanion)
    .meta(described('Companions whose attestations this service accepts, with their public keys')),
  wallets: z
    .array(
      z.strictObject({
        ledger_id: text('UUID of the entity'),
        address: text('Address of the signing account: 0x and 40 hex digits'),
      }),
    )
    .meta(described('Known wallets behind ledger ids')),
  attestations: z
    .array(PublishedAttestation)
    .meta(
      described(
        `What the ledger has, newest first, until ${REGISTRY_RETENTION_DAYS} days after it has expired`,
      ),
    ),
  unattested: z
    .array(PublishedUnattested)
    .meta(
      described(
        'What the ledger has revoked, or checked for drift, and does not have, or has no more; oldest first. None of it is ever forgotten',
      ),
    ),
});
export type PublishedRegistry = z.output<typeof PublishedRegistry>;
export type PublishedAttestation = z.output<typeof PublishedAttestation>;

/** The trusted companions, and the ledger's attestations. */
export interface PublishedTrust extends Omit<Trust, 'now'> {
  registry: Registry;
}

/** The file's content for a verifier, without the time. Throws a ZodError for an invalid key. */
export function trustOf({
  timestamp: asOf,
  companions,
  wallets,
  attestations,
  unattested: early,
}: PublishedRegistry): PublishedTrust {
  const given = companions.map(({ companion, keys }) => ({
    companion,
    keys: keys.map(({ valid_until, ...key }) => (valid_until === null ? key : { ...key, valid_until })),
  }));
  const registered = attestations.map((attestation) => [attestation.id, registeredOf(attestation)] as const);
  const unattested = Object.fromEntries(early.map(({ attestation, ...said }) => [attestation, said]));
  return {
    companions: Companions.parse({ companions: given, wallets }),
    registry: registryOf(Object.fromEntries(registered), { since: registryStart(asOf), asOf, unattested }),
  };
}

function registeredOf(attestation: PublishedAttestation): Registered {
  const { id: _, uuid: __, check_late: ___, status, ...rest } = attestation;
  // Expiry follows from its date, whatever the time of the query.
  return { ...rest, status: status === 'expired' ? 'active' : status };
}
