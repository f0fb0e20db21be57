import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { constants, zstdCompressSync } from 'node:zlib';
import { CathedralError } from '../../../pipeline/errors.ts';
import type { LedgerEvent } from '../../../pipeline/ledger/events/event.ts';
import { formatEventLine } from '../../../pipeline/ledger/events/event-line.ts';
import { CompactRange, leafHash } from '../../../pipeline/ledger/log/merkle.ts';
import { formatCheckpoint } from '../../../pipeline/ledger/notes/checkpoint.ts';
import { signNote } from '../../../pipeline/ledger/notes/note.ts';
import { type SnapshotFile, snapshotFile } from '../../../pipeline/ledger/reading/directory.ts';
import { FIRST_SLOT, ORIGIN, signer, temporaryFolder } from '../test-ledger.ts';

/** A snapshot with exactly these bytes and the checkpoint that a broken writer would sign. */
export function signedSnapshot(content: string | Buffer): SnapshotFile {
  const folder = temporaryFolder();
  mkdirSync(join(folder, 'snapshots'));
  const file = snapshotFile(folder, FIRST_SLOT);
  writeFileSync(file.events, compress(content));
  writeFileSync(file.checkpoint, checkpointNote(treeOf(content)));
  return file;
}

/** Size and root hash of the lines, without validating them. */
export function treeOf(content: string | Buffer): { size: number; root: string } {
  const tree = new CompactRange();
  const lines = Buffer.from(content as string)
    .toString('latin1')
    .split('\n')
    .slice(0, -1);
  for (const line of lines) tree.append(leafHash(Buffer.from(line, 'latin1')));
  return { size: tree.size, root: tree.root() };
}

export function checkpointNote(
  checkpoint: { size: number; root: string; origin?: string },
  by = signer,
): string {
  return signNote(formatCheckpoint({ origin: ORIGIN, ...checkpoint }), by);
}

export function compress(content: string | Buffer): Buffer {
  return zstdCompressSync(content, { params: { [constants.ZSTD_c_checksumFlag]: 1 } });
}

export function linesOf(events: LedgerEvent[]): string {
  return events.map((event) => `${formatEventLine(event)}\n`).join('');
}

/** The error of the refused reading. Throws if the reading succeeds. */
export async function faultOf(reading: Promise<unknown>): Promise<CathedralError> {
  const error = await reading.then(
    () => new Error('it was accepted'),
    (cause: unknown) => cause,
  );
  if (error instanceof CathedralError) return error;
  throw error;
}
