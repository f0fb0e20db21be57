import type { LedgerEvent } from '../events/event.ts';

/** One verified event of the ledger with its place in the Merkle tree. */
export interface Leaf {
  event: LedgerEvent;
  /** RFC 6962 leaf hash, SHA-256(0x00 ‖ line), 64 lower-case hex digits; with `0x` before it, the attestation_hash. */
  hash: string;
}

/** As it was read from the ledger. The line is a part of a larger buffer: whoever keeps it keeps some hundred kB. */
export interface ReadLeaf extends Leaf {
  /** Without its line end. */
  line: Buffer;
}

/** Where reading stopped: enough to verify what comes next without reading what came before. JSON, a few kB. */
export interface LedgerPosition {
  /** Id of the last snapshot read, `2025-12-01T06Z`; null before the first. */
  snapshot: string | null;
  /** Number of events read, which is the next event's seq. */
  size: number;
  /** Compact range of the Merkle tree over [0, size): hashes of its perfect subtrees, largest first, hex. */
  range: string[];
  /** Timestamp of the last event; null before the first. */
  timestamp: string | null;
}

export const LEDGER_START: LedgerPosition = { snapshot: null, size: 0, range: [], timestamp: null };
