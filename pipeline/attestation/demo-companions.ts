import { hash } from 'node:crypto';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { bytesToHex } from '@noble/hashes/utils.js';
import { DEMO_ORIGIN } from '../ledger/writing/demo-key.ts';
import type { SigningKey } from './sign-attestation.ts';
import { personalHash, type WalletClaim, walletText } from './wallet-signature.ts';

/** The companions of demo ledgers and their algorithms. */
const ALGORITHM = { LANTERN: 'ed25519', TALLY: 'ed25519', COMPASS: 'ecdsa-secp256k1' } as const;

/** The entities of demo ledgers that request authority, by their ledger ids. */
export const DEMO_LEDGER_IDS: readonly string[] = [1, 2, 3, 4, 5, 6].map((number) =>
  uuidOf(`${DEMO_ORIGIN}: entity ${number}`),
);

/** Wallets encode the parity of the point as 27 or 28. */
const FIRST_V = 27;

/** The keys of the demo companions. This source publishes the secret halves, so their signatures prove nothing. */
export function demoCompanionKeys(): SigningKey[] {
  return Object.entries(ALGORITHM).map(([companion, algorithm]) => {
    const secretKey = hash('sha256', `${DEMO_ORIGIN}: a published key of ${companion}`, 'buffer');
    return { companion, algorithm, secretKey };
  });
}

/** `wallet_signature` by the wallet of the claim's ledger id; deterministic (RFC 6979). */
export function signWithDemoWallet(claim: WalletClaim): string {
  const signed = secp256k1.sign(personalHash(walletText(claim)), walletSecret(claim.ledger_id), {
    prehash: false,
    format: 'recovered',
  });
  // noble puts the recovery byte first; wallets put it last.
  return `0x${bytesToHex(signed.subarray(1))}${(FIRST_V + signed[0]!).toString(16)}`;
}

/** Published like every demo key. */
export function walletSecret(ledgerId: string): Uint8Array {
  return hash('sha256', `${DEMO_ORIGIN}: a published key of the wallet behind ${ledgerId}`, 'buffer');
}

/** A version 8 UUID (RFC 9562 §5.8) derived from a name. */
function uuidOf(name: string): string {
  const hex = hash('sha256', name);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
