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

/**
 * A registry's record of an id or UUID, in either case, or of another name that a ledger has, in its own: the attestation, the revocation if that is all it has, or null. As of `clock`, ms, or
 * the newest event if that is later.
 */
export function lookUpStatus(name: string, registry: Registry, clock: number) {
  const isOwn = registry.byId(name) !== null || registry.unattested(name).length > 0;
  const id = isOwn ? name : name.toLowerCase();
  const entry = registry.byId(id);
  const found = entry ? { ...entry, id } : registry.byUuid(id);
  const now = timeAtLeast(clock, registry);
  if (found) return { registered: true as const, ...describeStatus(found, now, knownUntil(now, registry)) };
  const revoked = registry.unattested(id).find(({ ended_at }) => ended_at !== null);
  return revoked ? describeRevoked(id, revoked) : null;
}

/** For an attestation of which only the revocation is known, because it is not registered yet or no longer listed. */
function describeRevoked(name: string, { ended_at, reason }: Unattested) {
  const [id, uuid] = isAttestationId(name) ? [name, attestationUuid(name)] : [null, name];
  return { registered: false as const, id, uuid, status: 'revoked' as const, ended_at, reason };
}

/**
 * The ledger's record as of `now`, ms, with everything that follows from the time. Drift checks due after `knownUntil`, ms, do not count as
 * overdue.
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
