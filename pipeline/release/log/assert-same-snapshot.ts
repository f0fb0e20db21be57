import { existsSync } from 'node:fs';
import { CathedralError } from '../../errors.ts';
import { snapshotFile } from '../../ledger/directory.ts';
import type { Verifier } from '../../ledger/note.ts';
import { readCheckpoint } from '../../ledger/read-checkpoint.ts';
import type { Facts } from '../format/manifest.ts';

/** What to do about a ledger that is another one than was published, in a clause. */
export const FORK_ADVICE =
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
    expected: `${size} events with the root ${root}, as they were published (nothing is published: ${FORK_ADVICE})`,
    found: `${checkpoint.size} events with the root ${checkpoint.root}`,
  });
}
