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
