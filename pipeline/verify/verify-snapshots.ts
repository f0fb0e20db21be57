import { digestOf } from '../ledger/digest.ts';
import type { TileReader } from '../ledger/log/tile-reader.ts';
import type { Verifier } from '../ledger/note.ts';
import { inParallel } from '../release/disk/in-parallel.ts';
import type { PublicManifest } from '../release/format/public-manifest.ts';
import { textOf } from '../release/format/public-manifest.ts';
import {
  INDEX,
  LONGEST_INDEX,
  parseSnapshot,
  SNAPSHOTS,
  type Snapshot,
  type SnapshotEntry,
} from '../release/format/snapshot-index.ts';
import { assertEnded } from './assert-ended.ts';
import { mismatch } from './mismatch.ts';
import { oldHistoryLength } from './old-histories.ts';
import { type Looking, lookingAgain } from './origin/looking-again.ts';
import type { Origin } from './origin/origin.ts';
import { promisedBody } from './origin/promised-body.ts';
import { readSmall } from './origin/read-small.ts';
import { readSignedList } from './signed-list.ts';
import { type Ended, readSnapshot, type Stored, storedFiles } from './snapshot-list.ts';
import { assertSigned, type Voucher } from './snapshot-signature.ts';
import type { Findings } from './verification.ts';
import { verifyFile } from './verify-files.ts';
import { keptBeside, OF_THE_LIST, pathsOfSnapshot, verifySnapshotNames } from './verify-names.ts';

export interface SnapshotsWork extends Looking {
  origin: Origin;
  /** All that is there can be listed, and nothing else should be. */
  isFolder: boolean;
  reader: TileReader;
  manifest: PublicManifest;
  /** Keys that sign the release, and so the list. */
  keys: readonly Verifier[];
  /** Those, and others that may have signed a snapshot. */
  known: readonly Verifier[];
  choose: <T>(all: readonly T[]) => readonly T[];
  findings: Findings;
  parallel: number;
}

/** What was read of the snapshots. */
export interface SnapshotsRead {
  read: number;
  all: number;
  /** Of those that were read, the ones that a key vouches for that is known now. */
  vouched: number;
}

/** The list, and of the snapshots in it those that `choose` takes, every byte of them. */
export async function verifySnapshots(work: SnapshotsWork): Promise<SnapshotsRead> {
  // A host that is being updated may have an older list for a moment.
  const list = await lookingAgain(work, () => readSignedList(work.origin, work));
  const chosen = work.choose(list.index);
  const done = { read: chosen.length, all: list.index.length, vouched: 0 };
  const listed = new Set(OF_THE_LIST);
  const unread = new Set(list.index.map(({ id }) => id));
  for (const entry of chosen) {
    const verified = await work.findings.attempt(() => verifySnapshot(entry, work));
    if (!verified) continue;
    if (verified.voucher === 'known') done.vouched += 1;
    for (const path of pathsOfSnapshot(entry.id, verified.stored)) listed.add(path);
    unread.delete(entry.id);
  }
  if (work.isFolder) {
    for (const id of await keptBeside(list.index, work.origin))
      for (const path of (await work.findings.attempt(() => verifyKept(id, work))) ?? []) listed.add(path);
    await verifySnapshotNames(listed, unread, work);
  }
  return done;
}

/**
 * A snapshot that the list does not have any more, as a mirror keeps it, or not yet, as a run makes it: a known key has to have
 * signed it. Gives the paths that its index names; none where it has no index.
 */
async function verifyKept(id: string, work: SnapshotsWork): Promise<string[]> {
  const { origin } = work;
  const path = `${SNAPSHOTS}/${id}/${INDEX}`;
  const place = origin.placeOf(path);
  const found = await readSmall(origin, path, { most: LONGEST_INDEX });
  if (!found) return [];
  const snapshot = parseSnapshot(textOf(found.bytes, place), place);
  const { release, as_of, log, files } = snapshot;
  const index = { path, sha256: await digestOf(found.bytes), bytes: found.bytes.length };
  // Of which files its histories are the ends is not known any more.
  const histories = Object.fromEntries(
    files.flatMap((file) => ('range' in file ? [[file.range.of, null]] : [])),
  );
  const { root_hash, size: log_size } = log;
  const entry = { id, release, as_of, log_size, root_hash, index, histories };
  // The log of the release that is served does not reach that far.
  const isAhead = log_size > work.reader.head.size;
  const { voucher, stored } = await (isAhead
    ? verifyFilesOf(snapshot, entry, work)
    : verifySnapshot(entry, work));
  if (voucher === 'known') return pathsOfSnapshot(id, stored);
  throw mismatch(place, 'a snapshot that the signed list has, or that a known key has signed', 'another one');
}

async function verifySnapshot(
  entry: SnapshotEntry,
  work: SnapshotsWork,
): Promise<{ voucher: Voucher; stored: Stored[] }> {
  const { snapshot } = await readSnapshot(work.origin, entry, work.reader);
  return verifyFilesOf(snapshot, entry, work);
}

async function verifyFilesOf(
  snapshot: Snapshot,
  entry: SnapshotEntry,
  work: SnapshotsWork,
): Promise<{ voucher: Voucher; stored: Stored[] }> {
  const { origin, findings, parallel, known } = work;
  const place = origin.placeOf(entry.index.path);
  const stored = storedFiles(snapshot, work.manifest, place);
  await inParallel(stored, parallel, async ({ url, sha256, bytes }) => {
    await findings.attempt(() => verifyFile(origin, { path: url, sha256, bytes }));
  });
  for (const file of snapshot.files) {
    if ('range' in file) await findings.attempt(() => verifyEnded(file, entry, work));
  }
  const read = ({ url, bytes }: Stored) => readBytes(origin, url, bytes);
  return { voucher: await assertSigned(snapshot, stored, { keys: known, read, place }), stored };
}

async function readBytes(origin: Origin, path: string, bytes: number): Promise<Uint8Array<ArrayBuffer>> {
  const found = await readSmall(origin, path, { exactly: bytes });
  if (found) return found.bytes;
  throw mismatch(origin.placeOf(path), `a file of ${bytes} bytes`, 'no such file');
}

async function verifyEnded(
  file: Ended,
  { histories = {}, index }: SnapshotEntry,
  { origin, manifest }: SnapshotsWork,
): Promise<void> {
  const { of, last } = file.range;
  const place = origin.placeOf(index.path);
  const old = histories[of];
  if (old === null) return;
  const at = old ?? of;
  const listed = manifest.files.find(({ path }) => path === of)?.bytes ?? null;
  const size = old === undefined ? listed : await oldHistoryLength(origin, old, manifest);
  if (size === null || size < last)
    throw mismatch(`${place}: ${file.path}`, `${last} bytes of ${at}`, 'none, or fewer');
  // No host has a range without bytes: it would answer with status 416.
  if (last === 0) return assertEnded(file, [], place);
  const from = size - last;
  await origin.retrying(at, async () => {
    const opened = await origin.open(at, { from });
    if (opened === null || opened === 'unchanged')
      throw mismatch(origin.placeOf(at), 'a file', 'no such file');
    const rest = promisedBody(opened, size, origin.placeOf(at));
    await assertEnded(file, after(rest, from - opened.from), place);
  });
}

/** What comes after so many bytes: a host may begin before the byte that was asked for. */
async function* after(body: AsyncIterable<Uint8Array>, skip: number): AsyncGenerator<Uint8Array> {
  let left = skip;
  for await (const chunk of body) {
    if (chunk.length > left) yield chunk.subarray(left);
    left = Math.max(0, left - chunk.length);
  }
}
