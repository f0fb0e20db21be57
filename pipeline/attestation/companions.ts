import { hexToBytes } from '@noble/hashes/utils.js';
import * as z from 'zod/mini';
import { SCHEMES } from './algorithms.ts';
import { ALGORITHMS, type Algorithm } from './document.ts';
import { compareInstants, type Instant, parseInstant } from './instant.ts';

/** `2025-12-01T06:00:00Z` */
export const Moment = z.iso.datetime({ offset: false, local: false, precision: 0 });

const CompanionKey = z
  .strictObject({
    algorithm: z.enum(ALGORITHMS),
    /** Hex: 32 bytes for ed25519, 33 (compressed) for secp256k1. */
    public_key: z.string().check(
      z.regex(/^([0-9a-f]{2})+$/, {
        error: 'lower-case hex digits, two per byte',
        // Nothing further to check.
        abort: true,
      }),
    ),
    /** The first moment at which the key may attest. */
    valid_from: Moment,
    /** The moment from which it may not; set it to end a key. */
    valid_until: z.optional(Moment),
  })
  .check(
    z.refine(({ algorithm, public_key }) => isSoundKey(algorithm, public_key), {
      // Anyone can sign for a key of small order.
      error: 'a public key of its algorithm, on the curve and of large order',
      path: ['public_key'],
    }),
    z.refine(({ valid_from, valid_until }) => valid_until === undefined || valid_from < valid_until, {
      error: 'an end after valid_from',
      path: ['valid_until'],
    }),
  );

/**
 * Valid keys already checked, by algorithm and hex digits: a service that follows a ledger reads the same keys with each event. Bounded by
 * the number of registered keys.
 */
const SOUND = new Set<string>();

function isSoundKey(algorithm: Algorithm, hex: string): boolean {
  const name = `${algorithm} ${hex}`;
  if (!SOUND.has(name) && SCHEMES[algorithm].isPublicKey(hexToBytes(hex))) SOUND.add(name);
  return SOUND.has(name);
}

/** Checking a key takes a millisecond, and every verifier reads the published list. */
const MAX_COMPANIONS = 1000;
const MAX_KEYS = 16;
const MAX_WALLETS = 10_000;

/** An array whose length is checked before its items. */
function atMost<T extends z.ZodMiniType>(max: number, item: T) {
  return z.pipe(z.array(z.unknown()).check(z.maxLength(max)), z.array(item));
}

export const Companion = z.strictObject({
  companion: z.string().check(z.minLength(1), z.maxLength(200)),
  keys: z.pipe(z.array(z.unknown()).check(z.minLength(1), z.maxLength(MAX_KEYS)), z.array(CompanionKey)),
});

const Wallet = z.strictObject({
  ledger_id: z.guid().check(z.toLowerCase()),
  /** Address of the signing account, 20 bytes. */
  address: z.string().check(z.regex(/^0x[0-9a-fA-F]{40}$/, '0x and 40 hex digits')),
});

/** What a verifier trusts: the companions and their keys, and the wallets behind ledger ids. */
export const Companions = z.strictObject({
  companions: atMost(MAX_COMPANIONS, Companion).check(
    z.refine(
      (list) => new Set(list.map(({ companion }) => companion)).size === list.length,
      'one entry per companion',
    ),
  ),
  wallets: z._default(
    atMost(MAX_WALLETS, Wallet).check(
      z.refine(
        (list) => new Set(list.map(({ ledger_id }) => ledger_id)).size === list.length,
        'one wallet per ledger id',
      ),
    ),
    [],
  ),
});

export type Companions = z.output<typeof Companions>;
export type CompanionKey = z.output<typeof CompanionKey>;

export function keysOf({ companions }: Companions, companion: string): readonly CompanionKey[] | null {
  return companions.find((one) => one.companion === companion)?.keys ?? null;
}

export function isValidAt({ valid_from, valid_until }: CompanionKey, at: Instant): boolean {
  const hasBegun = compareInstants(parseInstant(valid_from), at) <= 0;
  return hasBegun && (valid_until === undefined || compareInstants(at, parseInstant(valid_until)) < 0);
}

/** The address of the wallet behind a ledger id; null if unknown. */
export function walletOf({ wallets }: Companions, ledgerId: string): string | null {
  return wallets.find(({ ledger_id }) => ledger_id === ledgerId.toLowerCase())?.address ?? null;
}
