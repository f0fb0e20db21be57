import { createHash, hash } from 'node:crypto';
import type { Hash, Sha256 } from './hash.ts';

// Node's own functions are several times faster than portable ones. Browsers have those of page-hashing.ts under the same name, #hashing.

/** SHA-256 of a stream. */
export function sha256(): Sha256 {
  const stream = createHash('sha256');
  return { update: (chunk) => void stream.update(chunk), digest: () => stream.digest('hex') };
}

const interior = Buffer.alloc(65);
interior[0] = 0x01;

/** RFC 6962 leaf hash of a ledger line without its line end: SHA-256(0x00 ‖ line). */
export function leafHash(line: Uint8Array): Hash {
  const prefixed = Buffer.allocUnsafe(line.length + 1);
  prefixed[0] = 0x00;
  prefixed.set(line, 1);
  return hash('sha256', prefixed, 'hex');
}

/** RFC 6962 interior hash: SHA-256(0x01 ‖ left ‖ right). */
export function nodeHash(left: Hash, right: Hash): Hash {
  interior.write(left, 1, 32, 'hex');
  interior.write(right, 33, 32, 'hex');
  return hash('sha256', interior, 'hex');
}
