import { createPrivateKey, createPublicKey, sign } from 'node:crypto';
import { type Cosigner, cosignedMessage, cosignerOf, timestamped } from './cosignature.ts';
import { formatSignature, invalidKey } from './note.ts';

/** DER header that node:crypto wants before a private key of 32 bytes, as PKCS #8: RFC 8410 §7. */
const PKCS8_HEADER = Buffer.from('302e020100300506032b657004220420', 'hex');
const SEED_BYTES = 32;
const PUBLIC_KEY_BYTES = 32;

/** A private key that cosigns. */
export interface CosigningKey {
  cosigner: Cosigner;
  sign(message: Uint8Array): Uint8Array;
}

/** `seed`: 32 bytes, the private key of RFC 8032. Throws `config_invalid`. */
export function cosigningKeyOf(name: string, seed: Uint8Array): CosigningKey {
  if (seed.length !== SEED_BYTES) throw invalidKey('a seed of 32 bytes', `${seed.length} bytes`);
  const key = createPrivateKey({ key: Buffer.concat([PKCS8_HEADER, seed]), format: 'der', type: 'pkcs8' });
  const spki = createPublicKey(key).export({ format: 'der', type: 'spki' });
  return {
    cosigner: cosignerOf(name, new Uint8Array(spki.subarray(-PUBLIC_KEY_BYTES))),
    sign: (message) => sign(null, message, key),
  };
}

/** A signature line for the note of a checkpoint. `timestamp`: seconds since 1970. Throws a RangeError if `text` cannot be cosigned. */
export function cosign({ cosigner, sign }: CosigningKey, text: string, timestamp: number): string {
  const message = cosignedMessage(timestamp, text);
  if (!message) throw new RangeError(`${cosigner.name} cannot cosign ${JSON.stringify(text.slice(0, 200))}`);
  return formatSignature({ ...cosigner, signature: timestamped(timestamp, sign(message)) });
}
