import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { CathedralError, unlessRefused } from '../errors.ts';
import type { ObjectStore } from '../objects/object-store.ts';
import {
  type Blob,
  type Manifest,
  parseManifest,
  releaseFolder,
  sha256,
} from '../release/format/manifest.ts';
import { releaseFiles } from '../release/format/release-files.ts';
import { blobKey, manifestKey } from './layout.ts';
import { LONGEST_RELEASE_MANIFEST, type Pointed } from './pointer.ts';
import { LONGEST_SNAPSHOT_FILES, parseSnapshotFiles, type SnapshotFiles } from './snapshot-files.ts';

/** What a pointer stands for. */
export interface StoredRelease {
  manifest: Manifest;
  /** Below `snapshots/`. */
  files: SnapshotFiles['files'];
}

interface Places {
  /** Where the same bytes may be, which saves a request. */
  out: string;
  objects: ObjectStore;
}

/** The lists of a release in the bucket. Null if one is missing or damaged, or in a form of another version. Throws store_failed. */
export async function readStoredRelease(
  { release, version, manifest, snapshots }: Pointed,
  places: Places,
): Promise<StoredRelease | null> {
  const folder = releaseFolder({ release, signed: { version } });
  const [place, key] = [`releases/${folder}/manifest.json`, manifestKey(manifest.sha256)];
  const text = await readStored({ ...places, place, key }, manifest, LONGEST_RELEASE_MANIFEST);
  const blob = snapshots && blobKey(snapshots.sha256);
  const list = blob && (await readStored({ ...places, key: blob }, snapshots, LONGEST_SNAPSHOT_FILES));
  if (!text || (blob && !list)) return null;
  return unlessRefused(() => {
    const files = list ? parseSnapshotFiles(list.toString(), blob!) : {};
    return { manifest: parseManifest(text.toString(), key), files };
  }, 'release_invalid');
}

/** Key and length of every object that these lists name, and of the lists. */
export function objectsOf(
  { manifest: own, snapshots }: Pointed,
  { manifest, files }: StoredRelease,
): Map<string, number> {
  const blobs = [...releaseFiles(manifest).values()].map(({ blob }) => blob);
  const all = [...blobs, ...Object.values(files), ...(snapshots ? [snapshots] : [])];
  return new Map([
    [manifestKey(own.sha256), own.bytes],
    ...all.map(({ sha256, bytes }) => [blobKey(sha256), bytes] as const),
  ]);
}

/** A small object that the pointer leads to. Throws release_invalid if there is none, or another, and store_failed. */
export async function readPointed(
  store: Pick<ObjectStore, 'name' | 'read'>,
  { key, sha256 }: { key: string; sha256: string },
  mostBytes: number,
): Promise<Buffer> {
  const found = await store.read(key, mostBytes, sha256);
  if (found) return Buffer.from(found.content);
  const expected =
    'what the pointer leads to (cathedral build sends it again on a publisher that has it, or that was given the folder of a server; ' +
    'if nobody has it, run: cathedral build --rebuild)';
  throw new CathedralError('release_invalid', {
    place: `${store.name}/${key}`,
    expected,
    found: 'no such object',
  });
}

/** The bytes with this hash, from this machine if they are there. Null if the bucket has none or others. Throws store_failed. */
export async function readStored(
  { out, objects, place, key }: Places & { place?: string; key: string },
  blob: Blob,
  mostBytes: number,
): Promise<Buffer | null> {
  const local = place === undefined ? null : await readFile(join(out, place)).catch(() => null);
  if (local && sha256(local) === blob.sha256) return local;
  const found = await objects.read(key, mostBytes);
  return found && sha256(found.content) === blob.sha256 ? Buffer.from(found.content) : null;
}
