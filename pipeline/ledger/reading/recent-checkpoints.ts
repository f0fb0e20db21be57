import type { Checkpoint } from '../notes/checkpoint.ts';
import type { Verifier } from '../notes/note.ts';
import type { LedgerDirectory } from './directory.ts';
import { readCheckpoint } from './read-checkpoint.ts';

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
  const found: RecentCheckpoint[] = [];
  for await (const file of ledger.newestFirst()) {
    if (found.length >= most) break;
    if (file.id > last) continue;
    const { checkpoint } = readCheckpoint(file, verifiers);
    found.push({ ...checkpoint, snapshot: file.id });
  }
  return found;
}
