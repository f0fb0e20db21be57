import type { KeyArea, Tier } from '../../api/tiers.ts';

/** A key as it is known after its issue. All times are ms since 1970. */
export interface KeyRecord {
  /** `k_` and 12 base62: names the key in lists, logs and commands. */
  id: string;
  /** `h_` and 12 base62: limits are counted by it. All keys of one e-mail address have the same. */
  holder: string;
  /** In lower case. */
  email: string;
  /** SHA-256 of the key, hex. */
  hash: string;
  /** `cds_economy_Ab3d` */
  prefix: string;
  tier: Tier;
  /** At least one, in the order of KEY_AREAS. */
  areas: KeyArea[];
  /** As the applicant stated them when this key was issued. */
  name: string;
  affiliation: string;
  purpose: string;
  volume: string | null;
  /** What the tier was granted on, in the operator's words. */
  basis: string | null;
  issuedAt: number;
  /** From then on it is no good. */
  expiresAt: number;
  /** When it had reached its holder; before, it opens nothing. */
  deliveredAt: number | null;
  /** Final: nothing undoes a revocation. */
  revokedAt: number | null;
  revokedFor: string | null;
  /** The id of the key that this one took the place of. */
  replaces: string | null;
  /** The id of the delivered key that took the place of this one; never a revoked one. */
  replacedBy: string | null;
  /** When the holder was told that it ends. */
  notifiedAt: number | null;
}

/** `holder` is taken where the address has none yet, else the address's own is kept. */
export type NewKey = Omit<KeyRecord, 'revokedAt' | 'revokedFor' | 'replacedBy' | 'notifiedAt'>;

/** A code on its way to an address. */
export interface Verification {
  id: string;
  email: string;
  codeHash: string;
  createdAt: number;
  expiresAt: number;
}

/** How many codes may be sent since a time. */
export interface VerificationQuota {
  since: number;
  perAddress: number;
  total: number;
}

export type Added = 'added' | 'address_quota' | 'total_quota';
export type Tried = 'verified' | 'wrong' | 'spent' | 'none';

/**
 * Where keys are kept. Each method is one transaction: it happens as a whole or not at all, and what it did is seen by every
 * later call in any process. Engines hold the same contract test. Throws keys_unreadable where the engine fails.
 */
export interface KeyStore {
  /** False, and nothing is added, where a key that `replaces` names has a successor that is not revoked. */
  addKey(key: NewKey): Promise<boolean>;
  /**
   * From now on the key is good. The one it replaces ends at `replacedEndsAt`, or when it would have ended anyway, if
   * that is sooner. False where the key is unknown, delivered already or revoked.
   */
  deliverKey(id: string, at: number, replacedEndsAt: number): Promise<boolean>;
  keyByHash(hash: string): Promise<KeyRecord | null>;
  keyById(id: string): Promise<KeyRecord | null>;
  /** Newest first; of one instant, by id. */
  keys(): Promise<KeyRecord[]>;
  /** False where the key is unknown or revoked already: the first revocation stays. */
  revokeKey(id: string, at: number, reason: string): Promise<boolean>;
  /** Takes the right to tell the holder of a key's end, once. False where somebody has it. */
  claimNotice(id: string, at: number): Promise<boolean>;
  /** Gives it back, where the notice was not accepted. */
  releaseNotice(id: string): Promise<void>;
  /** Within the quota, over which nothing is added. Codes that nobody used and that are older than its window are forgotten. */
  addVerification(verification: Verification, quota: VerificationQuota): Promise<Added>;
  /** Forgets a code that was not sent. */
  withdrawVerification(id: string): Promise<void>;
  /**
   * Tries a code against the newest of the address that is unused and not over. Each try counts, `maxTries` of them; the right
   * code is used up by it.
   */
  tryCode(email: string, codeHash: string, at: number, maxTries: number): Promise<Tried>;
  /** When the address was last verified, or null. */
  verifiedAt(email: string): Promise<number | null>;
  close(): Promise<void>;
}
