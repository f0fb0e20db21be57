import { CathedralError } from '../../../pipeline/errors.ts';
import { DAY_MS, TIERS, type Tier, VERIFICATION_HOLDS_DAYS } from '../../api/tiers.ts';
import type { Office } from './key-services.ts';

/** SPEC "Authentication" 5: the academic tier needs a verified address. Throws key_refused for one that is not. */
export async function requireVerified(tier: Tier, email: string, { store, now }: Office): Promise<void> {
  if (TIERS[tier].proof !== 'verified_address') return;
  const verifiedAt = await store.verifiedAt(email);
  if (verifiedAt !== null && now() < verifiedAt + VERIFICATION_HOLDS_DAYS * DAY_MS) return;
  const when = verifiedAt === null ? 'one that was never verified' : `one verified ${formatDay(verifiedAt)}`;
  throw new CathedralError('key_refused', {
    place: email,
    expected: `an address that was verified within ${VERIFICATION_HOLDS_DAYS} days, as the tier ${tier} needs`,
    found: `${when}: send a code with keys request-verification, then keys verify-email`,
  });
}

function formatDay(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}
