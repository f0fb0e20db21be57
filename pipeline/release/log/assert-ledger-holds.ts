import { existsSync } from 'node:fs';
import { CathedralError } from '../../errors.ts';
import { type LedgerDirectory, type SnapshotFile, snapshotFile } from '../../ledger/directory.ts';
import type { TreeHead } from '../../ledger/log/hash.ts';
import type { Verifier } from '../../ledger/note.ts';
import { readCheckpoint } from '../../ledger/read-checkpoint.ts';
import type { Facts } from '../format/manifest.ts';

/** What to do about a ledger that is another one than was published, in a clause. */
export const FORK_HINT =
  'bring back the ledger that was published; where this one has the same events in other snapshots: cathedral build --rebuild';

/**
 * Throws log_forked where a ledger has the snapshot that was published last with another number of events, or other ones. Where
 * it has that snapshot no more, whoever reads on finds out whether the next one goes on from it.
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
    expected: `${size} events with the root ${root}, as they were published (nothing is published: ${FORK_HINT})`,
    found: `${checkpoint.size} events with the root ${checkpoint.root}`,
  });
}

/**
 * Throws log_forked where the ledger is shorter than what was published of it, or was another one where it was as long.
 * Only signed checkpoints are read: the newest, back to those heads. That a longer ledger goes on from them is shown by
 * whoever adds to the tree, since the tree then has the root that is signed.
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
    expected: `at least ${size} events, for so many are published; bring back the ledger that has them`,
    found: `${found}, as after a backup was put back`,
  });
}

/** Also where events that were published are others now. */
export function forked(
  snapshot: Pick<SnapshotFile, 'id'>,
  { size, root }: TreeHead,
  found: string,
): CathedralError {
  return new CathedralError('log_forked', {
    place: `snapshots/${snapshot.id}.checkpoint`,
    expected: `a tree of ${size} events with the root ${root}; bring back the ledger that was published`,
    found: `the root ${found}: earlier events are others now`,
  });
}
