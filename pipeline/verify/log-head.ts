import { bytesToHex } from '@noble/hashes/utils.js';
import { CathedralError } from '../errors.ts';
import { decodeBase64 } from '../ledger/base64.ts';
import { parseCheckpoint } from '../ledger/checkpoint.ts';
import type { TreeHead } from '../ledger/log/hash.ts';
import { consistencyProof, verifyConsistency } from '../ledger/log/proofs.ts';
import type { TileReader } from '../ledger/log/tile-reader.ts';
import { noteText, type Verifier } from '../ledger/note.ts';
import { verifyNote } from '../ledger/verify-note.ts';
import type { PublicManifest } from '../release/format/public-manifest.ts';
import { mismatch } from './mismatch.ts';
import { forked } from './rules.ts';

export function headOf({ size, root_hash }: { size: number; root_hash: string }): TreeHead {
  return { size, root: bytesToHex(decodeBase64(root_hash)!) };
}

/**
 * The log's head as the ledger's own note in the manifest has it, with the ledger's signature where its keys are given.
 * Throws mirror_mismatch where the manifest says otherwise, ledger_signature and ledger_corrupt.
 */
export async function openCheckpoint(
  { log }: PublicManifest,
  keys: readonly Verifier[] | null,
  place: string,
): Promise<TreeHead> {
  const text = keys ? (await verifyNote(log.checkpoint, keys, place)).text : noteText(log.checkpoint, place);
  const { origin, size, root } = parseCheckpoint(text, place);
  const head = headOf(log);
  if (origin !== log.origin || size !== head.size || root !== head.root)
    throw mismatch(
      place,
      `${log.origin}, ${head.size} events, root ${head.root}`,
      `${origin}, ${size}, ${root}`,
    );
  return head;
}

/** The log that the reader reads has begun as this one. Throws mirror_rollback or mirror_forked. */
export async function assertBeginsWith(reader: TileReader, before: TreeHead, place: string): Promise<void> {
  const { head } = reader;
  if (before.size > head.size) {
    const fault = { place, expected: `a log of ${before.size} events or more`, found: `${head.size}` };
    throw new CathedralError('mirror_rollback', fault);
  }
  const proof = await consistencyProof(reader, before.size);
  if (await verifyConsistency(before, head, proof, reader.nodeHash)) return;
  throw forked(
    place,
    `a log whose first ${before.size} events have the root ${before.root}`,
    `${head.size} events with the root ${head.root}, which begin otherwise`,
  );
}
