import { chmod, mkdtemp, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { asDiskErrors, exists, makeFolder, sync } from '../../disk/durable.ts';
import { CathedralError } from '../../errors.ts';
import { removeLeftOvers, STAGING } from '../../release/disk/remove-left-overs.ts';
import { type Manifest, storedAt } from '../../release/format/manifest.ts';
import { formatSnapshot, INDEX, SNAPSHOTS } from '../../release/format/snapshot-index.ts';
import { StagingFolder } from '../../release/staging/staging-folder.ts';
import { describeSnapshot, historyEnds, storedFiles } from './describe-snapshot.ts';
import { readHead } from './history-ranges.ts';

/** Name prefix of folders that are staged or being removed. */
export const SNAPSHOT_STAGING = `${STAGING}snapshot-`;

/**
 * Publishes the data files of a release as `OUT/snapshots/<id>`. Does nothing if that exists: the first release of a ledger snapshot
 * stays. The folder is complete before it gets its name, so a killed run leaves nothing visible and the next run starts over.
 * Throws publish_failed.
 *
 * @param dir the release's folder
 */
export async function publishSnapshot(
  out: string,
  { dir, manifest }: { dir: string; manifest: Manifest },
): Promise<void> {
  const target = join(out, SNAPSHOTS, manifest.ledger.snapshot);
  // Only those of snapshots: a log may be staged.
  await removeLeftOvers(out, SNAPSHOT_STAGING);
  if (await exists(target)) return;
  const made = await asDiskErrors(out, () => mkdtemp(join(out, SNAPSHOT_STAGING)));
  await asDiskErrors(made, () => chmod(made, 0o755));
  const folder = new StagingFolder(made);
  try {
    await fill(folder, { dir, manifest });
    await folder.flush();
    await asDiskErrors(target, async () => {
      await makeFolder(join(out, SNAPSHOTS));
      await rename(made, target);
      await sync(join(out, SNAPSHOTS));
    });
  } finally {
    await folder.remove().catch(() => {});
  }
}

async function fill(
  folder: StagingFolder,
  { dir, manifest }: { dir: string; manifest: Manifest },
): Promise<void> {
  const files = storedFiles(manifest).map(({ path, bytes }) => ({ file: path, bytes, sha256: null }));
  if (!(await folder.link(join(dir, 'public'), files))) {
    const expected = 'each file of the release with its size (else run: cathedral build --rebuild)';
    throw new CathedralError('release_invalid', {
      place: dir,
      expected,
      found: 'a missing or different file',
    });
  }
  const heads = new Map<string, string>();
  for (const { file, head } of historyEnds(manifest))
    heads.set(file.path, await readHead(join(dir, storedAt(file)), head));
  const snapshot = describeSnapshot(manifest, heads);
  await folder.write(INDEX, Buffer.from(formatSnapshot(snapshot)));
}
