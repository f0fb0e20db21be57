import { digestOf } from '../ledger/digest.ts';
import type { TileReader } from '../ledger/log/tile-reader.ts';
import type { PublicManifest } from '../release/format/public-manifest.ts';
import { textOf } from '../release/format/public-manifest.ts';
import {
  INDEX,
  LIST_PATH,
  LONGEST_INDEX,
  parseSnapshot,
  parseSnapshotIndex,
  SNAPSHOTS,
  type Snapshot,
  type SnapshotEntry,
  type SnapshotFile,
  type SnapshotIndex,
} from '../release/format/snapshot-index.ts';
import { assertPlaceable } from './assert-placeable.ts';
import { assertBeginsWith, headOf } from './log-head.ts';
import { mismatch } from './mismatch.ts';
import type { Origin } from './origin/origin.ts';
import { readSmall } from './origin/read-small.ts';

/** `/snapshots/index.json` as an origin has it. */
export interface SnapshotList {
  bytes: Uint8Array;
  index: SnapshotIndex;
}

export type Stored = Extract<SnapshotFile, { url: string }>;
export type Ended = Exclude<SnapshotFile, Stored>;

/** A file of its own below a snapshot's folder, or one that several share; never an index. */
const URL = new RegExp(`^${SNAPSHOTS}/[^/]+/(?!index\\.json$).`, 'i');

/**
 * The list as it is, whoever made it: for what is held already, and for hints. Null where there is none. Throws
 * release_invalid, mirror_mismatch and mirror_unreachable.
 */
export async function readSnapshotList(origin: Origin): Promise<SnapshotList | null> {
  const found = await readSmall(origin, LIST_PATH, { most: LONGEST_INDEX });
  return found && parseList(found.bytes, origin.placeOf(LIST_PATH));
}

/** Throws release_invalid. */
export function parseList(bytes: Uint8Array<ArrayBuffer>, place: string): SnapshotList {
  return { bytes, index: parseSnapshotIndex(textOf(bytes, place), place) };
}

/**
 * What a snapshot consists of, once its place in the log and its index are what its entry says. Throws mirror_forked,
 * mirror_mismatch, release_invalid and mirror_unreachable.
 */
export async function readSnapshot(
  origin: Origin,
  entry: SnapshotEntry,
  reader: TileReader,
): Promise<{ snapshot: Snapshot; bytes: Uint8Array }> {
  const { id, log_size, root_hash, index } = entry;
  const path = `${SNAPSHOTS}/${id}/${INDEX}`;
  const place = origin.placeOf(path);
  if (index.path !== path) throw mismatch(origin.placeOf(LIST_PATH), path, index.path);
  if (log_size > reader.head.size)
    throw mismatch(place, `a snapshot of at most ${reader.head.size} events`, `${log_size}`);
  await assertBeginsWith(reader, headOf({ size: log_size, root_hash }), place);
  const found = await readSmall(origin, path, { exactly: index.bytes });
  if (!found) throw mismatch(place, `a file of ${index.bytes} bytes`, 'no such file');
  const sha256 = await digestOf(found.bytes);
  if (sha256 !== index.sha256) throw mismatch(place, `SHA-256 ${index.sha256}`, sha256);
  const snapshot = parseSnapshot(textOf(found.bytes, place), place);
  const { size, root_hash: root } = snapshot.log;
  if (snapshot.id !== id || size !== log_size || root !== root_hash)
    throw mismatch(
      place,
      `snapshot ${id} of ${log_size} events, ${root_hash}`,
      `${snapshot.id}, ${size}, ${root}`,
    );
  return { snapshot, bytes: found.bytes };
}

/**
 * The files that a snapshot has of its own, each at a path where a mirror may write it. Not every snapshot's key is known, so
 * their size is bounded by that of the release, which holds all of the histories. Throws release_invalid and mirror_mismatch.
 */
export function storedFiles({ files }: Snapshot, release: PublicManifest, place: string): Stored[] {
  const stored = files.filter((file): file is Stored => 'url' in file);
  assertPlaceable(
    stored.map(({ url }) => url),
    place,
  );
  const astray = stored.find(({ url }) => !URL.test(url));
  if (astray) throw mismatch(place, `files below ${SNAPSHOTS}/`, astray.url);
  const [most, found] = [mostBytesBeside(release), bytesOf(stored)];
  if (found > most) throw mismatch(place, `files of at most ${most} bytes together`, `${found}`);
  return stored;
}

/** A manifest may be longer than all the files of a small service. */
const LEAST_BOUND = 1 << 20;

/** The most that a snapshot, or a history that is kept for them, may have beside a release. */
export function mostBytesBeside({ files }: PublicManifest): number {
  return 2 * bytesOf(files) + LEAST_BOUND;
}

function bytesOf(files: readonly { bytes: number }[]): number {
  return files.reduce((sum, { bytes }) => sum + bytes, 0);
}
