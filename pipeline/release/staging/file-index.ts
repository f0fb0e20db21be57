import { lstatSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { asDiskErrors, makeFolder, writeFileAtomically } from '../../disk/durable.ts';
import { INDEX_FOLDER } from '../disk/swap-current.ts';
import { sha256 } from '../format/manifest.ts';

const FORMAT = 'cathedral-index/1';

/**
 * How each file and folder of a release was when the run that made it had finished: its stamp, by path below the release's folder. The
 * paths of folders end with a slash.
 *
 * It saves reading fifty years of files in each run, like git's index: a file with another stamp, or none, is read before it is used
 * again. It says nothing of the content, which is what the release's manifest says, and is no part of the release.
 */
export type FileIndex = ReadonlyMap<string, string>;

/**
 * Kind and permissions, size, time of the last change of the content, and inode. The time of the last change of the inode is left out: it
 * changes whenever a release or a snapshot links to the file. Null if there is nothing.
 */
export function stampOf(path: string): string | null {
  const found = lstatSync(path, { bigint: true, throwIfNoEntry: false });
  return found ? `${found.mode} ${found.size} ${found.mtimeNs} ${found.ino}` : null;
}

/** The stamps of these paths in a release's folder. */
export function indexOf(dir: string, paths: Iterable<string>): FileIndex {
  const index = new Map<string, string>();
  for (const path of paths) {
    const stamp = stampOf(join(dir, path));
    if (stamp !== null) index.set(path, stamp);
  }
  return index;
}

/** Throws publish_failed and disk_full. */
export async function writeIndex(out: string, release: string, index: FileIndex): Promise<void> {
  const lines = [...index].map(([path, stamp]) => `${stamp} ${path}\n`).join('');
  const place = join(out, INDEX_FOLDER, release);
  await asDiskErrors(place, async () => {
    await makeFolder(join(out, INDEX_FOLDER));
    await writeFileAtomically(place, `${FORMAT} ${sha256(lines)}\n${lines}`, true);
  });
}

/** The index of a release, by the name of its folder. Null if it is missing, damaged or of another version. */
export async function readIndex(out: string, release: string): Promise<FileIndex | null> {
  const bytes = await readFile(join(out, INDEX_FOLDER, release)).catch(() => Buffer.alloc(0));
  const start = bytes.indexOf('\n') + 1;
  const rest = bytes.subarray(start);
  if (bytes.toString('latin1', 0, start) !== `${FORMAT} ${sha256(rest)}\n`) return null;
  const lines = rest.toString('latin1');
  const index = new Map<string, string>();
  for (let at = 0; at < lines.length; ) {
    const end = lines.indexOf('\n', at);
    const space = lines.lastIndexOf(' ', end);
    index.set(lines.slice(space + 1, end), lines.slice(at, space));
    at = end + 1;
  }
  return index;
}

/** A release that is neither the current one nor the one that a run goes on from, and would be removed. */
export interface RetiredRelease {
  dir: string;
  index: FileIndex;
}

/**
 * The oldest retired release whose folders have had nothing added, removed or renamed since they were made; null if there is none. In it,
 * a path of its index is the file with that stamp, or one that was damaged in its place.
 */
export async function retiredRelease(out: string, current: string): Promise<RetiredRelease | null> {
  const names = await readdir(join(out, 'releases'));
  for (const name of names.filter((name) => name !== basename(current)).sort()) {
    const index = await readIndex(out, name);
    const dir = join(out, 'releases', name);
    if (index && hasItsFolders(dir, index)) return { dir, index };
  }
  return null;
}

function hasItsFolders(dir: string, index: FileIndex): boolean {
  let isSame = index.has('/');
  for (const [path, stamp] of index) {
    if (!isSame) return false;
    if (path.endsWith('/')) isSame = stampOf(join(dir, path)) === stamp;
  }
  return isSame;
}
