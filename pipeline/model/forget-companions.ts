import { KEPT_DAYS, type Unattested } from '../attestation/registry.ts';
import type { CompanionState } from './companions.ts';
import { timeOf, windowStart } from './window.ts';

/** How long a reason is kept: whoever revokes has a document, which is for 90 days at most and kept as long after its end. */
export const UNATTESTED_DAYS = 90 + KEPT_DAYS;

/**
 * Drops from `state` itself the attestations that expired long ago, and what was said long ago of such as never came; that one
 * was revoked, or how far it had drifted, is never forgotten. So the state grows by some 150 bytes with each revocation.
 */
export function forgetCompanions({ companions, unattested, remembered }: CompanionState, asOf: string): void {
  const oldest = windowStart(asOf, KEPT_DAYS);
  for (const [id, { status, ended_at, expires_at }] of Object.entries(companions)) {
    if (timeOf(expires_at) >= oldest) continue;
    delete companions[id];
    if (status === 'revoked') remembered[id] = { ended_at, reason: null, drift: null, checked_at: null };
  }
  const first = windowStart(asOf, UNATTESTED_DAYS);
  for (const [name, said] of Object.entries(unattested)) {
    if (timeSaid(said) >= first) continue;
    delete unattested[name];
    remembered[name] = { ...said, reason: null };
  }
}

function timeSaid({ ended_at, checked_at }: Unattested): number {
  return timeOf((ended_at ?? checked_at)!);
}
