import { mkdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { asDiskErrors, exists, sync } from '../disk/durable.ts';
import { listTree } from '../disk/list-tree.ts';
import { swapCurrent } from '../disk/swap-current.ts';
import {
  formatManifest,
  type ManifestBody,
  parseManifest,
  releaseFolder,
  sealManifest,
} from '../format/manifest.ts';
import { currentId, type Published } from '../format/release.ts';
import type { StagingFolder } from './staging-folder.ts';
import { verifyRelease } from './verify-release.ts';

export interface Outcome {
  /** unchanged: this content is what was served already, and it was whole. */
  outcome: 'published' | 'unchanged';
  release: Published;
}

interface Committing {
  /** What the next run goes on from. */
  state: unknown;
  prepare?: ((release: Published) => Promise<void>) | undefined;
  /** False: the folder gets its name, and is not served. */
  isServed?: boolean | undefined;
}

/**
 * Turns a full staging folder into the release that is served. In this order, so that a kill after any step
 * leaves the old one served, whole: manifest, flush, rename into releases/, what `prepare` does for its readers, swap of the
 * link. The next run removes or takes over what is left.
 */
export async function commit(
  out: string,
  folder: StagingFolder,
  body: ManifestBody,
  { state, prepare, isServed = true }: Committing,
): Promise<Outcome> {
  const manifest = sealManifest(body);
  await folder.write('manifest.json', Buffer.from(formatManifest(manifest)));
  await folder.flush();
  const name = releaseFolder(manifest);
  const dir = join(out, 'releases', name);
  return asDiskErrors(dir, async () => {
    const served = await currentId(out);
    const settled = await settle(folder, dir);
    const place = join(dir, 'manifest.json');
    const release = { dir, manifest: parseManifest(await readFile(place, 'utf8'), place), state };
    await prepare?.(release);
    if (isServed && served !== name) await swapCurrent(out, name, served);
    const outcome = served === name && settled === 'found' ? 'unchanged' : 'published';
    return { outcome, release };
  });
}

/** Puts the staging folder at its place, unless the same content stands there already. */
async function settle(folder: StagingFolder, dir: string): Promise<'moved' | 'found' | 'mended'> {
  if (!(await exists(dir))) {
    await rename(folder.dir, dir);
    return 'moved';
  }
  const whole = (await verifyRelease(dir)).length === 0;
  if (!whole) await layOver(folder.dir, dir);
  await folder.remove();
  return whole ? 'found' : 'mended';
}

/**
 * Mends a damaged release of the same content, file by file and while it is served: each rename puts right
 * bytes in the place of the same or of wrong ones. The manifest goes last: it may tell of other compressed
 * variants.
 */
async function layOver(from: string, dir: string): Promise<void> {
  const { files, folders } = await listTree(from);
  const wanted = new Set([...files, ...folders]);
  const found = await listTree(dir);
  for (const path of [...found.others, ...found.files, ...found.folders]) {
    const kind = found.files.includes(path) ? files : folders;
    if (!wanted.has(path) || !kind.includes(path))
      await rm(join(dir, path), { recursive: true, force: true });
  }
  for (const folder of folders) await mkdir(join(dir, folder), { recursive: true });
  const manifestLast = [...files.filter((file) => file !== 'manifest.json'), 'manifest.json'];
  for (const file of manifestLast) await rename(join(from, file), join(dir, file));
  for (const folder of ['.', ...folders]) await sync(join(dir, folder));
}
