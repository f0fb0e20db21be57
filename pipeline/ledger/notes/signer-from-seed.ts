import { createPrivateKey, createPublicKey, sign } from 'node:crypto';
import { invalidKey, type Signer, verifierOf } from './note.ts';

/** DER header that node:crypto wants before an Ed25519 seed, RFC 8410 §7 (PKCS #8). */
const PKCS8_HEADER = Buffer.from('302e020100300506032b657004220420', 'hex');
const SEED_BYTES = 32;
const PUBLIC_KEY_BYTES = 32;

/** `seed` is the 32-byte private key of RFC 8032. Throws `config_invalid`. */
export function signerFromSeed(name: string, seed: Uint8Array): Signer {
  if (seed.length !== SEED_BYTES) throw invalidKey('a seed of 32 bytes', `${seed.length} bytes`);
  const key = createPrivateKey({ key: Buffer.concat([PKCS8_HEADER, seed]), format: 'der', type: 'pkcs8' });
  const publicKey = createPublicKey(key).export({ format: 'der', type: 'spki' }).subarray(-PUBLIC_KEY_BYTES);
  return { verifier: verifierOf(name, publicKey), sign: (message) => sign(null, message, key) };
}
