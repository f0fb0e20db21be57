import type { Hash } from '../../../../pipeline/ledger/log/hash.ts';
import { parseCsvRow, parseJsonRow, parseObject } from '../../../../pipeline/verify/audit/export-row.ts';
import { leafHash } from './merkle-hashes.ts';

/** What the reader has of an event: its hash, with whatever else tells where in the log it is. */
export interface GivenEvent {
  kind: 'hash' | 'row' | 'line';
  hash: Hash;
  /** Its number, which a line of the ledger says. */
  seq: number | null;
  /** Its time, which a row says; nothing vouches for it. */
  timestamp: string | null;
}

/** The longest line of a ledger twice, as a row of a CSV may double its quotes, and some more. */
export const MOST_CHARACTERS = 140_000;

const HASH = /^(?:0x)?([0-9a-f]{64})$/i;
const TIMESTAMP = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/;

/** What was pasted: a hash, a row of the export as CSV or JSON, or a line of the ledger. Null: none of these. */
export function readEvent(pasted: string): GivenEvent | null {
  if (pasted.length > MOST_CHARACTERS) return null;
  const text = pasted.trim();
  const hash = HASH.exec(text)?.[1];
  if (hash) return { kind: 'hash', hash: hash.toLowerCase(), seq: null, timestamp: null };
  // One row of a JSON file has a comma after it.
  const row = parseJsonRow(text.replace(/,$/, '')) ?? (text.includes('\n') ? null : parseCsvRow(text));
  const rowHash = HASH.exec(row?.attestation_hash ?? '')?.[1];
  if (row && rowHash) {
    const timestamp = TIMESTAMP.test(row.timestamp) ? row.timestamp : null;
    return { kind: 'row', hash: rowHash, seq: null, timestamp };
  }
  return readLine(text);
}

function readLine(text: string): GivenEvent | null {
  const { seq, salt } = parseObject(text) ?? {};
  if (typeof salt !== 'string' || !Number.isSafeInteger(seq)) return null;
  return { kind: 'line', hash: leafHash(text), seq: seq as number, timestamp: null };
}
