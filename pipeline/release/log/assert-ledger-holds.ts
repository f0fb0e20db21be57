import { existsSync } from 'node:fs';
import { CathedralError } from '../../errors.ts';
import type { TreeHead } from '../../ledger/log/hash.ts';
import type { Verifier } from '../../ledger/notes/note.ts';
import { type LedgerDirectory, type SnapshotFile, snapshotFile } from '../../ledger/reading/directory.ts';
import { readCheckpoint } from '../../ledger/reading/read-checkpoint.ts';
import { counted } from '../../words/number.ts';
import type { Facts } from '../format/manifest.ts';

/** What to do about a ledger that differs from the published one, as a clause. */
export const FORK_HINT =
  'restore the ledger that was published; if this one has the same events in different snapshots, run: cathedral build --rebuild';

/**
 * Throws log_forked if the ledger's copy of the last published snapshot has different events. If the ledger no longer has that
 * snapshot, reading on shows whether the next one extends it.
 */
export function assertSameSnapshot(
  ledger: string,
  { snapshot, size, root }: Facts['ledger'],
  verifiers: readonly Verifier[],
): void {
  const file = snapshotFile(ledger, snapshot);
  if (!existsSync(file.checkpoint)) return;
  const { checkpoint } = readCheckpoint(file, verifiers);
  if (checkpoint.size === size && checkpoint.root === root) return;
  throw new CathedralError('log_forked', {
    place: `snapshots/${snapshot}.checkpoint`,
    expected: `${counted(size, 'event')} with the root ${root}, as published (nothing is published: ${FORK_HINT})`,
    found: `${counted(checkpoint.size, 'event')} with the root ${checkpoint.root}`,
  });
}

/**
 * Throws log_forked if the ledger is shorter than its published part, or had a different root at the same size. Reads signed
 * checkpoints only, from the newest back to those heads. Extending the tree later proves that a longer ledger extends them,
 * because the tree must then have the signed root.
 */
export async function assertLedgerHolds(
  ledger: LedgerDirectory,
  published: readonly TreeHead[],
  verifiers: readonly Verifier[],
): Promise<void> {
  const least = Math.min(...published.map(({ size }) => size));
  if (published.length === 0) return;
  const snapshots = await ledger.snapshots(null);
  const newest = snapshots.at(-1);
  const size = newest ? readCheckpoint(newest, verifiers).checkpoint.size : 0;
  for (const head of published) if (size < head.size) throw shorter(head, size);
  for (const snapshot of snapshots.toReversed()) {
    const { checkpoint } = readCheckpoint(snapshot, verifiers);
    const head = published.find((one) => one.size === checkpoint.size);
    if (head && head.root !== checkpoint.root) throw forked(snapshot, head, checkpoint.root);
    if (checkpoint.size <= least) return;
  }
}

function shorter({ size }: TreeHead, found: number): CathedralError {
  return new CathedralError('log_forked', {
    place: 'the ledger',
    expected: `at least the ${counted(size, 'event')} published; restore the ledger that was published`,
    found: `${found}, as after restoring an old back-up`,
  });
}

/** The error for published events that have changed. */
export function forked(
  snapshot: Pick<SnapshotFile, 'id'>,
  { size, root }: TreeHead,
  found: string,
): CathedralError {
  return new CathedralError('log_forked', {
    place: `snapshots/${snapshot.id}.checkpoint`,
    expected: `a tree of ${counted(size, 'event')} with the root ${root}; restore the ledger that was published`,
    found: `the root ${found}: earlier events have changed`,
  });
}
