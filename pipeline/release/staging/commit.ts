import { mkdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { asDiskErrors, exists, sync } from '../../disk/durable.ts';
import { listTree } from '../disk/list-tree.ts';
import { swapCurrent } from '../disk/swap-current.ts';
import {
  type Manifest,
  type ManifestBody,
  parseManifest,
  releaseFolder,
  sealWithText,
} from '../format/manifest.ts';
import { currentId, type Published } from '../format/release.ts';
import type { StagingFolder } from './staging-folder.ts';
import { verifyRelease } from './verify-release.ts';

export interface Outcome {
  /** unchanged: the current release already has this content, undamaged. */
  outcome: 'published' | 'unchanged';
  release: Published;
}

interface Committing {
  /** The content digest, if it is known. */
  content?: string | undefined;
  /** Where the next run resumes. */
  state: unknown;
  prepare?: ((release: Published) => Promise<void>) | undefined;
  /** False: the folder gets its final name but does not become current. */
  isServed?: boolean | undefined;
}

/**
 * Turns a complete staging folder into the current release. The order is manifest, flush, rename into releases/, `prepare`, swap of
 * the link, so a kill after any step leaves the previous release served and undamaged. The next run removes the rest.
 */
export async function commit(
  out: string,
  folder: StagingFolder,
  body: ManifestBody,
  { content, state, prepare, isServed = true }: Committing,
): Promise<Outcome> {
  const { manifest, text } = sealWithText(body, content);
  await folder.write('manifest.json', Buffer.from(text));
  await folder.flush();
  const name = releaseFolder(manifest);
  const dir = join(out, 'releases', name);
  return asDiskErrors(dir, async () => {
    const served = await currentId(out);
    const settled = await settle(folder, dir);
    const release = { dir, manifest: settled === 'moved' ? manifest : await readManifest(dir), state };
    await prepare?.(release);
    if (isServed && served !== name) await swapCurrent(out, name, served);
    const outcome = served === name && settled === 'found' ? 'unchanged' : 'published';
    return { outcome, release };
  });
}

/** A release of the same content may list other times and variants. */
async function readManifest(dir: string): Promise<Manifest> {
  const place = join(dir, 'manifest.json');
  return parseManifest(await readFile(place, 'utf8'), place);
}

/** Moves the staging folder into place, unless the same content is there already. */
export async function settle(folder: StagingFolder, dir: string): Promise<'moved' | 'found' | 'mended'> {
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
 * Repairs a damaged release of the same content, file by file, while it is served: each rename replaces a file by the right bytes.
 * The manifest goes last, because it may list different compressed variants.
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
