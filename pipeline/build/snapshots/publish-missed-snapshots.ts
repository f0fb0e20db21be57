import type { SnapshotFile } from '../../ledger/directory.ts';
import type { Published } from '../../release/format/release.ts';
import type { SnapshotHashes } from '../../release/signing/signing-record.ts';
import { publishSnapshot } from './publish-snapshot.ts';
import type { SnapshotOptions } from './publish-snapshots.ts';
import { publishedIds } from './read-published.ts';
import { retained } from './retained.ts';
import { publishStyles } from './styles.ts';

interface MissedOptions {
  out: string;
  baseUrl: string;
  /** Whether snapshots have pages. */
  site: boolean;
  /** Null or left out: no snapshots are kept. */
  snapshots?: SnapshotOptions | null;
  lost: SnapshotHashes;
  log: (line: string) => void;
}

/** Makes a release of the data files up to the last of these snapshots of the ledger, going on from another, for `keep` alone. */
type Make = (
  base: Published,
  upTo: readonly SnapshotFile[],
  keep: (release: Published) => Promise<void>,
) => Promise<Published>;

/**
 * Keeps a snapshot of each slot that was missed between the release before and the newest of `snapshots`, the oldest first.
 * Not of those that would be over age at once, and none before the first release: so it costs at most a release of the data
 * for each snapshot that is kept. A run that is killed leaves those that are whole, and the next one makes the others.
 *
 * @param base the release before; null before the first
 */
export async function publishMissedSnapshots(
  base: Published | null,
  snapshots: readonly SnapshotFile[],
  { out, baseUrl, site, lost, log, ...options }: MissedOptions,
  make: Make,
): Promise<void> {
  if (!options.snapshots || !base) return;
  const kept = await publishedIds(out);
  const wanted = new Set(retained([...kept, ...snapshots.map(({ id }) => id)], options.snapshots.days));
  for (const id of [...kept, ...Object.keys(lost)]) wanted.delete(id);
  const last = base.manifest.ledger.snapshot;
  const missed = snapshots.slice(0, -1).filter(({ id }) => id > last && wanted.has(id));
  if (missed.length === 0) return;
  log(`making the snapshots of ${missed.length} missed slots, from ${missed[0]!.id} on`);
  const page = site ? { baseUrl, style: await publishStyles(out) } : null;
  let before = base;
  for (const { id } of missed) {
    const upTo = snapshots.slice(0, snapshots.findIndex((one) => one.id === id) + 1);
    before = await make(before, upTo, (release) => publishSnapshot(out, release, page));
  }
}
