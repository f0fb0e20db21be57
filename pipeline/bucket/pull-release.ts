import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { asDiskErrors, makeFolder } from '../disk/durable.ts';
import { inParallel } from '../disk/in-parallel.ts';
import { CathedralError } from '../errors.ts';
import { Blobs, hasLength } from '../mirror/blobs.ts';
import type { ObjectStore } from '../objects/object-store.ts';
import { STAGING } from '../release/disk/remove-left-overs.ts';
import { type Blob, type Manifest, parseManifest, releaseFolder } from '../release/format/manifest.ts';
import { releaseFiles } from '../release/format/release-files.ts';
import { settle } from '../release/staging/commit.ts';
import { isPublicInRelease, StagingFolder } from '../release/staging/staging-folder.ts';
import type { Promised } from '../verify/origin.ts';
import { blobKey, manifestKey } from './layout.ts';
import type { Pointed } from './pointer.ts';
import { StoreOrigin } from './store-origin.ts';
import { readPointed } from './stored-release.ts';

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
  const { sha256, bytes } = pointed.manifest;
  const key = manifestKey(sha256);
  const text = String(await readPointed(options.store, { key, sha256 }, bytes));
  const place = `${options.store.name}/${key}`;
  const manifest = parseManifest(text, place);
  assertPointed(manifest, pointed, place);
  const name = releaseFolder(manifest);
  const dir = join(out, 'releases', name);
  const isHere = await isWhole(dir, text, manifest);
  const fetched = isHere ? { files: 0, bytes: 0 } : await fetchRelease(text, manifest, dir, options);
  // An earlier pull may have ended just before.
  for (const left of [join(out, FETCHED), join(out, NEXT)])
    await asDiskErrors(left, () => rm(left, { recursive: true, force: true }));
  return { name, dir, manifest, fetched };
}

async function fetchRelease(
  text: string,
  manifest: Manifest,
  dir: string,
  { out, alsoIn = [], store, signal, parallel = PARALLEL_FETCHES }: PullOptions,
): Promise<PulledRelease['fetched']> {
  await asDiskErrors(out, () => makeFolder(join(out, 'releases')));
  const wanted = [...releaseFiles(manifest)].map(([as, { blob }]) => ({ as, ...blob }));
  const blobs = await openBlobs(new StoreOrigin(store, signal), join(out, FETCHED), [...alsoIn, out]);
  await blobs.fetchAll(wanted.map(storedBlob), parallel);
  const folder = new StagingFolder(join(out, NEXT), isPublicInRelease);
  await blobs.assemble(folder, wanted, [['manifest.json', Buffer.from(text)]]);
  await asDiskErrors(dir, () => settle(folder, dir));
  return blobs.fetched;
}

/** A blob of the store, as its key and its hash promise it. */
export function storedBlob({ sha256, bytes }: Blob): Promised {
  return { path: blobKey(sha256), sha256, bytes };
}

/** With the files of all releases in these folders. */
export async function openBlobs(
  origin: StoreOrigin,
  staging: string,
  outs: readonly string[],
): Promise<Blobs> {
  const blobs = new Blobs(origin, staging);
  for (const folder of (await Promise.all(outs.map(releaseFolders))).flat()) {
    const place = join(folder, 'manifest.json');
    const manifest = await readFile(place, 'utf8')
      .then((text) => parseManifest(text, place))
      .catch(() => null);
    if (!manifest) continue;
    for (const [file, { blob }] of releaseFiles(manifest)) blobs.know(blob.sha256, { folder, file });
  }
  return blobs;
}

async function releaseFolders(out: string): Promise<string[]> {
  const folder = join(out, 'releases');
  const names = await readdir(folder).catch(() => []);
  return names.map((name) => join(folder, name));
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
