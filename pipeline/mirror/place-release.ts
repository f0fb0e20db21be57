import { rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { asDiskErrors, exists, makeFolder, sync } from '../disk/durable.ts';
import { swapCurrent } from '../release/disk/swap-current.ts';
import type { PublicManifest } from '../release/format/public-manifest.ts';
import { currentId } from '../release/format/release.ts';
import { StagingFolder } from '../release/staging/staging-folder.ts';
import type { Blobs } from './blobs.ts';

export interface NewRelease {
  manifest: PublicManifest;
  /** Has the bytes of its files. */
  blobs: Blobs;
  /** Small files that the manifest does not list: the proofs, and settings for static hosts. */
  texts: ReadonlyMap<string, Uint8Array>;
}

const NEXT = 'releases.next';
const BEFORE = 'before';

/**
 * Assembles a release beside the current one, from hard links where the disk supports them, flushes it, and swaps the two: by
 * changing the link `current`, or with `withoutLinks` by moving folders. Throws publish_failed.
 */
export async function placeRelease(
  folder: string,
  { manifest, blobs, texts }: NewRelease,
  { withoutLinks }: { withoutLinks: boolean },
): Promise<void> {
  const next = join(folder, NEXT);
  const files = manifest.files.map(({ path, sha256, bytes }) => ({ as: `public/${path}`, sha256, bytes }));
  const own = [...texts].map(([path, bytes]) => [`public/${path}`, bytes] as const);
  await blobs.assemble(new StagingFolder(next), files, own);
  await asDiskErrors(folder, async () => {
    if (withoutLinks) await moveIn(folder, next);
    else await linkIn(folder, next, `${manifest.version}`);
  });
}

/** Finishes a swap of folders that was killed between its two moves: restores the previous release, or removes it. */
export async function restoreCurrent(folder: string): Promise<void> {
  const [current, before] = [join(folder, 'current'), join(folder, BEFORE)];
  if (!(await exists(before))) return;
  if (await exists(current)) await asDiskErrors(before, () => rm(before, { recursive: true, force: true }));
  else await asDiskErrors(current, () => rename(before, current));
}

async function linkIn(folder: string, next: string, version: string): Promise<void> {
  const served = await currentId(folder);
  // A repair replaces a damaged release of the same version.
  const name = served === version ? `${version}-again` : version;
  const releases = join(folder, 'releases');
  await rm(join(releases, name), { recursive: true, force: true });
  await makeFolder(releases);
  await rename(next, join(releases, name));
  await swapCurrent(folder, name, served);
}

async function moveIn(folder: string, next: string): Promise<void> {
  const [current, before] = [join(folder, 'current'), join(folder, BEFORE)];
  if (await exists(current)) await rename(current, before);
  await rename(next, current);
  await sync(folder);
  await rm(before, { recursive: true, force: true });
}
