import { CathedralError } from '../../../pipeline/errors.ts';
import { DAY_MS, TIERS } from '../../api/tiers.ts';
import { newId } from './base62.ts';
import { type HandedOver, handOver } from './hand-over.ts';
import { requireVerified } from './issue-key.ts';
import { ROTATE_ARGUMENTS, readArguments } from './key-arguments.ts';
import type { Office } from './key-services.ts';
import { keyStatus } from './key-status.ts';
import type { KeyRecord } from './key-store.ts';
import { createKey } from './key-text.ts';

/**
 * `keys rotate`: a new key in place of a good one, which goes on working for OVERLAP_DAYS at most. Same holder, tier and
 * areas, so limits are not doubled. Throws as issueKey does, and key_refused for a key that is over or has a successor.
 */
export async function rotateKey(args: unknown, office: Office): Promise<HandedOver> {
  const { id, days, deliver } = readArguments(ROTATE_ARGUMENTS, args);
  const old = await office.store.keyById(id);
  const issuedAt = office.now();
  assertRotatable(id, old, issuedAt);
  await requireVerified(old.tier, old.email, office);
  const rules = TIERS[old.tier];
  const term = days ?? rules.days;
  if (term > rules.days) {
    const expected = `at most ${rules.days} for the tier ${old.tier}`;
    throw new CathedralError('usage', { place: '--days', expected, found: `${term}` });
  }
  const { holder, email, tier, areas, name, affiliation, purpose, volume, basis } = old;
  const draft = {
    ...{ holder, email, tier, areas, name, affiliation, purpose, volume, basis },
    id: newId('k', office.randomBytes),
    issuedAt,
    expiresAt: issuedAt + term * DAY_MS,
    replaces: id,
  };
  return handOver(createKey(areas[0]!, office.randomBytes), draft, deliver ?? rules.delivery, office);
}

function assertRotatable(id: string, key: KeyRecord | null, now: number): asserts key is KeyRecord {
  const status = key === null ? 'unknown' : keyStatus(key, now);
  if (status === 'active') return;
  const found = status === 'ending' ? `one that ${key!.replacedBy} has replaced` : `one that is ${status}`;
  throw new CathedralError('key_refused', { place: id, expected: 'an active key', found });
}
