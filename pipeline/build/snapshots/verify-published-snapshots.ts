import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { CathedralError } from '../../errors.ts';
import { parseVerifierKey, type Verifier } from '../../ledger/note.ts';
import { exists, finished } from '../../release/disk/durable.ts';
import { listTree } from '../../release/disk/list-tree.ts';
import { MANIFEST_PATH, parsePublicManifest, SIGNATURE_PATH } from '../../release/format/public-manifest.ts';
import { readCurrent } from '../../release/format/release.ts';
import {
  INDEX,
  LIST_PATH,
  LIST_SIGNATURE_PATH,
  SNAPSHOTS,
  type Snapshot,
  type SnapshotFile,
  type SnapshotIndex,
} from '../../release/format/snapshot-index.ts';
import { openManifest } from '../../release/signing/open-manifest.ts';
import type { Problem } from '../../release/staging/verify-release.ts';
import { FolderOrigin } from '../../verify/origin/folder-origin.ts';
import { readHeld } from '../../verify/origin/held.ts';
import { readSignedList } from '../../verify/signed-list.ts';
import { isEndOf } from './history-ranges.ts';
import { publishedIds, readIndex, readPublished } from './read-published.ts';

/**
 * Reads every byte of the snapshots and compares them with their indexes and signed manifests, and those with the index of
 * all, and that with its signature. `keys`: as `verifyList` has them. By place; empty where all is well, and where a release
 * that is not signed has none.
 */
export async function verifySnapshots(out: string, keys: readonly Verifier[] | null): Promise<Problem[]> {
  const ids = (await publishedIds(out)).sort();
  let index: SnapshotIndex | null = null;
  const problems = await caught(async () => {
    index = await readIndex(out);
    return compareIndex(out, ids, index);
  });
  problems.push(...(await verifyList(out, keys)));
  for (const id of ids) problems.push(...(await verifySnapshot(out, id, index)));
  return problems;
}

/**
 * One of them. Its manifest is held to the keys that it names: they may have been retired since. Whose they are is a matter
 * of the newest release, and what the numbers should be one of the ledger. Of one that is ahead of the release that is served,
 * histories are not looked at: their rows are not there yet. `index`: of all, where it was read already.
 */
export async function verifySnapshot(
  out: string,
  id: string,
  index: SnapshotIndex | null = null,
): Promise<Problem[]> {
  return caught(async () => {
    const { snapshot } = await readPublished(out, id);
    const histories = (index ?? (await readIndex(out)))?.find((entry) => entry.id === id)?.histories ?? {};
    const problems = await verifyNames(out, snapshot);
    const isAhead = snapshot.log.size > (await servedLog(out)).size;
    for (const file of snapshot.files)
      if (!isAhead || 'url' in file) problems.push(...(await verifyFile(out, file, histories)));
    return problems.length > 0 ? problems : verifySigned(out, snapshot);
  });
}

/**
 * Whether the list of all is what readers of the signed release that is served take for it. `keys`: of the publisher; null:
 * those that the release names.
 */
export async function verifyList(out: string, keys: readonly Verifier[] | null): Promise<Problem[]> {
  return caught(async () => {
    const held = await readHeld(out);
    if (!held) return verifyUnsigned(out);
    const { manifest } = held;
    const release = { manifest, keys: keys ?? manifest.keys.map(parseVerifierKey) };
    await readSignedList(await FolderOrigin.at(out), release);
    return [];
  });
}

async function verifyUnsigned(out: string): Promise<Problem[]> {
  const expected = 'no such file beside a release that is not signed';
  return (await exists(join(out, LIST_SIGNATURE_PATH)))
    ? [{ place: LIST_SIGNATURE_PATH, expected, found: 'one' }]
    : [];
}

async function compareIndex(
  out: string,
  ids: readonly string[],
  index: SnapshotIndex | null,
): Promise<Problem[]> {
  if (!index && ids.length === 0) return [];
  const place = LIST_PATH;
  const listed = (index ?? []).map(({ id }) => id);
  const problems: Problem[] = [];
  // Snapshots are made before they are listed, and listed before their release is served.
  const { snapshot } = await servedLog(out);
  const unlisted = ids.filter((id) => !listed.includes(id) && id <= snapshot);
  const missing = listed.filter((id) => !ids.includes(id));
  for (const id of unlisted) problems.push({ place, expected: `${id}, which is kept`, found: 'no entry' });
  for (const id of missing)
    problems.push({ place: `${SNAPSHOTS}/${id}`, expected: 'a snapshot', found: 'none' });
  for (const { histories: _, ...entry } of index ?? []) {
    if (missing.includes(entry.id)) continue;
    const own = (await readPublished(out, entry.id)).entry;
    const [expected, found] = [JSON.stringify(own), JSON.stringify(entry)];
    if (expected !== found) problems.push({ place: `${place} ${entry.id}`, expected, found });
  }
  return problems;
}

/** Of the release that is served; before the first there is nothing. */
async function servedLog(out: string): Promise<{ size: number; snapshot: string }> {
  return (await readCurrent(out))?.manifest.ledger ?? { size: 0, snapshot: '' };
}

async function verifyNames(out: string, { id, files }: Snapshot): Promise<Problem[]> {
  const wanted = new Set([INDEX, ...files.filter((file) => 'url' in file).map(({ path }) => path)]);
  const { files: found, others } = await listTree(join(out, SNAPSHOTS, id));
  return [...found, ...others]
    .filter((path) => !wanted.has(finished(path)) && finished(path) !== 'index.html')
    .map((path) => ({
      place: `${SNAPSHOTS}/${id}/${path}`,
      expected: 'nothing',
      found: 'something that its index does not list',
    }));
}

async function verifyFile(
  out: string,
  file: SnapshotFile,
  histories: Readonly<Record<string, string | null>>,
): Promise<Problem[]> {
  if ('range' in file) {
    const { of, last } = file.range;
    const moved = histories[of];
    if (moved === null) return [];
    const place = moved ?? `current/public/${of}`;
    if (await isEndOf(join(out, place), file)) return [];
    const expected = `an end of ${last} bytes that is ${file.path} of then`;
    return [{ place, expected, found: 'another one' }];
  }
  const found = await digestOf(join(out, file.url));
  if (found === file.sha256) return [];
  return [{ place: file.url, expected: `SHA-256 ${file.sha256}`, found }];
}

/** The signed manifest of its release has each of its files, with the same hash. */
async function verifySigned(out: string, { id, files }: Snapshot): Promise<Problem[]> {
  if (!files.some(({ path }) => path === MANIFEST_PATH)) return [];
  const read = (path: string) => readFile(join(out, SNAPSHOTS, id, path));
  const [manifest, signature] = [await read(MANIFEST_PATH), await read(SIGNATURE_PATH)];
  const keys = parsePublicManifest(manifest.toString()).keys.map(parseVerifierKey);
  const opened = await openManifest(manifest, signature, keys);
  const signed = new Map(opened.files.map((file) => [file.path, file.sha256]));
  return files
    .filter(
      ({ path, sha256 }) => path !== MANIFEST_PATH && path !== SIGNATURE_PATH && signed.get(path) !== sha256,
    )
    .map(({ path, sha256 }) => ({
      place: `${SNAPSHOTS}/${id}/${INDEX} ${path}`,
      expected: `SHA-256 ${signed.get(path) ?? 'of no file'}, as it is signed`,
      found: sha256,
    }));
}

async function digestOf(place: string): Promise<string> {
  const hash = createHash('sha256');
  const read = pipeline(createReadStream(place), hash);
  return read.then(
    () => hash.digest('hex'),
    (error: NodeJS.ErrnoException) => `no file that can be read (${error.code})`,
  );
}

/** A snapshot that cannot be read is one that is not as it should be. */
async function caught(work: () => Promise<Problem[]>): Promise<Problem[]> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof CathedralError)) throw error;
    const { place, expected, found } = error;
    return [{ place, expected, found }];
  }
}
