import { createPrivateKey, createPublicKey, sign } from 'node:crypto';
import { ED25519, invalidKey, type KeyType, type PublicKey, publicKeyOf, type Signer } from './note.ts';

/** DER header that node:crypto wants before an Ed25519 seed, RFC 8410 §7 (PKCS #8). */
const PKCS8_HEADER = Buffer.from('302e020100300506032b657004220420', 'hex');
const SEED_BYTES = 32;
const PUBLIC_KEY_BYTES = 32;

/** A key that signs, from the 32-byte private key of RFC 8032. Throws `config_invalid` for a seed of another length, and for an invalid name. */
export function signerFromSeed<Type extends KeyType = typeof ED25519>(
  name: string,
  seed: Uint8Array,
  type = ED25519 as Type,
): Signer<PublicKey<Type>> {
  if (seed.length !== SEED_BYTES) throw invalidKey('a seed of 32 bytes', `${seed.length} bytes`);
  const key = createPrivateKey({ key: Buffer.concat([PKCS8_HEADER, seed]), format: 'der', type: 'pkcs8' });
  const spki = createPublicKey(key).export({ format: 'der', type: 'spki' });
  const publicKey = new Uint8Array(spki.subarray(-PUBLIC_KEY_BYTES));
  return { verifier: publicKeyOf(type, name, publicKey), sign: (message) => sign(null, message, key) };
}
