import { createPrivateKey, createPublicKey, sign } from 'node:crypto';
import { invalidKey, type Signer, verifierOf } from './note.ts';

/** DER header that node:crypto wants before an Ed25519 seed, RFC 8410 §7 (PKCS #8). */
const PKCS8_HEADER = Buffer.from('302e020100300506032b657004220420', 'hex');
const SEED_BYTES = 32;
const PUBLIC_KEY_BYTES = 32;

/** An Ed25519 key pair from the 32-byte private key of RFC 8032. Throws `config_invalid`. */
export function ed25519FromSeed(seed: Uint8Array): {
  publicKey: Uint8Array;
  sign(message: Uint8Array): Uint8Array;
} {
  if (seed.length !== SEED_BYTES) throw invalidKey('a seed of 32 bytes', `${seed.length} bytes`);
  const key = createPrivateKey({ key: Buffer.concat([PKCS8_HEADER, seed]), format: 'der', type: 'pkcs8' });
  const spki = createPublicKey(key).export({ format: 'der', type: 'spki' });
  return {
    publicKey: new Uint8Array(spki.subarray(-PUBLIC_KEY_BYTES)),
    sign: (message) => sign(null, message, key),
  };
}

/** Throws `config_invalid` for a seed that is not 32 bytes, and for an invalid name. */
export function signerFromSeed(name: string, seed: Uint8Array): Signer {
  const { publicKey, sign } = ed25519FromSeed(seed);
  return { verifier: verifierOf(name, publicKey), sign };
}
