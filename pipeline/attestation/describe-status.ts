import { attestationUuid } from './canonical-bytes.ts';
import { isCheckLate, type Registered, statusAt } from './registry.ts';

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
    check_late: isCheckLate(attestation, Math.min(now, knownUntil)),
  };
}
