import { CathedralError } from '../../../pipeline/errors.ts';
import { DAY_MS, TIERS, type Tier, VERIFICATION_HOLDS_DAYS } from '../../api/tiers.ts';
import { newId } from './base62.ts';
import { type HandedOver, handOver } from './hand-over.ts';
import { ISSUE_ARGUMENTS, readArguments } from './key-arguments.ts';
import type { Office } from './key-services.ts';
import { createKey } from './key-text.ts';

/**
 * `keys issue`: a new key for an applicant. Throws usage, key_refused (an address that has to be verified first),
 * config_invalid (no mail server) and mail_failed; in each case no key is in force.
 */
export async function issueKey(args: unknown, office: Office): Promise<HandedOver> {
  const { tier, areas, days, deliver, volume, basis, ...applicant } = readArguments(ISSUE_ARGUMENTS, args);
  await requireVerified(tier, applicant.email, office);
  const rules = TIERS[tier];
  const covered = areas ?? [...rules.areas];
  const issuedAt = office.now();
  const draft = {
    ...applicant,
    id: newId('k', office.randomBytes),
    holder: newId('h', office.randomBytes),
    tier,
    areas: covered,
    volume: volume ?? null,
    basis: basis ?? null,
    issuedAt,
    expiresAt: issuedAt + (days ?? rules.days) * DAY_MS,
    replaces: null,
  };
  const key = createKey(covered[0]!, office.randomBytes);
  return handOver(key, draft, deliver ?? rules.delivery, office);
}

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
