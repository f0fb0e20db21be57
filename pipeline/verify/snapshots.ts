import { sha256 } from '#hashing';
import { inParallel } from '../disk/in-parallel.ts';
import { CathedralError } from '../errors.ts';
import { isSlotId } from '../ledger/events/slot.ts';
import type { TileReader } from '../ledger/log/tile-reader.ts';
import { digestOf } from '../ledger/notes/digest.ts';
import { parseVerifierKey, type Verifier } from '../ledger/notes/note.ts';
import {
  LONGEST,
  MANIFEST_PATH,
  type PublicFile,
  type PublicManifest,
  parsePublicManifest,
  SIGNATURE_PATH,
  textOf,
} from '../release/format/public-manifest.ts';
import {
  INDEX,
  LIST_PATH,
  LONGEST_INDEX,
  OLD_HISTORIES,
  parseSnapshot,
  SNAPSHOTS,
  type Snapshot,
  type SnapshotEntry,
  type SnapshotFile,
} from '../release/format/snapshot-index.ts';
import { openManifest } from '../release/signing/open-manifest.ts';
import { counted } from '../words/number.ts';
import { type Findings, mismatchError } from './findings.ts';
import { assertExtends, headOf } from './log.ts';
import { announcedLength, type Origin, promisedBody, readListed, readPromised, readSmall } from './origin.ts';
import { assertPlaceable } from './placeable-paths.ts';

/** A file that a snapshot stores. */
export type Stored = Extract<SnapshotFile, { url: string }>;
/** A history that a snapshot describes as its own header plus the last N bytes of a longer file. */
type History = Exclude<SnapshotFile, Stored>;

/**
 * Who vouches for a snapshot: a key that the reader knows; only a key that the snapshot's own manifest names, which may have
 * been retired since; or nobody, as for unsigned releases.
 */
export type Voucher = 'known key' | 'own key' | 'nobody';

export interface SnapshotsWork {
  origin: Origin;
  findings: Findings;
  parallel: number;
  /** The files of the release; histories of snapshots end like theirs. */
  files: readonly PublicFile[];
  /** Keys that may have signed a snapshot. */
  known: readonly Verifier[];
  /** The most bytes that a snapshot, or an old history, may have. */
  most: number;
  /** Lengths of old histories by path; null: that history is not as it should be. */
  histories: Map<string, number | null>;
  /**
   * Histories that `verifyLater` compares after the last snapshot, since a host would count each reading of the file that they are the ends of.
   * Null: each at once, where those files are on this disk.
   */
  later: HistoryEnd[] | null;
}

/** A history of a snapshot: its header, and the last bytes of a longer file. */
interface HistoryEnd {
  file: History;
  /** For messages. */
  place: string;
  /** Of the longer file. */
  path: string;
  length: number;
}

export interface VerifiedSnapshot {
  entry: SnapshotEntry;
  /** Of its index. */
  bytes: Uint8Array;
  stored: readonly Stored[];
  voucher: Voucher;
}

/** A file below a snapshot's folder, or one that several share; never an index. */
const STORED_URL = new RegExp(`^${SNAPSHOTS}/[^/]+/(?!index\\.json$).`, 'i');
/** Old histories are named by their SHA-256, which is all that is signed of them. */
const OLD_HISTORY = new RegExp(`^${OLD_HISTORIES}/([0-9a-f]{64})$`);
/** Bytes; a manifest may be longer than all files of a small service. */
const LEAST_BOUND = 1 << 20;

/** A snapshot has at most the files of a release; twice their size leaves room for growth. */
export function mostBytes(files: readonly { bytes: number }[]): number {
  return 2 * totalBytes(files) + LEAST_BOUND;
}

function totalBytes(files: readonly { bytes: number }[]): number {
  return files.reduce((sum, { bytes }) => sum + bytes, 0);
}

/** Verifies a listed snapshot: its place in the log, its index and every file. Throws what makes all of it worthless. */
export async function verifySnapshot(
  entry: SnapshotEntry,
  reader: TileReader,
  work: SnapshotsWork,
): Promise<VerifiedSnapshot> {
  const { snapshot, bytes } = await readSnapshot(work.origin, entry, reader);
  return { entry, bytes, ...(await verifySnapshotFiles(snapshot, entry, work)) };
}

/**
 * A snapshot's index, compared with its entry in the list, at its place in the log. Throws mirror_forked, mirror_mismatch,
 * release_invalid and mirror_unreachable.
 */
async function readSnapshot(
  origin: Origin,
  entry: SnapshotEntry,
  reader: TileReader,
): Promise<{ snapshot: Snapshot; bytes: Uint8Array }> {
  const { id, log_size, root_hash, index } = entry;
  const path = `${SNAPSHOTS}/${id}/${INDEX}`;
  const place = origin.placeOf(path);
  if (index.path !== path) throw mismatchError(origin.placeOf(LIST_PATH), path, index.path);
  if (log_size > reader.head.size)
    throw mismatchError(place, `a snapshot of at most ${counted(reader.head.size, 'event')}`, `${log_size}`);
  await assertExtends(reader, headOf({ size: log_size, root_hash }), place);
  const bytes = await readPromised(origin, index);
  const snapshot = parseSnapshot(textOf(bytes, place), place);
  const { size, root_hash: root } = snapshot.log;
  if (snapshot.id !== id || size !== log_size || root !== root_hash)
    throw mismatchError(
      place,
      `snapshot ${id} of ${counted(log_size, 'event')}, ${root_hash}`,
      `${snapshot.id}, ${size}, ${root}`,
    );
  if (snapshot.release !== entry.release || snapshot.as_of !== entry.as_of)
    throw mismatchError(
      place,
      `${entry.release} as of ${entry.as_of}, as listed`,
      `${snapshot.release} as of ${snapshot.as_of}`,
    );
  return { snapshot, bytes };
}

/** Compares every file of a snapshot with its index, and that with the signed manifest that it holds. */
export async function verifySnapshotFiles(
  snapshot: Snapshot,
  entry: SnapshotEntry,
  work: SnapshotsWork,
): Promise<Pick<VerifiedSnapshot, 'stored' | 'voucher'>> {
  const { origin, findings, parallel, known, most, later } = work;
  const place = origin.placeOf(entry.index.path);
  const stored = storedFiles(snapshot, most, place);
  await inParallel(stored, parallel, async ({ url, sha256, bytes }) => {
    await findings.attempt(() => origin.verifyFile({ path: url, sha256, bytes }));
  });
  for (const file of snapshot.files)
    if ('range' in file)
      await findings.attempt(async () => {
        const end = await endOf(file, entry, work);
        if (!end) return;
        if (later) later.push(end);
        else await compareEnds([end], work);
      });
  return { stored, voucher: await assertSigned(snapshot, stored, { keys: known, origin, place }) };
}

/**
 * The files that a snapshot stores, each at a path where a mirror can write it. Not every snapshot is signed by a known key, so
 * their size is bounded. Throws release_invalid and mirror_mismatch.
 */
function storedFiles({ files }: Snapshot, most: number, place: string): Stored[] {
  const stored = files.filter((file): file is Stored => 'url' in file);
  assertPlaceable(
    stored.map(({ url }) => url),
    place,
  );
  const astray = stored.find(({ url }) => !STORED_URL.test(url));
  if (astray) throw mismatchError(place, `files below ${SNAPSHOTS}/`, astray.url);
  const bytes = totalBytes(stored);
  if (bytes > most) throw mismatchError(place, `files of at most ${most} bytes together`, `${bytes}`);
  return stored;
}

/**
 * Compares a snapshot with the signed manifest of its release: the same place in the log, and the same hash for each file.
 * Throws mirror_mismatch, release_invalid, ledger_corrupt and ledger_signature.
 */
export async function assertSigned(
  snapshot: Snapshot,
  stored: readonly Stored[],
  { keys, origin, place }: { keys: readonly Verifier[]; origin: Origin; place: string },
): Promise<Voucher> {
  const [manifestFile, signatureFile] = [MANIFEST_PATH, SIGNATURE_PATH].map((path) =>
    stored.find((file) => file.path === path),
  );
  if (!manifestFile || !signatureFile) return 'nobody';
  for (const [file, path] of [
    [manifestFile, MANIFEST_PATH],
    [signatureFile, SIGNATURE_PATH],
  ] as const)
    if (file.bytes > LONGEST[path])
      throw mismatchError(`${place}: ${path}`, `at most ${LONGEST[path]} bytes`, `${file.bytes}`);
  const read = ({ url, bytes }: Stored) => readListed(origin, url, bytes);
  const { manifest, voucher } = await open(await read(manifestFile), await read(signatureFile), keys, place);
  const { size, root_hash } = manifest.log;
  const { log } = snapshot;
  if (manifest.release !== snapshot.release || size !== log.size || root_hash !== log.root_hash)
    throw mismatchError(
      place,
      `${manifest.release}, ${counted(size, 'event')}, ${root_hash}, as signed`,
      `${snapshot.release}, ${log.size}, ${log.root_hash}`,
    );
  const signed = new Map(manifest.files.map(({ path, sha256 }) => [path, sha256]));
  for (const file of snapshot.files) {
    if (file === manifestFile || file === signatureFile || signed.get(file.path) === file.sha256) continue;
    const expected = `SHA-256 ${signed.get(file.path) ?? 'of no file'}, as signed`;
    throw mismatchError(`${place}: ${file.path}`, expected, file.sha256);
  }
  return voucher;
}

async function open(
  bytes: Uint8Array<ArrayBuffer>,
  signature: Uint8Array,
  keys: readonly Verifier[],
  place: string,
): Promise<{ manifest: PublicManifest; voucher: Voucher }> {
  try {
    return { manifest: await openManifest(bytes, signature, keys), voucher: 'known key' };
  } catch (error) {
    if (!(error instanceof CathedralError && error.code === 'ledger_signature')) throw error;
    const own = parsePublicManifest(textOf(bytes, place), place).keys.map(parseVerifierKey);
    return { manifest: await openManifest(bytes, signature, own), voucher: 'own key' };
  }
}

/** Compares the histories that were left for later. Each of the longer files is read once. */
export async function verifyLater({ later, ...work }: SnapshotsWork): Promise<void> {
  for (const ends of Map.groupBy(later ?? [], ({ path }) => path).values())
    await work.findings.attempt(() => compareEnds(ends, work));
}

/** Where a history is. Null: the list says that it is lost, or its file is a finding already. */
async function endOf(
  file: History,
  { histories = {}, index }: SnapshotEntry,
  { origin, files, ...work }: SnapshotsWork,
): Promise<HistoryEnd | null> {
  const { of, last } = file.range;
  const place = `${origin.placeOf(index.path)}: ${file.path}`;
  const old = histories[of];
  if (old === null) return null;
  const path = old ?? of;
  if (old !== undefined && !work.histories.has(old))
    work.histories.set(old, await oldHistoryLength(origin, old, work.most));
  const listed = files.find((one) => one.path === of)?.bytes ?? null;
  const length = old === undefined ? listed : work.histories.get(old)!;
  if (old !== undefined && length === null) return null;
  if (length === null || length < last)
    throw mismatchError(place, `${last} bytes of ${path}`, 'none, or fewer');
  return { file, place, path, length };
}

/** Compares histories that end like the same longer file with it. */
async function compareEnds(
  ends: readonly HistoryEnd[],
  { origin, findings }: Pick<SnapshotsWork, 'origin' | 'findings'>,
): Promise<void> {
  const { path } = ends[0]!;
  const found = await origin.retrying(path, () => hashEnds(ends, origin));
  for (const [at, { file, place }] of ends.entries())
    await findings.attempt(async () => {
      const bytes = headerOf(file).length + file.range.last;
      if (bytes !== file.bytes) throw mismatchError(place, `${file.bytes} bytes`, `${bytes}`);
      if (found[at] !== file.sha256) throw mismatchError(place, `SHA-256 ${file.sha256}`, found[at]!);
    });
}

/** The SHA-256 of each, in one reading of the longer file. */
async function hashEnds(ends: readonly HistoryEnd[], origin: Origin): Promise<string[]> {
  const { path, length } = ends[0]!;
  const place = origin.placeOf(path);
  const hashes = ends.map(() => sha256());
  for (const [index, { file }] of ends.entries()) hashes[index]!.update(headerOf(file));
  const from = length - Math.max(...ends.map(({ file }) => file.range.last));
  // HTTP has no empty range: hosts would answer 416.
  if (from === length) return hashes.map((hash) => hash.digest());
  const opened = await origin.openExisting(path, 'a file', { from });
  let at = opened.from;
  for await (const chunk of promisedBody(opened, length, place)) {
    for (const [index, { file }] of ends.entries()) {
      // A host may begin before the byte that was asked for.
      const skip = Math.max(0, length - file.range.last - at);
      if (skip < chunk.length) hashes[index]!.update(chunk.subarray(skip));
    }
    at += chunk.length;
  }
  return hashes.map((hash) => hash.digest());
}

function headerOf({ head }: History): Uint8Array {
  return new TextEncoder().encode(head);
}

/** Paths of the old histories that a list names. */
export function oldHistories(index: readonly SnapshotEntry[]): string[] {
  const paths = index.flatMap(({ histories = {} }) => Object.values(histories));
  return [...new Set(paths.filter((path) => path !== null))];
}

/** Verifies an old history, whose name is its SHA-256; adds its length to `histories`. */
export async function verifyOldHistory(path: string, { origin, most, histories }: SnapshotsWork) {
  histories.set(path, null);
  const bytes = await oldHistoryLength(origin, path, most);
  await origin.verifyFile({ path, sha256: sha256In(path, origin), bytes });
  histories.set(path, bytes);
}

/** Only the origin knows the length, so it is bounded. Throws mirror_mismatch and mirror_unreachable. */
async function oldHistoryLength(origin: Origin, path: string, most: number): Promise<number> {
  sha256In(path, origin);
  const bytes = await announcedLength(origin, path);
  if (bytes !== null && bytes <= most) return bytes;
  const found = bytes === null ? 'a file without a Content-Length' : `${bytes}`;
  throw mismatchError(origin.placeOf(path), `a file of at most ${most} bytes`, found);
}

function sha256In(path: string, origin: Origin): string {
  const [, sha256] = OLD_HISTORY.exec(path) ?? [];
  if (sha256 !== undefined) return sha256;
  const expected = `a file below ${OLD_HISTORIES}/ named by its SHA-256`;
  throw mismatchError(origin.placeOf(path), expected, path);
}

/** Ids of the snapshots in a folder that its list does not name. */
export async function unlistedSnapshots(
  { disk }: Origin,
  list: readonly { id: string }[],
): Promise<string[]> {
  const { folders } = (await disk?.list(SNAPSHOTS)) ?? { folders: [] };
  return folders.filter((name) => isSlotId(name) && !list.some(({ id }) => id === name));
}

/**
 * Verifies a snapshot that its list no longer names, as in a mirror, or does not name yet, as during a run. Null: the folder
 * has no index. Throws what `verifySnapshot` throws.
 */
export async function verifyUnlisted(
  id: string,
  reader: TileReader | null,
  work: SnapshotsWork,
): Promise<VerifiedSnapshot | null> {
  const { origin } = work;
  const path = `${SNAPSHOTS}/${id}/${INDEX}`;
  const place = origin.placeOf(path);
  const found = await readSmall(origin, path, { most: LONGEST_INDEX });
  if (!found) return null;
  const { bytes } = found;
  const snapshot = parseSnapshot(textOf(bytes, place), place);
  if (snapshot.id !== id) throw mismatchError(place, `snapshot ${id}`, snapshot.id);
  const { release, as_of, log, files } = snapshot;
  const index = { path, sha256: await digestOf(bytes), bytes: bytes.length };
  // Only the list says which files the histories are the ends of.
  const unknown = files.flatMap((file) => ('range' in file ? [[file.range.of, null]] : []));
  const histories = Object.fromEntries(unknown);
  const entry = { id, release, as_of, log_size: log.size, root_hash: log.root_hash, index, histories };
  if (reader && log.size <= reader.head.size) return verifySnapshot(entry, reader, work);
  // The log of the current release does not reach that far yet.
  return { entry, bytes, ...(await verifySnapshotFiles(snapshot, entry, work)) };
}
