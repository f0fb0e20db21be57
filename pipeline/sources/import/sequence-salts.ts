import { createCipheriv, createHmac } from 'node:crypto';

const SALT_BYTES = 16;
/** Salts that are computed at a time. */
const BATCH = 512;

/**
 * Salts that follow from a secret and the numbers of events, so that importing the same rows again gives the same bytes: the number as
 * 16 bytes, encrypted with AES-256, in base64url. No two numbers have the same salt, and one tells nothing about another. A
 * thousand of them cost as much as one hash.
 */
export function sequenceSalts(secret: Uint8Array): (seq: number) => string {
  const key = createHmac('sha256', secret).update('salts by sequence number').digest();
  const numbers = Buffer.alloc(BATCH * SALT_BYTES);
  let salts = numbers;
  let first = -1;
  return (seq) => {
    if (first < 0 || seq < first || seq >= first + BATCH) {
      first = seq;
      for (let n = 0; n < BATCH; n += 1)
        numbers.writeBigUInt64BE(BigInt(seq + n), n * SALT_BYTES + SALT_BYTES / 2);
      salts = createCipheriv('aes-256-ecb', key, null).update(numbers);
    }
    const at = (seq - first) * SALT_BYTES;
    return salts.toString('base64url', at, at + SALT_BYTES);
  };
}
