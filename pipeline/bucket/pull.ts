import { join } from 'node:path';
import { asDiskErrors, replaceFiles } from '../disk/durable.ts';
import { withLock } from '../disk/lock.ts';
import { CathedralError } from '../errors.ts';
import { removeLeftOvers } from '../release/disk/remove-left-overs.ts';
import { removeOthers, swapCurrent } from '../release/disk/swap-current.ts';
import { currentId } from '../release/format/release.ts';
import { keepCosigned } from '../release/log/cosign-log.ts';
import { publishCheckpoint } from '../release/log/staged-log.ts';
import { counted } from '../words/number.ts';
import { POINTER_KEY } from './layout.ts';
import { isCosigned, type Pointed } from './pointer.ts';
import { pullLog } from './pull-log.ts';
import { type PulledRelease, pullRelease } from './pull-release.ts';
import { type PulledSnapshots, pullSnapshots, type SnapshotsPull } from './pull-snapshots.ts';

export interface Pull extends SnapshotsPull {
  store: SnapshotsPull['store'] & Parameters<typeof pullLog>[1]['store'];
}

/** A release with its log and its newest snapshot, beside what a folder shows. */
export interface Pulled extends PulledRelease, Pick<PulledSnapshots, 'texts' | 'rest'> {
  /** Removes what the folder does not need any more, for when this is shown. */
  clean: () => Promise<void>;
}

/**
 * Fetches what a folder lacks of a pointer: its release and its log, the snapshot list and the newest snapshot. Nothing that the folder shows
 * changes. What a kill leaves, the next pull completes. Throws store_failed, release_invalid, log_invalid, publish_failed and disk_full.
 */
export async function pull(pointed: Pointed, options: Pull): Promise<Pulled> {
  const { out, store } = options;
  const release = await pullRelease(pointed, options);
  const { size } = release.manifest.ledger;
  if (pointed.log.size < size)
    throw new CathedralError('release_invalid', {
      place: `${store.name}/${POINTER_KEY}`,
      expected: `a log of ${counted(size, 'event')}, as the release has, or more`,
      found: `${pointed.log.size}`,
    });
  const log = await pullLog(pointed, options);
  const snapshots = await pullSnapshots(pointed, options);
  return {
    ...release,
    texts: snapshots.texts,
    async rest(isOver) {
      const isWhole = (await snapshots.rest(isOver)) && (await log.rest(isOver));
      if (isWhole) await removeLeftOvers(out);
      return isWhole;
    },
    async clean() {
      await log.clean();
      await snapshots.clean();
    },
  };
}

/**
 * Makes a folder show what was pulled. The log and the snapshot list come first: they may be ahead of the release, and never behind it. After
 * a kill, it can be called again. Throws publish_failed and disk_full.
 */
export async function show(
  out: string,
  pointed: Pick<Pointed, 'log'>,
  { name, texts }: Pick<Pulled, 'name' | 'texts'>,
): Promise<void> {
  const { checkpoint: note } = pointed.log;
  await publishCheckpoint(out, note);
  if (isCosigned(pointed)) await keepCosigned(out, note);
  await replaceFiles([...texts].map(([path, bytes]) => [join(out, path), bytes]));
  const served = await currentId(out).catch(() => null);
  if (served !== name) await asDiskErrors(out, () => swapCurrent(out, name, served));
}

/**
 * Brings the folder of a publisher up to date with the current release of the cluster, as if its own runs had made everything. What is here
 * already stays; what contradicts the cluster is replaced: a release or a longer log that was never published, a snapshot with another index.
 * `waitMs`: how long to wait for another run on this folder. Throws locked and what `pull` throws.
 */
export async function pullForPublisher(
  current: Pointed,
  { waitMs, ...options }: Pull & { waitMs: number },
): Promise<PulledRelease> {
  const { out } = options;
  return withLock(out, { waitMs, holder: `pull, process ${process.pid}` }, async () => {
    const pulled = await pull(current, options);
    await pulled.rest(() => false);
    await show(out, current, pulled);
    await pulled.clean();
    await asDiskErrors(out, () => removeOthers(out, [pulled.name]));
    return pulled;
  });
}
