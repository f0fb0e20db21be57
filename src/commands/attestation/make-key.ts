import { mkdir, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { SCHEMES, SECRET_KEY_BYTES } from '../../../pipeline/attestation/algorithms.ts';
import type { Algorithm } from '../../../pipeline/attestation/document.ts';
import { publicKeyHex } from '../../../pipeline/attestation/sign-attestation.ts';
import { CathedralError } from '../../../pipeline/errors.ts';
import { sealKey } from './key-file.ts';

export interface NewKey {
  path: string;
  companion: string;
  algorithm: Algorithm;
  passphrase: string;
  /** Ms since 1970: from when on the key may attest. */
  now: number;
}

/** What is added to the file of companions. */
export interface CompanionEntry {
  companion: string;
  keys: { algorithm: Algorithm; public_key: string; valid_from: string }[];
}

/**
 * Writes a new key to a file that its owner alone can read, and returns its public half. Throws attestation_refused: a file
 * that is there is never written over, it may be the only copy of a key.
 */
export async function makeKey(
  asked: NewKey,
  randomBytes: (size: number) => Uint8Array,
): Promise<CompanionEntry> {
  const { path, companion, algorithm, passphrase, now } = asked;
  const secretKey = randomSecret(algorithm, randomBytes);
  const text = sealKey({ companion, algorithm, secretKey }, passphrase);
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text, { flag: 'wx', mode: 0o600 }).catch((cause: NodeJS.ErrnoException) => {
    const expected = 'a place for a new file';
    throw new CathedralError('attestation_refused', {
      place: path,
      expected,
      found: cause.code ?? cause.message,
      cause,
    });
  });
  const valid_from = `${new Date(now).toISOString().slice(0, 19)}Z`;
  return { companion, keys: [{ algorithm, public_key: publicKeyHex(algorithm, secretKey), valid_from }] };
}

/** One number in 2^128 is none of secp256k1's keys. */
function randomSecret(algorithm: Algorithm, randomBytes: (size: number) => Uint8Array): Uint8Array {
  for (;;) {
    const bytes = randomBytes(SECRET_KEY_BYTES);
    if (SCHEMES[algorithm].isSecretKey(bytes)) return bytes;
  }
}
