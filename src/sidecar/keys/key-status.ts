import { LIST_ARGUMENTS, readArguments } from './key-arguments.ts';
import type { Office } from './key-services.ts';
import type { KeyRecord } from './key-store.ts';

/** `ending`: good, but its successor is too. `undelivered`: stored, and never put in force. */
export type KeyStatus = 'active' | 'ending' | 'undelivered' | 'expired' | 'revoked';

/** At `now`, ms. What authenticate admits is what is active or ending. */
export function keyStatus(key: KeyRecord, now: number): KeyStatus {
  if (key.revokedAt !== null) return 'revoked';
  if (now >= key.expiresAt) return 'expired';
  if (key.deliveredAt === null) return 'undelivered';
  return key.replacedBy === null ? 'active' : 'ending';
}

/** `keys list`: newest first, those over too; of a tier, an area or an address where one is given. */
export async function listKeys(args: unknown, { store }: Pick<Office, 'store'>): Promise<KeyRecord[]> {
  const { tier, area, email } = readArguments(LIST_ARGUMENTS, args);
  const keys = await store.keys();
  return keys.filter(
    (key) =>
      (tier === undefined || key.tier === tier) &&
      (area === undefined || key.areas.includes(area)) &&
      (email === undefined || key.email === email),
  );
}
