import { type Cosigner, cosignedMessage, cosignerOf, timestamped } from './cosignature.ts';
import { formatSignature } from './note.ts';
import { ed25519FromSeed } from './signer-from-seed.ts';

/** A private key that cosigns. */
export interface CosigningKey {
  cosigner: Cosigner;
  sign(message: Uint8Array): Uint8Array;
}

/** `seed`: 32 bytes, the private key of RFC 8032. Throws `config_invalid`. */
export function cosigningKeyOf(name: string, seed: Uint8Array): CosigningKey {
  const { publicKey, sign } = ed25519FromSeed(seed);
  return { cosigner: cosignerOf(name, publicKey), sign };
}

/** A signature line for the note of a checkpoint. `timestamp`: seconds since 1970. Throws a RangeError if `text` cannot be cosigned. */
export function cosign({ cosigner, sign }: CosigningKey, text: string, timestamp: number): string {
  const message = cosignedMessage(timestamp, text);
  if (!message) throw new RangeError(`${cosigner.name} cannot cosign ${JSON.stringify(text.slice(0, 200))}`);
  return formatSignature({ ...cosigner, signature: timestamped(timestamp, sign(message)) });
}
