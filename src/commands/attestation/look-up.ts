import { attestationUuid } from '../../../pipeline/attestation/canonical-bytes.ts';
import {
  isAttestationId,
  REGISTRY_RETENTION_DAYS,
  type Registry,
} from '../../../pipeline/attestation/registry.ts';
import { lookUpStatus } from '../../../pipeline/attestation/status.ts';
import { CathedralError } from '../../../pipeline/errors.ts';
import { registryOfState } from '../../../pipeline/model/companions.ts';
import type { LedgerRead } from './read-ledger.ts';

/**
 * What the ledger has of an id or a UUID, as of `clock`, ms, or of its newest event where that is later, and who revoked it,
 * where somebody did. Throws attestation_refused where it has neither an attestation nor a revocation of it.
 */
export function lookUp(ledger: LedgerRead, name: string, clock: number) {
  const registry = registryOfState(ledger.state);
  const found = lookUpStatus(name, registry, clock);
  if (found) return { ...found, ended_by: revokerOf(ledger, found) };
  throw new CathedralError('attestation_refused', {
    place: '--id',
    expected: `the id or UUID of an attestation that the ledger has, until ${REGISTRY_RETENTION_DAYS} days after its end`,
    found: `${JSON.stringify(name)}${scoreWords(registry, name)}`,
  });
}

/** The agent of the event that ended it; null where it has not ended, or by its drift, for which nobody had to act. */
function revokerOf(
  { revocations }: LedgerRead,
  { uuid, ended_at }: { uuid: string; ended_at: string | null },
): string | null {
  const event = revocations.find(({ timestamp, data }) => {
    const name = data.attestation.toLowerCase();
    return timestamp === ended_at && (isAttestationId(name) ? attestationUuid(name) : name) === uuid;
  });
  return event?.agent ?? null;
}

function scoreWords(registry: Registry, name: string): string {
  const scored = registry.unattested(name.toLowerCase()).find(({ drift }) => drift !== null);
  return scored ? `, of which it has no more than a drift score of ${scored.drift}` : '';
}
