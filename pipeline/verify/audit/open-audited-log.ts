import type { Checkpoint } from '../../ledger/checkpoint.ts';
import { type ReadTile, TileReader } from '../../ledger/log/tile-reader.ts';
import { nodeHash } from '../../ledger/merkle.ts';
import type { Verifier } from '../../ledger/note.ts';
import type { LogSource } from './log-source.ts';
import { openCheckpoint } from './open-checkpoint.ts';

/** A log whose checkpoint a known key signed. */
export interface AuditedLog {
  checkpoint: Checkpoint;
  /** The checkpoint as it was given. */
  note: string;
  verifier: Verifier;
  reader: TileReader;
}

/** Throws ledger_signature or ledger_corrupt for the checkpoint, log_invalid for tiles that are not of it. */
export async function openAuditedLog(
  source: LogSource,
  verifiers: readonly Verifier[],
  readTile: ReadTile = source.tile,
): Promise<AuditedLog> {
  const note = Buffer.from(await source.checkpoint()).toString();
  const { checkpoint, verifier } = await openCheckpoint(note, verifiers, `${source.name}/checkpoint`);
  return { checkpoint, note, verifier, reader: await TileReader.open(checkpoint, readTile, nodeHash) };
}
