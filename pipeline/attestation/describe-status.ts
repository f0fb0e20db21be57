import { attestationUuid } from './canonical-bytes.ts';
import { isCheckLate, type Registered, statusAt } from './registry.ts';

/** As of `now`, ms: what the ledger has, with what follows from the time. */
export function describeStatus(attestation: Registered & { id: string }, now: number) {
  const { id, status: _, ...rest } = attestation;
  return {
    id,
    uuid: attestationUuid(id),
    status: statusAt(attestation, now),
    ...rest,
    check_late: isCheckLate(attestation, now),
  };
}
