import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js';
import { errorOf } from '../../errors.ts';
import { decodeBase64, encodeBase64 } from '../notes/base64.ts';
import { MAX_NOTE_BYTES } from '../notes/note.ts';
import { HASH_BYTES, type Hash } from './hash.ts';

const invalid = errorOf('log_invalid');

/** A self-contained proof that an entry is in a log (c2sp.org/tlog-proof). */
export interface TlogProof {
  /** Index of the entry, from 0. */
  index: number;
  /** Inclusion proof, from the leaf's sibling up. */
  path: readonly Hash[];
  /** The signed checkpoint as received. The user of the proof verifies it. */
  checkpoint: string;
  /** Extra data, which nothing vouches for. */
  extra: Uint8Array | null;
}

export const FIRST_LINE = 'c2sp.org/tlog-proof@v1';
/** In characters: a checkpoint, a path of a few dozen hashes, and as much extra data. */
export const LONGEST_PROOF = 2 * MAX_NOTE_BYTES;
/** Path length for 2⁵³ entries, the largest supported size. */
const MAX_PATH = 53;
const INDEX = /^index (0|[1-9]\d{0,15})$/;

export function formatTlogProof({ index, path, checkpoint, extra }: TlogProof): string {
  const lines = [FIRST_LINE, ...(extra === null ? [] : [`extra ${encodeBase64(extra)}`]), `index ${index}`];
  const hashes = path.map((hash) => encodeBase64(hexToBytes(hash)));
  return `${[...lines, ...hashes].join('\n')}\n\n${checkpoint}`;
}

/** Strict: each proof has one spelling. Throws log_invalid with the line; `place` names the text. */
export function parseTlogProof(text: string, place: string): TlogProof {
  const fault = (line: number, expected: string, found: unknown) =>
    invalid(`${place}:${line}`, expected, JSON.stringify(found)?.slice(0, 200) ?? 'nothing');
  if (text.length > LONGEST_PROOF) throw fault(1, `at most ${LONGEST_PROOF} characters`, text.length);
  const end = text.indexOf('\n\n');
  if (end < 0) throw fault(1, 'a proof, an empty line and a checkpoint', text.slice(0, 80));
  const lines = text.slice(0, end).split('\n');
  if (lines[0] !== FIRST_LINE) throw fault(1, FIRST_LINE, lines[0]);
  const hasExtra = lines[1]?.startsWith('extra ') ?? false;
  const extra = hasExtra ? decodeBase64(lines[1]!.slice('extra '.length)) : null;
  if (hasExtra && extra === null) throw fault(2, 'extra and base64', lines[1]);
  const indexAt = hasExtra ? 2 : 1;
  const index = Number(INDEX.exec(lines[indexAt] ?? '')?.[1] ?? Number.NaN);
  if (!Number.isSafeInteger(index)) throw fault(indexAt + 1, 'index and a decimal number', lines[indexAt]);
  const hashes = lines.slice(indexAt + 1);
  if (hashes.length > MAX_PATH) throw fault(indexAt + 2, `at most ${MAX_PATH} hashes`, hashes.length);
  const path = hashes.map((line, at) => {
    const bytes = decodeBase64(line);
    if (bytes?.length !== HASH_BYTES) throw fault(indexAt + 2 + at, '32 bytes in base64', line);
    return bytesToHex(bytes);
  });
  return { index, path, checkpoint: text.slice(end + 2), extra };
}
