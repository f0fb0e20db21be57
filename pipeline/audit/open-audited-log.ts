import { CathedralError } from '../errors.ts';
import { type Checkpoint, parseCheckpoint } from '../ledger/checkpoint.ts';
import { nodeHash } from '../ledger/merkle.ts';
import { openNote, type Verifier } from '../ledger/note.ts';
import { type ReadTile, TileReader } from '../log/tile-reader.ts';
import type { LogSource } from './log-source.ts';

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
  const { checkpoint, verifier } = openCheckpoint(note, verifiers, `${source.name}/checkpoint`);
  return { checkpoint, note, verifier, reader: await TileReader.open(checkpoint, readTile, nodeHash) };
}

/** The checkpoint of a signed note, of the origin that its key is named for. */
export function openCheckpoint(
  note: string,
  verifiers: readonly Verifier[],
  place: string,
): Pick<AuditedLog, 'checkpoint' | 'verifier'> {
  const { text, verifier } = openNote(note, verifiers, place);
  const checkpoint = parseCheckpoint(text, place);
  if (checkpoint.origin === verifier.name) return { checkpoint, verifier };
  throw new CathedralError('ledger_signature', {
    place,
    expected: `origin ${verifier.name}, the name of the key`,
    found: checkpoint.origin,
  });
}
