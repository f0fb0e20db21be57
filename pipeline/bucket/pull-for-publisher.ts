import { asDiskErrors } from '../disk/durable.ts';
import { withLock } from '../disk/lock.ts';
import type { ObjectStore } from '../objects/object-store.ts';
import { removeLeftOvers } from '../release/disk/remove-left-overs.ts';
import { removeOthers, swapCurrent } from '../release/disk/swap-current.ts';
import { currentId } from '../release/format/release.ts';
import type { SnapshotHashes } from '../release/signing/signing-record.ts';
import type { Pointed } from './pointer.ts';
import { pullLog } from './pull-log.ts';
import { type PulledRelease, pullRelease } from './pull-release.ts';
import { pullSnapshots } from './pull-snapshots.ts';

export interface PublisherPull {
  store: Pick<ObjectStore, 'name' | 'get' | 'read' | 'list'>;
  /** The folder that the next run publishes in. */
  out: string;
  /** Of the signing record: SHA-256 of the index of each snapshot that was recorded, by id. */
  recorded: SnapshotHashes;
  /** How long to wait for another run on this folder, ms. */
  waitMs: number;
  /** Objects that are fetched at once. */
  parallel?: number;
  signal?: AbortSignal;
}

/**
 * Brings the folder of a publisher up to date with the current release of the cluster, as if its own runs had made everything: the
 * release, the whole log, and all snapshots. What is here already stays; what contradicts the cluster is replaced: a release or a longer
 * log that was never published, a snapshot with another index. `current` changes last, so a kill leaves a folder that the next pull
 * completes. Throws locked, store_failed, release_invalid, log_invalid, publish_failed and disk_full.
 */
export async function pullForPublisher(
  current: Pointed,
  { waitMs, recorded, ...options }: PublisherPull,
): Promise<PulledRelease> {
  const { out } = options;
  return withLock(out, { waitMs, holder: `pull, process ${process.pid}` }, async () => {
    const pulled = await pullRelease(current, options);
    await pullLog(current, options);
    await pullSnapshots(current, { ...options, recorded });
    await makeOnly(out, pulled.name);
    await removeLeftOvers(out);
    return pulled;
  });
}

async function makeOnly(out: string, name: string): Promise<void> {
  const served = await currentId(out).catch(() => null);
  await asDiskErrors(out, async () => {
    if (served !== name) await swapCurrent(out, name, served);
    await removeOthers(out, [name]);
  });
}
