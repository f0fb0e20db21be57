import { join } from 'node:path';
import { inParallel } from '../publish/in-parallel.ts';
import { listTree } from '../publish/list-tree.ts';
import { PROOF_PATHS, type PublicFile, type PublicManifest } from '../publish/public-manifest.ts';
import type { Promised } from './fetch-blob.ts';
import { APART } from './folder-origin.ts';
import { measure } from './measure.ts';
import { mismatch } from './mismatch.ts';
import { readReleased } from './newer-answer.ts';
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

/** How often progress is told. */
const STEPS = 10;

/** What was read: `bytes` of the files that are as listed, and the paths of answers that nobody has signed yet. */
export async function verifyFiles(
  origin: Origin,
  files: readonly PublicFile[],
  release: PublicManifest,
  { findings, parallel, log }: { findings: Findings; parallel: number; log: (line: string) => void },
): Promise<{ bytes: number; notProven: string[] }> {
  let bytes = 0;
  let looked = 0;
  const step = Math.ceil(files.length / STEPS);
  const notProven: string[] = [];
  const read = (file: PublicFile) => verifyFile(origin, file);
  await inParallel(files, parallel, async (file) => {
    const state = await findings.attempt(() => readReleased(origin, file, release, read));
    if (state === 'as listed') bytes += file.bytes;
    if (state === 'not proven') notProven.push(file.path);
    looked += 1;
    if (looked % step === 0 && looked < files.length) log(`files: ${looked} of ${files.length}`);
  });
  return { bytes, notProven: notProven.sort() };
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
