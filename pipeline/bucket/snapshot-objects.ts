import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { finished } from '../disk/durable.ts';
import { CathedralError } from '../errors.ts';
import { type Blob, sha256 } from '../release/format/manifest.ts';
import { textOf } from '../release/format/public-manifest.ts';
import {
  INDEX,
  LIST_FILES,
  LIST_PATH,
  OLD_HISTORIES,
  parseSnapshot,
  parseSnapshotIndex,
  SNAPSHOTS,
} from '../release/format/snapshot-index.ts';
import { blobKey } from './layout.ts';
import type { SnapshotFiles } from './snapshot-files.ts';
import type { Content } from './upload.ts';

/** What is to be stored, by key, and which paths it is for. */
export interface SnapshotObjects {
  objects: Map<string, Content>;
  /** By path below the service's root. */
  files: SnapshotFiles['files'];
}

/** A snapshot of OUT with its data files; `files` has its index. Throws release_invalid. */
export async function snapshotObjects(out: string, id: string): Promise<SnapshotObjects> {
  const found: SnapshotObjects = { objects: new Map(), files: {} };
  const path = `${SNAPSHOTS}/${id}/${INDEX}`;
  const index = await read(out, path);
  if (!index) throw missing(out, path);
  for (const file of parseSnapshot(textOf(index, path), join(out, path)).files) {
    if (!('url' in file)) continue;
    const { sha256, bytes } = file;
    found.objects.set(blobKey(sha256), { file: join(out, file.url), blob: { sha256, bytes } });
  }
  add(found, path, index);
  return found;
}

/**
 * Everything below OUT/snapshots that the bucket lacks, and all paths there; null if OUT has no snapshots. Throws release_invalid.
 *
 * @param before the files that an earlier push has stored; those of a snapshot never change, nor those with a hash in their name
 */
export async function allSnapshotObjects(
  out: string,
  before: SnapshotFiles['files'],
): Promise<SnapshotObjects | null> {
  const list = await read(out, LIST_PATH);
  if (!list) return null;
  const all: SnapshotObjects = { objects: new Map(), files: {} };
  for (const { id, index } of parseSnapshotIndex(textOf(list, LIST_PATH), join(out, LIST_PATH))) {
    const one = keptOf(before, id, index) ?? (await snapshotObjects(out, id));
    if (one.files[index.path]!.sha256 !== index.sha256) throw differing(out, index, one.files[index.path]!);
    for (const [key, content] of one.objects) all.objects.set(key, content);
    Object.assign(all.files, one.files);
  }
  for (const name of await readdir(join(out, OLD_HISTORIES)).catch(() => [])) {
    const path = `${OLD_HISTORIES}/${name}`;
    // A killed run may have left a part.
    if (finished(path) !== path) continue;
    const stored = before[path];
    if (stored) all.files[path] = stored;
    else add(all, path, (await read(out, path))!);
  }
  for (const path of LIST_FILES) {
    const bytes = await read(out, path);
    if (bytes) add(all, path, bytes);
  }
  return all;
}

/** The files of a snapshot that is stored whole; null if it is not. */
function keptOf(before: SnapshotFiles['files'], id: string, index: Blob): SnapshotObjects | null {
  const path = `${SNAPSHOTS}/${id}/${INDEX}`;
  const stored = before[path];
  return stored?.sha256 === index.sha256 ? { objects: new Map(), files: { [path]: stored } } : null;
}

function add({ objects, files }: SnapshotObjects, path: string, bytes: Uint8Array): void {
  const blob = { sha256: sha256(bytes), bytes: bytes.length };
  objects.set(blobKey(blob.sha256), { bytes });
  files[path] = blob;
}

async function read(out: string, path: string): Promise<Buffer | null> {
  const place = join(out, path);
  return readFile(place).catch((cause: NodeJS.ErrnoException) => {
    if (cause.code === 'ENOENT') return null;
    const expected = 'a readable file';
    throw new CathedralError('release_invalid', { place, expected, found: cause.message, cause });
  });
}

function missing(out: string, path: string): CathedralError {
  const expected = 'the index of a snapshot';
  return new CathedralError('release_invalid', { place: join(out, path), expected, found: 'no such file' });
}

function differing(out: string, { path, sha256 }: Blob & { path: string }, found: Blob): CathedralError {
  const expected = `SHA-256 ${sha256}, as the snapshot list has it`;
  return new CathedralError('release_invalid', { place: join(out, path), expected, found: found.sha256 });
}
