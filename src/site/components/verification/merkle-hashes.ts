import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, concatBytes, hexToBytes, utf8ToBytes } from '@noble/hashes/utils.js';
import type { Hash } from '../../../../pipeline/ledger/log/hash.ts';

/** RFC 6962 §2.1 in the browser, without a promise for each: a search through a log computes hundreds of thousands. */
const [LEAF, NODE] = [Uint8Array.of(0x00), Uint8Array.of(0x01)];

/** Of a ledger's line without its line end. */
export function leafHash(line: string): Hash {
  return bytesToHex(sha256(concatBytes(LEAF, utf8ToBytes(line))));
}

export function nodeHash(left: Hash, right: Hash): Hash {
  return bytesToHex(sha256(concatBytes(NODE, hexToBytes(left), hexToBytes(right))));
}
