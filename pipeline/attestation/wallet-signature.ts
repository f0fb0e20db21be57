import { secp256k1 } from '@noble/curves/secp256k1.js';
import { keccak_256 } from '@noble/hashes/sha3.js';
import { bytesToHex, concatBytes, hexToBytes } from '@noble/hashes/utils.js';
import type { Attestation } from './document.ts';
import type { ProblemCode } from './problem.ts';

/** The members that the wallet vouches for. */
export type WalletClaim = Pick<Attestation, 'ledger_id' | 'epicon_ej_hash' | 'scope' | 'expires_at'>;

const SIGNATURE = /^0x[0-9a-fA-F]{130}$/;
/** Wallets write the parity of the point as 27 or 28, a convention from before EIP-155. */
const FIRST_V = 27;

/** The text that the wallet signs: five lines, without a line end after the last. No value can contain a line end. */
export function walletText({ ledger_id, epicon_ej_hash, scope, expires_at }: WalletClaim): string {
  return [
    'Companion Attestation 1.0.0',
    `ledger_id: ${ledger_id}`,
    `epicon_ej_hash: ${epicon_ej_hash}`,
    `scope: ${scope.join(', ')}`,
    `expires_at: ${expires_at}`,
  ].join('\n');
}

type Recovered = { address: string; fault: null } | { address: null; fault: ProblemCode };

/** The address of the wallet that signed the claim (EIP-191, version 0x45). The same signature over a different claim yields a different address. */
export function recoverWallet(signature: string, claim: WalletClaim): Recovered {
  if (!SIGNATURE.test(signature)) return { address: null, fault: 'wallet_signature_malformed' };
  const bytes = hexToBytes(signature.slice(2));
  const recovery = bytes[64]! - FIRST_V;
  if (recovery !== 0 && recovery !== 1) return { address: null, fault: 'wallet_signature_malformed' };
  try {
    const parsed = secp256k1.Signature.fromBytes(bytes.subarray(0, 64), 'compact').addRecoveryBit(recovery);
    if (parsed.hasHighS()) return { address: null, fault: 'wallet_signature_malformed' };
    const signer = parsed.recoverPublicKey(personalHash(walletText(claim)));
    return { address: addressOf(signer.toBytes(false)), fault: null };
  } catch {
    // r or s is out of range, or r belongs to no point.
    return { address: null, fault: 'wallet_signature_invalid' };
  }
}

/** `publicKey`: 65 bytes, uncompressed. */
export function addressOf(publicKey: Uint8Array): string {
  return `0x${bytesToHex(keccak_256(publicKey.subarray(1)).subarray(12))}`;
}

export function personalHash(text: string): Uint8Array {
  const encoder = new TextEncoder();
  const bytes = encoder.encode(text);
  return keccak_256(concatBytes(encoder.encode(`\x19Ethereum Signed Message:\n${bytes.length}`), bytes));
}
