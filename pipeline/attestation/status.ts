import { attestationUuid } from './canonical-bytes.ts';
import {
  isAttestationId,
  isCheckOverdue,
  knownUntil,
  type Registered,
  type Registry,
  statusAt,
  timeAtLeast,
  type Unattested,
} from './registry.ts';

export type LookedUp = ReturnType<typeof lookUpStatus>;

/**
 * What a registry has of an id or a UUID, in either case: the attestation, or the revocation alone where it has no more than
 * that; null where it has neither. As of `clock`, ms, or of the newest event where that is later.
 */
export function lookUpStatus(name: string, registry: Registry, clock: number) {
  const lower = name.toLowerCase();
  const entry = registry.byId(lower);
  const found = entry ? { ...entry, id: lower } : registry.byUuid(lower);
  const now = timeAtLeast(clock, registry);
  if (found) return { registered: true as const, ...describeStatus(found, now, knownUntil(now, registry)) };
  const revoked = registry.unattested(lower).find(({ ended_at }) => ended_at !== null);
  return revoked ? describeRevoked(lower, revoked) : null;
}

/** Of an attestation of which there is nothing but that it was revoked: not yet, or not any more. */
function describeRevoked(name: string, { ended_at, reason }: Unattested) {
  const [id, uuid] = isAttestationId(name) ? [name, attestationUuid(name)] : [null, name];
  return { registered: false as const, id, uuid, status: 'revoked' as const, ended_at, reason };
}

/**
 * As of `now`, ms: what the ledger has, with what follows from the time. Of drift checks after `knownUntil`, ms, nothing is known,
 * so none of them is late.
 */
export function describeStatus(
  attestation: Registered & { id: string },
  now: number,
  knownUntil: number = now,
) {
  const { id, status: _, ...rest } = attestation;
  return {
    id,
    uuid: attestationUuid(id),
    status: statusAt(attestation, now),
    ...rest,
    check_late: isCheckOverdue(attestation, Math.min(now, knownUntil)),
  };
}
