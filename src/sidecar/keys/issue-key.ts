import { CathedralError } from '../../../pipeline/errors.ts';
import { DAY_MS } from '../../../pipeline/words/day.ts';
import { TIERS, type Tier, VERIFICATION_VALID_DAYS } from '../../api/tiers.ts';
import { newId } from './base62.ts';
import { type DeliveredKey, deliverKey } from './deliver-key.ts';
import { ISSUE_ARGUMENTS, readArguments } from './key-arguments.ts';
import type { KeyServices } from './key-services.ts';
import { createKey } from './key-text.ts';

/**
 * `keys issue`: a new key for an applicant. Throws usage, key_refused (an address without the required verification),
 * config_invalid (no mail server) and mail_failed. After an error, no key is valid.
 */
export async function issueKey(args: unknown, services: KeyServices): Promise<DeliveredKey> {
  const { tier, areas, days, deliver, volume, basis, ...applicant } = readArguments(ISSUE_ARGUMENTS, args);
  await requireVerified(tier, applicant.email, services);
  const rules = TIERS[tier];
  const covered = areas ?? [...rules.areas];
  const issuedAt = services.now();
  const draft = {
    ...applicant,
    id: newId('k', services.randomBytes),
    holder: newId('h', services.randomBytes),
    tier,
    areas: covered,
    volume: volume ?? null,
    basis: basis ?? null,
    issuedAt,
    expiresAt: issuedAt + (days ?? rules.days) * DAY_MS,
    replaces: null,
  };
  const key = createKey(covered[0]!, services.randomBytes);
  return deliverKey(key, draft, deliver ?? rules.delivery, services);
}

/** SPEC "Authentication" 5: the academic tier requires a verified address. Throws key_refused for any other. */
export async function requireVerified(tier: Tier, email: string, { store, now }: KeyServices): Promise<void> {
  if (TIERS[tier].proof !== 'verified_address') return;
  const verifiedAt = await store.verifiedAt(email);
  if (verifiedAt !== null && now() < verifiedAt + VERIFICATION_VALID_DAYS * DAY_MS) return;
  const when = verifiedAt === null ? 'one that was never verified' : `one verified ${formatDay(verifiedAt)}`;
  throw new CathedralError('key_refused', {
    place: email,
    expected: `an address verified within the last ${VERIFICATION_VALID_DAYS} days, as the tier ${tier} requires`,
    found: `${when}: send a code with keys request-verification, then run keys verify-email`,
  });
}

function formatDay(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}
