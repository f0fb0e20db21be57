import { createPrivateKey, createPublicKey, sign } from 'node:crypto';
import {
  COSIGNATURES,
  type CosignatureType,
  type Cosigner,
  cosignedMessage,
  cosignerOf,
  timestamped,
} from './cosignature.ts';
import { formatSignature, invalidKey } from './note.ts';

/** DER headers that node:crypto wants before a seed of 32 bytes, as PKCS #8: RFC 8410 §7 and RFC 9881 §6. */
const PKCS8_HEADERS: Readonly<Record<CosignatureType, Buffer>> = {
  4: Buffer.from('302e020100300506032b657004220420', 'hex'),
  6: Buffer.from('3034020100300b06096086480165030403110422' + '8020', 'hex'),
};
const SEED_BYTES = 32;

/** A private key that cosigns. */
export interface CosigningKey {
  cosigner: Cosigner;
  sign(message: Uint8Array): Uint8Array;
}

/** `seed`: 32 bytes, the private key of RFC 8032 or the seed ξ of FIPS 204. Throws `config_invalid`. */
export function cosigningKeyOf(name: string, type: CosignatureType, seed: Uint8Array): CosigningKey {
  if (seed.length !== SEED_BYTES) throw invalidKey('a seed of 32 bytes', `${seed.length} bytes`);
  const key = createPrivateKey({
    key: Buffer.concat([PKCS8_HEADERS[type], seed]),
    format: 'der',
    type: 'pkcs8',
  });
  const { publicKey } = COSIGNATURES[type];
  const spki = createPublicKey(key).export({ format: 'der', type: 'spki' });
  return {
    cosigner: cosignerOf(name, type, new Uint8Array(spki.subarray(-publicKey))),
    sign: (message) => sign(null, message, key),
  };
}

/** A signature line for the note of a checkpoint. `timestamp`: seconds since 1970. Throws a RangeError if `text` cannot be cosigned. */
export function cosign({ cosigner, sign }: CosigningKey, text: string, timestamp: number): string {
  const message = cosignedMessage(cosigner, timestamp, text);
  if (!message) throw new RangeError(`${cosigner.name} cannot cosign ${JSON.stringify(text.slice(0, 200))}`);
  return formatSignature({ ...cosigner, signature: timestamped(timestamp, sign(message)) });
}
