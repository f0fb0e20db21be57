import { ed25519 } from '@noble/curves/ed25519.js';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { orNull } from '../errors.ts';
import type { Algorithm } from './document.ts';
import type { ProblemCode } from './problem.ts';

export const SIGNATURE_BYTES = 64;
export const SECRET_KEY_BYTES = 32;

interface SignatureScheme {
  /** Whether the bytes are the canonical encoding of a point that is a valid key. */
  isPublicKey(publicKey: Uint8Array): boolean;
  publicKey(secretKey: Uint8Array): Uint8Array;
  isSecretKey(secretKey: Uint8Array): boolean;
  sign(message: Uint8Array, secretKey: Uint8Array): Uint8Array;
  /** Null if the signature is valid. `signature` has 64 bytes. Never throws. */
  fault(signature: Uint8Array, message: Uint8Array, publicKey: Uint8Array): ProblemCode | null;
}

/**
 * RFC 8032 with the strictest rules in use, so every other verifier accepts what is accepted here, whichever of the two equations it
 * computes (“Taming the many EdDSAs”, Chalkias et al. 2020). The points of key and signature must be canonically encoded and in the
 * prime-order subgroup, as those of honest signers are, and S must be below the order.
 */
const ED25519: SignatureScheme = {
  isPublicKey: isPrimeOrderPoint,
  publicKey: (secretKey) => ed25519.getPublicKey(secretKey),
  isSecretKey: (secretKey) => secretKey.length === SECRET_KEY_BYTES,
  sign: (message, secretKey) => ed25519.sign(message, secretKey),
  fault(signature, message, publicKey) {
    const isGood =
      isPrimeOrderPoint(publicKey) &&
      isPrimeOrderPoint(signature.subarray(0, 32)) &&
      holds(() => ed25519.verify(signature, message, publicKey, { zip215: false }));
    return isGood ? null : 'signature_invalid';
  },
};

/** ECDSA over SHA-256 of the message, r ‖ s, s in the lower half (SEC 1 §4.1; low s as in BIP 146). */
const ECDSA_SECP256K1: SignatureScheme = {
  isPublicKey: (publicKey) =>
    publicKey.length === 33 &&
    holds(() => secp256k1.Point.fromBytes(publicKey).assertValidity() === undefined),
  publicKey: (secretKey) => secp256k1.getPublicKey(secretKey, true),
  isSecretKey: (secretKey) => secp256k1.utils.isValidSecretKey(secretKey),
  sign: (message, secretKey) => secp256k1.sign(message, secretKey, { format: 'compact', lowS: true }),
  fault(signature, message, publicKey) {
    if (holds(() => secp256k1.Signature.fromBytes(signature, 'compact').hasHighS()))
      return 'signature_high_s';
    const isGood =
      ECDSA_SECP256K1.isPublicKey(publicKey) &&
      holds(() => secp256k1.verify(signature, message, publicKey, { format: 'compact', lowS: true }));
    return isGood ? null : 'signature_invalid';
  },
};

export const SCHEMES: Readonly<Record<Algorithm, SignatureScheme>> = {
  ed25519: ED25519,
  'ecdsa-secp256k1': ECDSA_SECP256K1,
};

function isPrimeOrderPoint(bytes: Uint8Array): boolean {
  return holds(() => {
    const point = ed25519.Point.fromBytes(bytes, false);
    return !point.is0() && point.isTorsionFree();
  });
}

/** The libraries throw for bytes that encode no point or scalar. */
function holds(condition: () => boolean): boolean {
  return orNull(condition) ?? false;
}
