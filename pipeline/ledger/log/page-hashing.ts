import { sha256 as portable } from '@noble/hashes/sha2.js';
import { bytesToHex, concatBytes, hexToBytes } from '@noble/hashes/utils.js';
import type { Hash, Sha256 } from './hash.ts';

// What hashing.ts has, for any browser. WebCrypto cannot hash a stream, and is missing on pages that came over plain HTTP. Its hashes are
// asynchronous, and searching a log computes hundreds of thousands of them.

const [LEAF, NODE] = [Uint8Array.of(0x00), Uint8Array.of(0x01)];

export function sha256(): Sha256 {
  const stream = portable.create();
  return { update: (chunk) => void stream.update(chunk), digest: () => bytesToHex(stream.digest()) };
}

export function leafHash(line: Uint8Array): Hash {
  return bytesToHex(portable(concatBytes(LEAF, line)));
}

export function nodeHash(left: Hash, right: Hash): Hash {
  return bytesToHex(portable(concatBytes(NODE, hexToBytes(left), hexToBytes(right))));
}
