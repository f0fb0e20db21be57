import { join } from 'node:path';
import { inParallel } from '../publish/in-parallel.ts';
import { listTree } from '../publish/list-tree.ts';
import { PROOF_PATHS, type PublicFile, type PublicManifest } from '../publish/public-manifest.ts';
import { SNAPSHOTS } from '../publish/snapshot-index.ts';
import type { Promised } from './fetch-blob.ts';
import { APART } from './folder-origin.ts';
import { measure } from './measure.ts';
import { mismatch } from './mismatch.ts';
import type { Origin } from './origin.ts';
import { promisedBody } from './promised-body.ts';
import type { Findings } from './verification.ts';

/** Reads a file to its end. Throws mirror_mismatch where it is not the one that was promised, and mirror_unreachable. */
export async function verifyFile(origin: Origin, { path, sha256, bytes }: Promised): Promise<void> {
  const place = origin.placeOf(path);
  const found = await origin.retrying(path, async () => {
    const opened = await origin.open(path);
    if (opened === null || opened === 'unchanged')
      throw mismatch(place, `a file of ${bytes} bytes`, 'no such file');
    return measure(promisedBody(opened, bytes, place));
  });
  if (found.sha256 !== sha256) throw mismatch(place, `SHA-256 ${sha256}`, found.sha256);
}

/** How many of the files were read as they are, and how many a server answers with newer ones than the release’s. */
export async function verifyFiles(
  origin: Origin,
  files: readonly PublicFile[],
  { snapshot }: PublicManifest,
  { findings, parallel }: { findings: Findings; parallel: number },
): Promise<{ bytes: number; newer: number }> {
  const done = { bytes: 0, newer: 0 };
  await inParallel(files, parallel, async (file) => {
    const state = await findings.attempt(() => asReleased(origin, file, snapshot));
    done.bytes += file.bytes;
    if (state === 'newer') done.newer += 1;
  });
  return done;
}

/** A server may answer some paths from newer data than the release; its snapshot has what the release has. */
async function asReleased(
  origin: Origin,
  file: PublicFile,
  snapshot: string,
): Promise<'as listed' | 'newer'> {
  try {
    await verifyFile(origin, file);
    return 'as listed';
  } catch (error) {
    await verifyFile(origin, { ...file, path: `${SNAPSHOTS}/${snapshot}/${file.path}` }).catch(() => {
      throw error;
    });
    return 'newer';
  }
}

/**
 * A folder that is served has nothing in it that nobody signed, but variants of what is, and settings of hosts; and each file is
 * one of its own: what a link leads to is outside of what was looked at, and another thing tomorrow. `root`: the release's files.
 */
export async function verifyNames(
  origin: Origin,
  root: string,
  { files }: PublicManifest,
  findings: Findings,
): Promise<void> {
  const refuse = (place: string, expected: string, found: string) =>
    findings.attempt(async () => {
      throw mismatch(place, expected, found);
    });
  const listed = new Set([...files.map(({ path }) => path), ...PROOF_PATHS, '_headers']);
  const isSurplus = (path: string) => !listed.has(path.replace(/\.(gz|br)$/, '')) && !isApart(path);
  const tree = await listTree(root);
  for (const path of tree.files.filter(isSurplus))
    await refuse(join(root, path), 'nothing', 'something that no signed manifest lists');
  const links = tree.others.filter((path) => !isApart(path)).map((path) => join(root, path));
  for (const folder of APART) links.push(...(await linksBelow(origin.placeOf(folder))));
  for (const place of links) await refuse(place, 'a file of its own', 'a link, or what else is no file');
}

/** A folder may be a link itself, to another disk. */
async function linksBelow(folder: string): Promise<string[]> {
  const tree = await listTree(folder).catch(() => null);
  return tree?.others.map((path) => join(folder, path)) ?? [];
}

/** In a plain copy the log and the snapshots are in the same folder, and what a mirror remembers may be, too. */
function isApart(path: string): boolean {
  return APART.has(path.split('/')[0]!);
}
