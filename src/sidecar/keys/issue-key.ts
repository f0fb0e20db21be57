import { DAY_MS, TIERS } from '../../api/tiers.ts';
import { type HandedOver, handOver } from './hand-over.ts';
import { ISSUE_ARGUMENTS, readArguments } from './key-arguments.ts';
import type { Office } from './key-services.ts';
import { createKey } from './key-text.ts';
import { newId } from './new-id.ts';
import { requireVerified } from './require-verified.ts';

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
