import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js';

/** A SHA-256 hash of the tree, 64 lower-case hex digits. */
export type Hash = string;

/** SHA-256 of a stream. */
export interface Sha256 {
  update(chunk: Uint8Array): void;
  /** Hex. */
  digest(): Hash;
}

/** The head of a tree: number of leaves and RFC 6962 root. */
export interface TreeHead {
  size: number;
  root: Hash;
}

export const HASH_BYTES = 32;
/** RFC 6962 §2.1: SHA-256 of nothing. */
export const EMPTY_ROOT: Hash = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';

/** The hashes in a tile's bytes. */
export function hashesIn(bytes: Uint8Array): Hash[] {
  const hex = bytesToHex(bytes);
  const digits = 2 * HASH_BYTES;
  return Array.from({ length: hex.length / digits }, (_, index) =>
    hex.slice(index * digits, (index + 1) * digits),
  );
}

export function bytesOf(hashes: readonly Hash[]): Uint8Array {
  return hexToBytes(hashes.join(''));
}
