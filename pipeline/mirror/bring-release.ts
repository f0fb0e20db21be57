import { join } from 'node:path';
import type { Verifier } from '../ledger/note.ts';
import { replaceFile, replaceFiles } from '../release/disk/durable.ts';
import { sha256 } from '../release/format/manifest.ts';
import { MANIFEST_PATH, type PublicManifest } from '../release/format/public-manifest.ts';
import { LIST_PATH, LIST_SIGNATURE_PATH } from '../release/format/snapshot-index.ts';
import { removeOldTiles } from '../release/log/remove-old-partials.ts';
import { assertPlaceable } from '../verify/assert-placeable.ts';
import { headOf, openCheckpoint } from '../verify/log-head.ts';
import { mismatch } from '../verify/mismatch.ts';
import { type FetchWork, fetchBlobs } from '../verify/origin/fetch-blobs.ts';
import { placeGeneration } from '../verify/origin/generation.ts';
import type { Held } from '../verify/origin/held.ts';
import { heldBlobs, type Source } from '../verify/origin/held-blobs.ts';
import type { Origin } from '../verify/origin/origin.ts';
import { LOG } from '../verify/origin/read-tile.ts';
import { forked } from '../verify/rules.ts';
import type { SignedRelease } from '../verify/signed-release.ts';
import { mirrorHeaders } from './mirror-headers.ts';
import { keepPartialTiles, mirrorLog } from './mirror-log.ts';
import { mirrorSnapshots } from './mirror-snapshots.ts';

export interface BringOptions {
  origin: Origin;
  folder: string;
  /** Who may have signed the ledger's checkpoint; null: that signature is left to others. */
  ledgerKeys: readonly Verifier[] | null;
  /** Reads every byte of what is held, and brings again what is damaged. */
  recheck: boolean;
  /** `current` is a folder. */
  withoutLinks: boolean;
  /** Requests at once. */
  parallel: number;
  log: (line: string) => void;
}

export interface Brought {
  /** What was fetched, snapshots included. */
  files: { files: number; bytes: number };
  tiles: number;
  snapshots: number;
  /** Snapshots among those that no key vouches for that is known now. */
  unvouched: number;
}

/** What is fetched waits here for its place. */
export function stagingOf(folder: string): string {
  return join(folder, 'staging');
}

/**
 * All of a verified release into the folder: tiles and snapshots, which only add to what is there, then the release in the
 * place of the one before, then what tells of the new tiles and snapshots.
 */
export async function bringRelease(
  release: SignedRelease,
  { held, isWhole }: { held: Held | null; isWhole: boolean },
  options: BringOptions,
): Promise<Brought> {
  const { origin, folder, ledgerKeys, parallel, recheck, log } = options;
  const { manifest, proofs } = release;
  const place = origin.placeOf(MANIFEST_PATH);
  const paths = manifest.files.map(({ path }) => path);
  assertPlaceable(paths, place);
  assertOneLength([...(held?.manifest.files ?? []), ...manifest.files], place);
  assertSameLog(held, release, place);
  const head = await openCheckpoint(manifest, ledgerKeys, `${place}: log.checkpoint`);
  const before = held && headOf(held.manifest.log);
  log(`log of ${head.size} events`);
  const from = before && isWhole ? before.size : 0;
  const { reader, tiles } = await mirrorLog(origin, folder, {
    ...{ head, before, from, parallel },
    staging: stagingOf(folder),
  });
  const { blobs, isIntact } = await heldBlobs(held, { parallel, reading: recheck });
  const work = fetchWork(options);
  const wanted = manifest.files.map((file) => ({ ...file, release: manifest }));
  const files = await fetchBlobs(wanted, blobs, work);
  log('snapshots');
  await addProofs(release, blobs, work);
  const { keys, known } = release;
  const snapshotWork = { ...work, folder, reader, manifest, keys, known, blobs, recheck };
  const { list, added, unvouched, bytes } = await mirrorSnapshots(snapshotWork);
  const sizes = list.index.map(({ log_size }) => log_size);
  const staging = stagingOf(folder);
  await keepPartialTiles(origin, folder, { reader, sizes, staging, reuse: isWhole, parallel });
  log(`putting version ${manifest.version} in its place`);
  const texts = new Map<string, Uint8Array>([...proofs, ['_headers', Buffer.from(mirrorHeaders(manifest))]]);
  // A run that was killed after the swap leaves the release in its place.
  const isPlaced = isIntact && !recheck && held?.sha256 === sha256(proofs.get(MANIFEST_PATH)!);
  if (!isPlaced) await placeGeneration(folder, { manifest, blobs, texts }, options);
  await replaceFile(join(folder, LOG, 'checkpoint'), manifest.log.checkpoint);
  await removeOldTiles(folder, head.size);
  await replaceFiles([
    [join(folder, LIST_PATH), list.bytes],
    [join(folder, LIST_SIGNATURE_PATH), list.signature],
  ]);
  return { files: { files: files.files, bytes: files.bytes + bytes }, tiles, snapshots: added, unvouched };
}

/** The bytes that have a hash have one length. Throws mirror_mismatch. */
function assertOneLength(files: PublicManifest['files'], place: string): void {
  const lengths = new Map<string, number>();
  for (const { path, sha256, bytes } of files) {
    const known = lengths.get(sha256) ?? bytes;
    lengths.set(sha256, known);
    if (known === bytes) continue;
    throw mismatch(
      `${place}: ${path}`,
      `${known} bytes, as another file of SHA-256 ${sha256} has`,
      `${bytes}`,
    );
  }
}

/** The snapshot of this release has them, too. */
async function addProofs(
  { proofs }: SignedRelease,
  blobs: Map<string, Source>,
  { staging }: FetchWork,
): Promise<void> {
  for (const bytes of proofs.values()) {
    const name = sha256(bytes);
    await replaceFile(join(staging, name), bytes);
    blobs.set(name, { folder: staging, file: name });
  }
}

function assertSameLog(held: Held | null, { manifest }: SignedRelease, place: string): void {
  const [before, now] = [held?.manifest.log.origin, manifest.log.origin];
  if (before !== undefined && before !== now) throw forked(`${place}: log.origin`, before, now);
}

function fetchWork({ origin, folder, parallel, log }: BringOptions): FetchWork {
  const megabytes = (bytes: number) => (bytes / 1e6).toFixed(1);
  return {
    origin,
    staging: stagingOf(folder),
    parallel,
    progress: (done, all) =>
      log(
        `fetching: ${done.files} of ${all.files} files, ${megabytes(done.bytes)} of ${megabytes(all.bytes)} MB`,
      ),
  };
}
