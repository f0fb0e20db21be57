import { z } from 'zod';
import { DURATION } from '../words/duration.ts';
import type { Trust } from './check.ts';
import { Companions, Moment } from './companions.ts';
import { ALGORITHMS, RISK_LEVELS } from './document.ts';
import {
  keptSince,
  REGISTRY_RETENTION_DAYS,
  type Registered,
  type Registry,
  registryOf,
  STATUSES,
} from './registry.ts';

/** Below the root: whom the service trusts, and what its ledger has of attestations. */
export const REGISTRY_PATH = 'philosophy/companions.json';

const described = (description: string, more: { unit?: string; range?: string; formula?: string } = {}) => ({
  description,
  ...more,
});
const DATE_TIME = { unit: 'ISO 8601 date-time' };
const SHARE = { unit: 'share', range: '0–1' };
const dateTime = (description: string) => Moment.meta(described(description, DATE_TIME));
/** Of an event, or of a document that was copied into one: UTC, a fraction allowed. */
const EventTime = z.iso.datetime({ offset: false, local: false });
const eventTime = (description: string) => EventTime.meta(described(description, DATE_TIME));
const text = (description: string) => z.string().meta(described(description));
const share = (description: string) => z.number().min(0).max(1).meta(described(description, SHARE));

const PublishedCompanion = z.strictObject({
  companion: text('Companion, by the name that documents have in attested_by'),
  keys: z
    .array(
      z.strictObject({
        algorithm: z.enum(ALGORITHMS).meta(described('What it signs with')),
        public_key: text('Hex: 32 bytes for ed25519, the 33 of the compressed form for ecdsa-secp256k1'),
        valid_from: dateTime('The first moment at which the key may attest'),
        valid_until: dateTime('The moment from which it may not; null where none is set').nullable(),
      }),
    )
    .meta(described('Its keys; while one is changed for the next, two are valid at once')),
});

/** One attestation, as it is published. */
export const PublishedAttestation = z.strictObject({
  id: text('SHA-256 of the signed bytes, 64 hex digits'),
  uuid: text('What a renewal names it by in metadata.previous_attestation; made of the id'),
  companion: text('The companion that signed it'),
  ledger_id: text('UUID of the entity that requested authority'),
  scope: z.array(z.string()).meta(described('The permissions')),
  risk_level: z.enum(RISK_LEVELS).meta(described('As the companion judged it')),
  attested_at: eventTime('When the ledger took it'),
  expires_at: eventTime('When it ends by itself'),
  drift_threshold: share(
    'Drift score at or above which it is revoked; null where drift is not monitored',
  ).nullable(),
  check_interval: z
    .string()
    .regex(DURATION)
    .meta(described('How often drift is to be checked', { unit: 'ISO 8601 duration' })),
  drift: share('The newest drift score').nullable(),
  checked_at: eventTime('When that was taken').nullable(),
  check_late: z.boolean().meta(
    described('Whether a drift check was due before timestamp and has not come', {
      formula: 'active, monitored, and timestamp − (checked_at or attested_at) > check_interval',
    }),
  ),
  late_checks: z
    .int()
    .min(0)
    .meta(
      described('Drift checks that came, and came later than check_interval', {
        unit: 'count',
        range: '≥ 0',
      }),
    ),
  status: z
    .enum(STATUSES)
    .meta(described('As of timestamp; what was revoked or superseded does not become anything else')),
  ended_at: eventTime('When it was revoked or superseded').nullable(),
  reason: text('Why it was').nullable(),
  superseded_by: text('Id of the attestation that renewed it').nullable(),
  renews: text('Id of the attestation that it renewed').nullable(),
});

/** A name that a revocation or a drift score came for before the attestation did, or that was revoked and is listed no more. */
const PublishedUnattested = z.strictObject({
  attestation: text('What the ledger calls it: its id, or its UUID'),
  ended_at: eventTime('When it was first revoked; null where it was not').nullable(),
  reason: text(
    'Why it was; null also where that was more than 180 days ago, or where it is listed no more',
  ).nullable(),
  drift: share('The highest drift score').nullable(),
  checked_at: eventTime('When that was taken').nullable(),
});

/** The file as it is published. */
export const PublishedRegistry = z.strictObject({
  timestamp: z
    .string()
    .refine((time) => EventTime.safeParse(time).success, 'a date-time in UTC')
    .meta(described('Time of the last ledger event counted in this file, UTC', DATE_TIME)),
  companions: z
    .array(PublishedCompanion)
    .meta(described('Those whose attestations this service accepts, with their public keys')),
  wallets: z
    .array(
      z.strictObject({
        ledger_id: text('UUID of the entity'),
        address: text('Of the account that signs for it: 0x and 40 hex digits'),
      }),
    )
    .meta(described('The wallets that are known to stand behind ledger ids')),
  attestations: z
    .array(PublishedAttestation)
    .meta(
      described(
        `What the ledger has, newest first, until ${REGISTRY_RETENTION_DAYS} days after it has expired`,
      ),
    ),
  unattested: z
    .array(PublishedUnattested)
    // A server answers from the release that is there when it is started, which may be one from before this member.
    .default([])
    .meta(
      described(
        'What the ledger has revoked, or checked for drift, and does not have, or has no more; oldest first. None of it is ever forgotten',
      ),
    ),
});
export type PublishedRegistry = z.output<typeof PublishedRegistry>;
export type PublishedAttestation = z.output<typeof PublishedAttestation>;

/** Whom the service trusts, and what its ledger has. */
export interface PublishedTrust extends Omit<Trust, 'now'> {
  registry: Registry;
}

/** What a verifier needs of the file, but for the time. Throws a ZodError for a key that is none. */
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
    registry: registryOf(Object.fromEntries(registered), { since: keptSince(asOf), asOf, unattested }),
  };
}

function registeredOf(attestation: PublishedAttestation): Registered {
  const { id: _, uuid: __, check_late: ___, status, ...rest } = attestation;
  // That it has expired is seen from its date, at whatever time it is asked.
  return { ...rest, status: status === 'expired' ? 'active' : status };
}
