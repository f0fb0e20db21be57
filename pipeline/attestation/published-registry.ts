import * as z from 'zod/mini';
import { described, listOf } from '../words/described.ts';
import type { Trust } from './check.ts';
import { Companions, Moment } from './companions.ts';
import { ALGORITHMS } from './document.ts';
import {
  DATE_TIME,
  EventTime,
  PublishedAttestation,
  PublishedUnattested,
  type Registered,
  text,
} from './registered.ts';
import { REGISTRY_RETENTION_DAYS, type Registry, registryOf, registryStart } from './registry.ts';

/** Path below the root of the file with the trusted companions and the ledger's attestations. */
export const REGISTRY_PATH = 'philosophy/companions.json';

const dateTime = (description: string) => described(Moment, description, DATE_TIME);
const PublishedCompanion = z.strictObject({
  companion: text('Name of the companion, as in attested_by of documents'),
  keys: listOf('Its keys; during a rotation, two are valid at once', {
    algorithm: described(z.enum(ALGORITHMS), 'Signature algorithm'),
    public_key: text('Hex: 32 bytes for ed25519, 33 (compressed) for ecdsa-secp256k1'),
    valid_from: dateTime('When the key becomes valid'),
    valid_until: z.nullable(dateTime('When the key stops being valid; null if it has no end')),
  }),
});

/** The published file. */
export const PublishedRegistry = z.strictObject({
  timestamp: described(
    z.string().check(z.refine((time) => EventTime.safeParse(time).success, 'a date-time in UTC')),
    'Time of the last ledger event counted in this file, UTC',
    DATE_TIME,
  ),
  companions: described(
    z.array(PublishedCompanion),
    'Companions whose attestations this service accepts, with their public keys',
  ),
  wallets: listOf('Known wallets behind ledger ids', {
    ledger_id: text('UUID of the entity'),
    address: text('Address of the signing account: 0x and 40 hex digits'),
  }),
  attestations: described(
    z.array(PublishedAttestation),
    `Attestations in the ledger, newest first, each until ${REGISTRY_RETENTION_DAYS} days after it has expired`,
  ),
  unattested: described(
    z.array(PublishedUnattested),
    'Revocations and drift checks of attestations that the ledger does not list, or no longer lists; oldest first, kept for good',
  ),
});
export type PublishedRegistry = z.output<typeof PublishedRegistry>;

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
