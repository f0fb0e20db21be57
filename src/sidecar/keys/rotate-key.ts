import { CathedralError } from '../../../pipeline/errors.ts';
import { DAY_MS } from '../../../pipeline/words/day.ts';
import { TIERS } from '../../api/tiers.ts';
import { newId } from './base62.ts';
import { type DeliveredKey, deliverKey } from './deliver-key.ts';
import { requireVerified } from './issue-key.ts';
import { flagOf, ROTATE_ARGUMENTS, readArguments } from './key-arguments.ts';
import type { KeyServices } from './key-services.ts';
import { keyStatus } from './key-status.ts';
import type { KeyRecord } from './key-store.ts';
import { createKey } from './key-text.ts';

/**
 * `keys rotate`: replaces a valid key, which keeps working for at most OVERLAP_DAYS. Holder, tier and areas stay the same, so
 * limits do not double. Throws as issueKey does, and key_refused for a key that is no longer valid or has a successor.
 */
export async function rotateKey(args: unknown, services: KeyServices): Promise<DeliveredKey> {
  const { id, days, deliver } = readArguments(ROTATE_ARGUMENTS, args);
  const old = await services.store.keyById(id);
  const issuedAt = services.now();
  assertRotatable(id, old, issuedAt);
  await requireVerified(old.tier, old.email, services);
  const rules = TIERS[old.tier];
  const term = days ?? rules.days;
  if (term > rules.days) {
    const expected = `at most ${rules.days} for the tier ${old.tier}`;
    throw new CathedralError('usage', { place: flagOf('days'), expected, found: `${term}` });
  }
  const { holder, email, tier, areas, name, affiliation, purpose, volume, basis } = old;
  const draft = {
    ...{ holder, email, tier, areas, name, affiliation, purpose, volume, basis },
    id: newId('k', services.randomBytes),
    issuedAt,
    expiresAt: issuedAt + term * DAY_MS,
    replaces: id,
  };
  return deliverKey(createKey(areas[0]!, services.randomBytes), draft, deliver ?? rules.delivery, services);
}

function assertRotatable(id: string, key: KeyRecord | null, now: number): asserts key is KeyRecord {
  const status = key === null ? 'unknown' : keyStatus(key, now);
  if (status === 'active') return;
  const found = status === 'ending' ? `one that ${key!.replacedBy} replaced` : `one that is ${status}`;
  throw new CathedralError('key_refused', { place: id, expected: 'an active key', found });
}
