import type { SnapshotFile } from '../../ledger/reading/directory.ts';
import type { Published } from '../../release/format/release.ts';
import type { SnapshotHashes } from '../../release/signing/signing-record.ts';
import { publishSnapshot } from './publish-snapshot.ts';
import type { SnapshotOptions } from './publish-snapshots.ts';
import { publishedIds } from './read-published.ts';
import { retained } from './retained.ts';

interface MissedOptions {
  out: string;
  /** Null: no snapshots are published. */
  snapshots: SnapshotOptions | null;
  lost: SnapshotHashes;
  /** Called when a snapshot is there; a release of later events may be signed afterwards. */
  onPublished: () => Promise<void>;
  log: (line: string) => void;
}

/** Makes a release of the data files up to the last of these ledger snapshots, starting from `base`, and passes it to `keep`. */
type Make = (
  base: Published,
  upTo: readonly SnapshotFile[],
  keep: (release: Published) => Promise<void>,
) => Promise<Published>;

/**
 * Publishes a snapshot for each slot that was missed between the previous release and the newest of `snapshots`, oldest first. Skips
 * those that retention would remove at once, and all before the first one, so the cost is at most one release of the data per
 * snapshot. A killed run leaves complete snapshots, and the next run makes the others.
 *
 * @param base the previous release; null before the first
 */
export async function publishMissedSnapshots(
  base: Published | null,
  snapshots: readonly SnapshotFile[],
  { out, lost, onPublished, log, ...options }: MissedOptions,
  make: Make,
): Promise<void> {
  if (!options.snapshots || !base) return;
  const kept = await publishedIds(out);
  // The first release may have been published without one, and then nobody was promised any.
  if (kept.length === 0 && Object.keys(lost).length === 0) return;
  const wanted = new Set(retained([...kept, ...snapshots.map(({ id }) => id)], options.snapshots.days));
  for (const id of [...kept, ...Object.keys(lost)]) wanted.delete(id);
  const last = base.manifest.ledger.snapshot;
  const missed = snapshots.slice(0, -1).filter(({ id }) => id > last && wanted.has(id));
  if (missed.length === 0) return;
  log(`making the snapshots of ${missed.length} missed slots, from ${missed[0]!.id} on`);
  let before = base;
  for (const { id } of missed) {
    const upTo = snapshots.slice(0, snapshots.findIndex((one) => one.id === id) + 1);
    before = await make(before, upTo, (release) => publishSnapshot(out, release));
    await onPublished();
  }
}
