import { readFileSync } from 'node:fs';
import { CathedralError, errorOf } from '../../errors.ts';
import type { LedgerPosition } from '../log/leaf.ts';
import { CompactRange } from '../log/merkle.ts';
import { type Checkpoint, parseCheckpoint } from '../notes/checkpoint.ts';
import type { Verifier } from '../notes/note.ts';
import { openNote } from '../notes/open-note.ts';
import type { LedgerDirectory, SnapshotFile } from './directory.ts';

const unsigned = errorOf('ledger_signature');

/** The note of a snapshot's checkpoint, of which nothing is verified, and its name. Throws `ledger_unreadable`. */
export function readNoteOf({ id, checkpoint }: SnapshotFile): { bytes: Buffer; place: string } {
  const place = `snapshots/${id}.checkpoint`;
  try {
    return { bytes: readFileSync(checkpoint), place };
  } catch (cause) {
    const found = (cause as NodeJS.ErrnoException).code ?? String(cause);
    throw new CathedralError('ledger_unreadable', { place, expected: 'a readable file', found, cause });
  }
}

/** The verified checkpoint of a snapshot, its signed note, and the key that signed it. Throws `ledger_unreadable`, `ledger_corrupt`, `ledger_signature`. */
export function readCheckpoint(
  file: SnapshotFile,
  verifiers: readonly Verifier[],
): { checkpoint: Checkpoint; note: string; verifier: Verifier } {
  const { bytes, place } = readNoteOf(file);
  const { text, verifier } = openNote(bytes, verifiers, place);
  const checkpoint = parseCheckpoint(text, place);
  if (checkpoint.origin !== verifier.name) {
    throw unsigned(place, `origin ${verifier.name}, the name of the key`, checkpoint.origin);
  }
  return { checkpoint, note: bytes.toString(), verifier };
}

/** Whether a snapshot ends at a position, as its checkpoint says. Throws as `readCheckpoint`. */
export function isSealedAt(
  file: SnapshotFile,
  { size, range }: LedgerPosition,
  verifiers: readonly Verifier[],
): boolean {
  const { checkpoint } = readCheckpoint(file, verifiers);
  return checkpoint.size === size && checkpoint.root === CompactRange.resume(size, range).root();
}

/** The checkpoint of a ledger snapshot. */
export interface RecentCheckpoint extends Checkpoint {
  /** The slot of its snapshot, `2025-12-01T06Z`. */
  snapshot: string;
}

/**
 * The last verified checkpoints up to that of the snapshot `last`, newest first. Fewer than `most` if the ledger has no more. Throws
 * like `readCheckpoint`.
 */
export async function recentCheckpoints(
  ledger: LedgerDirectory,
  last: string,
  verifiers: readonly Verifier[],
  most: number,
): Promise<RecentCheckpoint[]> {
  const files = (await ledger.snapshots(null)).filter(({ id }) => id <= last);
  return files
    .slice(-most)
    .map((file) => ({ ...readCheckpoint(file, verifiers).checkpoint, snapshot: file.id }))
    .reverse();
}
