import { LIST_ARGUMENTS, readArguments } from './key-arguments.ts';
import type { KeyServices } from './key-services.ts';
import type { KeyRecord } from './key-store.ts';

/** `ending`: valid, but so is its successor. `undelivered`: stored but never activated. */
export type KeyStatus = 'active' | 'ending' | 'undelivered' | 'expired' | 'revoked';

/** The status at `now`, ms. authenticate() admits active and ending keys. */
export function keyStatus(key: KeyRecord, now: number): KeyStatus {
  if (key.revokedAt !== null) return 'revoked';
  if (now >= key.expiresAt) return 'expired';
  if (key.deliveredAt === null) return 'undelivered';
  return key.replacedBy === null ? 'active' : 'ending';
}

/** `keys list`: newest first, including expired and revoked keys; optionally limited to a tier, an area or an address. */
export async function listKeys(args: unknown, { store }: Pick<KeyServices, 'store'>): Promise<KeyRecord[]> {
  const { tier, area, email } = readArguments(LIST_ARGUMENTS, args);
  const keys = await store.keys();
  return keys.filter(
    (key) =>
      (tier === undefined || key.tier === tier) &&
      (area === undefined || key.areas.includes(area)) &&
      (email === undefined || key.email === email),
  );
}
