import { hash } from 'node:crypto';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { bytesToHex } from '@noble/hashes/utils.js';
import { addressOf, personalHash, type WalletClaim, walletText } from '../attestation/wallet-signature.ts';
import { DEMO_ORIGIN } from './demo-key.ts';

/** The entities of the sample that request authority, by the ids that the ledger has for them. */
export const DEMO_LEDGER_IDS: readonly string[] = [1, 2, 3, 4, 5, 6].map((number) =>
  uuidOf(`${DEMO_ORIGIN}: entity ${number}`),
);

/** Where wallets write the parity of the point: 27 or 28. */
const FIRST_V = 27;

/** Address of the sample's wallet behind a ledger id. */
export function demoWalletAddress(ledgerId: string): string {
  return addressOf(secp256k1.getPublicKey(secretOf(ledgerId), false));
}

/** `wallet_signature` by the wallet behind the claim's ledger id; the same claim has the same one (RFC 6979). */
export function signWithDemoWallet(claim: WalletClaim): string {
  const signed = secp256k1.sign(personalHash(walletText(claim)), secretOf(claim.ledger_id), {
    prehash: false,
    format: 'recovered',
  });
  // noble puts the parity first, wallets last.
  return `0x${bytesToHex(signed.subarray(1))}${(FIRST_V + signed[0]!).toString(16)}`;
}

/** The wallets' keys are as public as all keys of the sample. */
function secretOf(ledgerId: string): Uint8Array {
  return hash('sha256', `${DEMO_ORIGIN}: a published key of the wallet behind ${ledgerId}`, 'buffer');
}

/** Version 8 (RFC 9562 §5.8), from a name. */
function uuidOf(name: string): string {
  const hex = hash('sha256', name);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
