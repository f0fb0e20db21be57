import { CathedralError } from '../errors.ts';

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
/** 32 bytes in base64: the last digit before the padding carries 4 bits only, the others would be ignored. */
const ROOT = /^[A-Za-z0-9+/]{42}[AEIMQUYcgkosw048]=$/;

/** The note text of c2sp.org/tlog-checkpoint: origin, size and base64 root, a line each. */
export function formatCheckpoint({ origin, size, root }: Checkpoint): string {
  return `${origin}\n${size}\n${Buffer.from(root, 'hex').toString('base64')}\n`;
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
  if (!ROOT.test(root!)) throw corrupt(`${place}:3`, '32 bytes in base64', JSON.stringify(root));
  return { origin: origin!, size: Number(size), root: Buffer.from(root!, 'base64').toString('hex') };
}

function corrupt(place: string, expected: string, found: string): CathedralError {
  return new CathedralError('ledger_corrupt', { place, expected, found });
}
