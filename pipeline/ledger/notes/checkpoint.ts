import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js';
import { errorOf } from '../../errors.ts';
import { HASH_BYTES } from '../log/hash.ts';
import { decodeBase64, encodeBase64 } from './base64.ts';

const corrupt = errorOf('ledger_corrupt');

/** The head of the ledger's Merkle tree. */
export interface Checkpoint {
  /** Names the ledger; also the name of the key that signs it. */
  origin: string;
  /** Number of events. */
  size: number;
  /** RFC 6962 root hash, 64 lower-case hex digits. */
  root: string;
}

const SIZE = /^(?:0|[1-9]\d{0,15})$/;

/** The note text of c2sp.org/tlog-checkpoint: origin, size and base64 root, a line each. */
export function formatCheckpoint({ origin, size, root }: Checkpoint): string {
  return `${origin}\n${size}\n${encodeBase64(hexToBytes(root))}\n`;
}

/**
 * The checkpoint in a verified note's text; `place` names the file in errors. Extension lines are allowed by the
 * specification and mean nothing here. Throws `ledger_corrupt`.
 */
export function parseCheckpoint(text: string, place: string): Checkpoint {
  const lines = text.split('\n');
  const [origin, size, root] = lines;
  if (lines.pop() !== '' || lines.length < 3 || lines.includes('')) {
    throw corrupt(place, 'lines with origin, size and root', JSON.stringify(text.slice(0, 200)));
  }
  if (!SIZE.test(size!) || !Number.isSafeInteger(Number(size))) {
    throw corrupt(`${place}:2`, 'a tree size in decimal', JSON.stringify(size));
  }
  const hash = decodeBase64(root!);
  if (hash?.length !== HASH_BYTES) throw corrupt(`${place}:3`, '32 bytes in base64', JSON.stringify(root));
  return { origin: origin!, size: Number(size), root: bytesToHex(hash) };
}
