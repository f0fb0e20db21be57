import { lstat, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { asDiskErrors, exists, makeFolder } from '../disk/durable.ts';
import { inParallel } from '../disk/in-parallel.ts';
import { CathedralError } from '../errors.ts';
import { fetchBlob } from '../mirror/fetch-blob.ts';
import type { Source } from '../mirror/keeping-origin.ts';
import type { ObjectStore } from '../objects/object-store.ts';
import { STAGING } from '../release/disk/remove-left-overs.ts';
import { type Blob, type Manifest, parseManifest, releaseFolder } from '../release/format/manifest.ts';
import { releaseFiles } from '../release/format/release-files.ts';
import { settle } from '../release/staging/commit.ts';
import { isPublicInRelease, StagingFolder } from '../release/staging/staging-folder.ts';
import { blobKey, manifestKey } from './layout.ts';
import type { Pointed } from './pointer.ts';
import { StoreOrigin } from './store-origin.ts';

export interface PullOptions {
  store: Pick<ObjectStore, 'name' | 'get' | 'read'>;
  /** Gets `releases/<name>`, with the layout that a run gives it. */
  out: string;
  /** Other folders with releases, from which equal files are linked. */
  alsoIn?: readonly string[];
  /** Objects that are fetched at once. Default 8: the latency of a store is many times its transfer time for a small file. */
  parallel?: number;
  signal?: AbortSignal;
}

export interface PulledRelease {
  /** Name of its folder in `releases`. */
  name: string;
  dir: string;
  manifest: Manifest;
  /** What came from the store. */
  fetched: { files: number; bytes: number };
}

export const PARALLEL_FETCHES = 8;
/** Blobs wait here, so that an interrupted pull resumes. */
const FETCHED = `${STAGING}fetched`;
const NEXT = `${STAGING}next`;

/**
 * Places the release of a pointer in `OUT/releases`, beside the current one. Fetches by hash only what no release there has; the
 * rest are hard links. Every fetched byte is verified, and flushed before the folder gets its name, so a kill leaves the folder whole
 * or absent. Throws store_failed, release_invalid, disk_full and publish_failed.
 */
export async function pullRelease(
  pointed: Pick<Pointed, 'manifest' | 'release' | 'version'>,
  options: PullOptions,
): Promise<PulledRelease> {
  const { out } = options;
  const text = await readManifest(pointed, options);
  const place = `${options.store.name}/${manifestKey(pointed.manifest.sha256)}`;
  const manifest = parseManifest(text, place);
  assertPointed(manifest, pointed, place);
  const name = releaseFolder(manifest);
  const dir = join(out, 'releases', name);
  const staging = join(out, FETCHED);
  const isHere = await isWhole(dir, text, manifest);
  const fetched = isHere
    ? { files: 0, bytes: 0 }
    : await fetchRelease(text, manifest, dir, { ...options, staging });
  // An earlier pull may have ended just before.
  for (const left of [staging, join(out, NEXT)])
    await asDiskErrors(left, () => rm(left, { recursive: true, force: true }));
  return { name, dir, manifest, fetched };
}

async function fetchRelease(
  text: string,
  manifest: Manifest,
  dir: string,
  options: PullOptions & FetchOptions,
): Promise<PulledRelease['fetched']> {
  const { out, alsoIn = [], staging } = options;
  await asDiskErrors(out, async () => {
    await makeFolder(join(out, 'releases'));
    await makeFolder(staging);
  });
  const wanted = [...releaseFiles(manifest)].map(([file, { blob }]) => ({ file, ...blob }));
  const blobs = await localBlobs([...alsoIn, out]);
  const fetched = await fetchMissing(wanted, blobs, options);
  await assemble(text, wanted, blobs, { out, dir });
  return fetched;
}

async function readManifest(
  { manifest }: Pick<Pointed, 'manifest'>,
  { store }: PullOptions,
): Promise<string> {
  const { sha256, bytes } = manifest;
  const key = manifestKey(sha256);
  const found = await store.read(key, bytes, sha256);
  if (found) return new TextDecoder().decode(found.content);
  throw missing(`${store.name}/${key}`, 'the manifest that the pointer names');
}

function assertPointed(
  { release, signed }: Manifest,
  pointed: Pick<Pointed, 'release' | 'version'>,
  place: string,
): void {
  if (release === pointed.release && signed?.version === pointed.version) return;
  const expected = `release ${pointed.release}, version ${pointed.version}, as the pointer says`;
  const found = `${release}, version ${signed?.version ?? 'none'}`;
  throw new CathedralError('release_invalid', { place, expected, found });
}

/** By the lengths of its files, as a run compares them. */
async function isWhole(dir: string, text: string, manifest: Manifest): Promise<boolean> {
  const found = await readFile(join(dir, 'manifest.json'), 'utf8').catch(() => null);
  if (found !== text) return false;
  let isWhole = true;
  await inParallel(releaseFiles(manifest), PARALLEL_FETCHES, async ([file, { blob }]) => {
    if (isWhole && !(await hasLength(join(dir, file), blob.bytes))) isWhole = false;
  });
  return isWhole;
}

async function hasLength(place: string, bytes: number): Promise<boolean> {
  const found = await lstat(place).catch(() => null);
  return found?.isFile() === true && found.size === bytes;
}

/** The files of all releases in these folders, by SHA-256. */
export async function localBlobs(outs: readonly string[]): Promise<Map<string, Source>> {
  const blobs = new Map<string, Source>();
  for (const folder of (await Promise.all(outs.map(releaseFolders))).flat()) {
    const place = join(folder, 'manifest.json');
    const manifest = await readFile(place, 'utf8')
      .then((text) => parseManifest(text, place))
      .catch(() => null);
    if (!manifest) continue;
    for (const [file, { blob }] of releaseFiles(manifest)) blobs.set(blob.sha256, { folder, file });
  }
  return blobs;
}

async function releaseFolders(out: string): Promise<string[]> {
  const folder = join(out, 'releases');
  const names = await readdir(folder).catch(() => []);
  return names.map((name) => join(folder, name));
}

export interface FetchOptions extends Pick<PullOptions, 'store' | 'signal' | 'parallel'> {
  /** Fetched blobs wait here, named by their SHA-256. */
  staging: string;
}

/** Fetches each blob that is not here with its length, and adds it to `blobs`. */
export async function fetchMissing(
  wanted: readonly Blob[],
  blobs: Map<string, Source>,
  { store, signal, staging, parallel = PARALLEL_FETCHES }: FetchOptions,
): Promise<PulledRelease['fetched']> {
  const origin = new StoreOrigin(store, signal);
  const fetched = { files: 0, bytes: 0 };
  const distinct = new Map(wanted.map((blob) => [blob.sha256, blob]));
  await inParallel(distinct.values(), parallel, async ({ sha256, bytes }) => {
    signal?.throwIfAborted();
    const source = blobs.get(sha256);
    if (source && (await hasLength(join(source.folder, source.file), bytes))) return;
    blobs.set(sha256, { folder: staging, file: sha256 });
    if (await exists(join(staging, sha256))) return;
    await fetchBlob(origin, { path: blobKey(sha256), sha256, bytes }, join(staging, sha256));
    fetched.files += 1;
    fetched.bytes += bytes;
  });
  return fetched;
}

async function assemble(
  manifest: string,
  files: readonly ({ file: string } & Blob)[],
  blobs: ReadonlyMap<string, Source>,
  { out, dir }: { out: string; dir: string },
): Promise<void> {
  const next = join(out, NEXT);
  await asDiskErrors(next, () => rm(next, { recursive: true, force: true }));
  const folder = new StagingFolder(next, isPublicInRelease);
  for (const { file: as, sha256, bytes } of files) {
    const source = blobs.get(sha256)!;
    if (!(await folder.link(source.folder, [{ file: source.file, bytes, sha256: null, as }])))
      throw missing(join(source.folder, source.file), `a file of ${bytes} bytes`);
  }
  await folder.write('manifest.json', Buffer.from(manifest));
  await folder.flush();
  await asDiskErrors(dir, () => settle(folder, dir));
}

function missing(place: string, expected: string): CathedralError {
  return new CathedralError('release_invalid', { place, expected, found: 'no such file' });
}
