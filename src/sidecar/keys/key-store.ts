import type { KeyArea, Tier } from '../../api/tiers.ts';

/** A key as stored after its issue. All times are ms since 1970. */
export interface KeyRecord {
  /** `k_` and 12 base62 characters: names the key in lists, the server log and commands. */
  id: string;
  /** `h_` and 12 base62 characters: limits count per holder. All keys of one e-mail address share it. */
  holder: string;
  /** In lower case. */
  email: string;
  /** SHA-256 of the key, hex. */
  hash: string;
  /** `cds_economy_Ab3d` */
  prefix: string;
  tier: Tier;
  /** Not empty, in the order of KEY_AREAS. */
  areas: KeyArea[];
  /** As the applicant stated them when this key was issued. */
  name: string;
  affiliation: string;
  purpose: string;
  volume: string | null;
  /** The operator's reason for granting the tier. */
  basis: string | null;
  issuedAt: number;
  /** The key is invalid from this time on. */
  expiresAt: number;
  /** When the key reached its holder. Until then it opens nothing. */
  deliveredAt: number | null;
  /** Final: a revocation cannot be undone. */
  revokedAt: number | null;
  revokedFor: string | null;
  /** The id of the key that this one replaced. */
  replaces: string | null;
  /** The id of the delivered key that replaced this one; never a revoked one. */
  replacedBy: string | null;
  /** When the holder was notified of the expiry. */
  notifiedAt: number | null;
}

/** `holder` applies only if the address has no holder yet; otherwise the existing holder is kept. */
export type NewKey = Omit<KeyRecord, 'revokedAt' | 'revokedFor' | 'replacedBy' | 'notifiedAt'>;

/** A verification code sent to an address. */
export interface Verification {
  id: string;
  email: string;
  codeHash: string;
  createdAt: number;
  expiresAt: number;
}

/** How many codes may be sent since a given time. */
export interface VerificationQuota {
  since: number;
  perAddress: number;
  total: number;
}

export type AddResult = 'added' | 'address_quota' | 'total_quota';
export type CodeResult = 'verified' | 'wrong' | 'spent' | 'none';

/**
 * The storage of keys. Each method is one transaction: atomic, and visible to every later call in any process. All
 * implementations pass the same contract test. Throws keys_unreadable if the storage fails.
 */
export interface KeyStore {
  /** Returns false and adds nothing if the key that `replaces` names already has an unrevoked successor. */
  addKey(key: NewKey): Promise<boolean>;
  /**
   * Activates the key. The key it replaces expires at `replacedEndsAt` or at its own expiry, whichever is sooner. Returns false
   * if the key is unknown, already delivered or revoked.
   */
  activateKey(id: string, at: number, replacedEndsAt: number): Promise<boolean>;
  keyByHash(hash: string): Promise<KeyRecord | null>;
  keyById(id: string): Promise<KeyRecord | null>;
  /** Newest first; ordered by id at equal times. */
  keys(): Promise<KeyRecord[]>;
  /** When each key in use expires, ms, in any order: delivered, not revoked, not expired at `now`, and without a delivered successor. */
  expiries(now: number): Promise<number[]>;
  /** Returns false if the key is unknown or already revoked: the first revocation stands. */
  revokeKey(id: string, at: number, reason: string): Promise<boolean>;
  /** Claims the right to notify the holder of the expiry, once. Returns false if it is already claimed. */
  claimNotice(id: string, at: number): Promise<boolean>;
  /** Releases the claim after the notice was not accepted. */
  releaseNotice(id: string): Promise<void>;
  /** Adds a code unless that exceeds the quota. Forgets unused codes older than the quota's window. */
  addVerification(verification: Verification, quota: VerificationQuota): Promise<AddResult>;
  /** Forgets a code that was not sent. */
  withdrawVerification(id: string): Promise<void>;
  /**
   * Compares a code with the newest unused, unexpired one of the address. Every attempt counts, up to `maxTries`. The correct
   * code can be used once.
   */
  tryCode(email: string, codeHash: string, at: number, maxTries: number): Promise<CodeResult>;
  /** When the address was last verified; null if never. */
  verifiedAt(email: string): Promise<number | null>;
  close(): Promise<void>;
}
