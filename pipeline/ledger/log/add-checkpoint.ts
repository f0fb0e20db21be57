/** What a log sends to a witness, and what it gets back: c2sp.org/tlog-witness, `add-checkpoint`. */
import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js';
import { CathedralError } from '../../errors.ts';
import { decodeBase64, encodeBase64 } from '../notes/base64.ts';
import { MAX_NOTE_BYTES } from '../notes/note.ts';
import { HASH_BYTES, type Hash } from './hash.ts';

export interface AddCheckpoint {
  /** Size of the tree from which `proof` leads to that of the note. */
  old: number;
  proof: readonly Hash[];
  /** A signed checkpoint. */
  note: string;
}

export const ADD_CHECKPOINT = 'add-checkpoint';
/** The type of a 409 answer, which has the size of the last tree that the witness cosigned. */
export const SIZE_TYPE = 'text/x.tlog.size';
/** As many as a tree of 2⁶³ leaves has levels. */
const MOST_HASHES = 63;
const LINE_BYTES = 45;
const LONGEST_OLD_LINE = 'old 9223372036854775807\n'.length;
/** Bytes of a request. */
export const LONGEST_REQUEST = LONGEST_OLD_LINE + MOST_HASHES * LINE_BYTES + 1 + MAX_NOTE_BYTES;

const OLD = /^old (0|[1-9]\d{0,15})$/;
const SIZE = /^(0|[1-9]\d{0,15})\n$/;

export function formatAddCheckpoint({ old, proof, note }: AddCheckpoint): string {
  const hashes = proof.map((hash) => `${encodeBase64(hexToBytes(hash))}\n`);
  return `old ${old}\n${hashes.join('')}\n${note}`;
}

/** Verifies only the form; the note is not read. Throws `proof_refused`. */
export function parseAddCheckpoint(body: string, place: string): AddCheckpoint {
  const blank = body.indexOf('\n\n');
  const [first = '', ...lines] = body.slice(0, Math.max(blank, 0)).split('\n');
  const old = Number(OLD.exec(first)?.[1] ?? Number.NaN);
  if (blank < 0 || !Number.isSafeInteger(old))
    throw invalid(`${place}, line 1`, '“old”, a tree size, hashes, an empty line and a checkpoint', first);
  if (lines.length > MOST_HASHES)
    throw invalid(`${place}, the proof`, `at most ${MOST_HASHES} hashes`, `${lines.length}`);
  const proof = lines.map((line, index) => {
    const bytes = decodeBase64(line);
    if (bytes?.length === HASH_BYTES) return bytesToHex(bytes);
    throw invalid(`${place}, line ${index + 2}`, `${HASH_BYTES} bytes in base64`, line);
  });
  return { old, proof, note: body.slice(blank + 2) };
}

export function formatSize(size: number): string {
  return `${size}\n`;
}

/** Null for anything but a tree size. */
export function parseSize(body: string): number | null {
  const size = Number(SIZE.exec(body)?.[1] ?? Number.NaN);
  return Number.isSafeInteger(size) ? size : null;
}

function invalid(place: string, expected: string, found: string): CathedralError {
  return new CathedralError('proof_refused', { place, expected, found: JSON.stringify(found.slice(0, 200)) });
}
